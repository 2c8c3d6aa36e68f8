"""lit configuration of proa: one test is one .mlir, .test or .json file with RUN lines."""

import os
import shutil

import lit.formats

config.name = "proa"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "corpus", "bench", "fuzz", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.proa_binary_dir, "test")

# Tools of the build first, then FileCheck, not, split-file and mlir-opt of LLVM.
config.environment["PATH"] = os.path.pathsep.join(
    [config.proa_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
source = os.path.dirname(config.test_source_root)
config.substitutions.append(("%source", source))
config.substitutions.append(("%mlir_include", config.mlir_include))
for folder in ("corpus", "cases"):
    config.substitutions.append(("%" + folder, os.path.join(config.test_source_root, folder)))
# util-linux: runs a command on a terminal.
if shutil.which("script"):
    config.available_features.add("script")
