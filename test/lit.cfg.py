"""lit configuration of proa: one test is one .mlir, .test or .json file with RUN lines."""

import ctypes
import os
import shutil
import subprocess

import lit.formats

config.name = "proa"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "corpus", "bench", "docs", "fuzz", "plugin", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.proa_binary_dir, "test")

# Tools of the build first, then FileCheck, not, split-file and mlir-opt of LLVM.
config.environment["PATH"] = os.path.pathsep.join(
    [config.proa_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
config.environment["PROA_VERIFY_PASSES"] = "1"
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
source = os.path.dirname(config.test_source_root)
config.substitutions.append(("%source", source))
config.substitutions.append(("%faulty_plugin", os.path.join(config.proa_tools_dir, "faulty-plugin.so")))
config.substitutions.append(("%toy_plugin", os.path.join(config.proa_tools_dir, "toy-plugin.so")))
config.substitutions.append(("%mlir_include", config.mlir_include))
config.substitutions.append(("%proa_pages", os.path.join(config.proa_binary_dir, "pages")))
for folder in ("corpus", "cases"):
    config.substitutions.append(("%" + folder, os.path.join(config.test_source_root, folder)))
# util-linux: runs a command on a terminal.
if shutil.which("script"):
    config.available_features.add("script")
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    config.available_features.add("no-cuda-driver")
if subprocess.run([config.onnx_python, "-c", "import onnx, onnxruntime"], capture_output=True, check=False,
                  env=dict(os.environ, PYTHONPATH=config.onnx_packages)).returncode == 0:
    config.available_features.add("onnxruntime")
# Writes models of ONNX from their text form; for tests with the feature "onnxruntime".
write_models = os.path.join(config.test_source_root, "translator/onnx/Inputs/write_models.py")
config.substitutions.append(
    ("%write_models", f"env PYTHONPATH={config.onnx_packages} {config.onnx_python} {write_models}"))
# Parts of a CUDA toolkit that proa-ptx finds.
if "PROA_CUDA_PATH" in os.environ:
    config.environment["PROA_CUDA_PATH"] = os.environ["PROA_CUDA_PATH"]
ptx_tool = os.path.join(config.proa_tools_dir, "proa-ptx")
if os.path.exists(ptx_tool):
    listing = subprocess.run([ptx_tool, "--toolkit"], capture_output=True, text=True, check=False).stdout
    parts = [line.split(": ")[0] for line in listing.splitlines() if ": " in line and "not found" not in line]
    if "nvJitLink" in parts and "ptxas" in parts:
        config.available_features.add("cuda-assembler")
    for part, feature in (("libdevice", "cuda-libdevice"), ("nvdisasm", "nvdisasm")):
        if part in parts:
            config.available_features.add(feature)
    for line in listing.splitlines():
        if line.startswith("libdevice: /"):
            config.substitutions.append(("%libdevice", line.split(": ", 1)[1]))
