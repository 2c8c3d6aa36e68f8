#!/usr/bin/env python3
"""Checks which folders may include which (docs/architecture.md, "Folders and layers").

usage: layers.py ROOT
"""
import pathlib
import re
import sys

# Folder, pattern of includes that files below it may not have, exception.
RULES = [
    # Test formats belong to proa-check and to tests.
    ("lib", r"lib/check/", "lib/check/"),
    ("tools", r"lib/check/", "tools/proa-check/"),
    ("translator", r"lib/(check|compiler|runtime)/", None),
    ("dialects", r"(passes|translator|tools|lib/(?!base/(support|spmd|pipeline|target)/))", None),
    ("passes", r"(translator|tools|lib/(?!base/(support|spmd|pipeline|target)/|runtime/emulator/Codes))", None),
    ("python", r"((mlir|llvm|dialects|passes|tools)/|translator/(?!params)|"
               r"lib/(?!checkpoint|compiler/api/CheckpointLayout\.h))", None),
    ("include", r"(dialects|passes|translator|tools|lib|mlir)/", None),
    # These use neither MLIR nor LLVM. The tables that are generated from records do not either.
    ("lib/runtime", r"(mlir|llvm|dialects(?!/.*Kernels\.inc|/.*\.kernels\.inc)|passes|translator)/", None),
    ("lib/runtime", r"lib/(?!base|runtime)", None),
    ("lib/runtime/emulator",
     r"(dialects|tools)/|lib/(base/(?!support|target)|runtime/(?!emulator|plan/KernelCall))", None),
    ("lib/base", r"(mlir|llvm|dialects|passes|translator|tools)/|lib/(?!base)", "lib/base/support/"),
    ("lib/base/target", r"lib/base/(?!support|target)", None),
    ("lib/checkpoint", r"(mlir|llvm|dialects|passes|tools|translator/(?!params))/", None),
    ("lib/base/pipeline", r"lib/base/(?!pipeline|support)", None),
    ("lib/base/plan", r"lib/base/(?!plan/|spmd|pipeline|support|target)", None),
    ("lib/checkpoint/transform", r"(mlir|llvm|dialects|passes|translator)/", None),
    ("translator/legacy", r"(mlir|llvm|dialects|passes|translator/(?!legacy))/", None),
    ("translator/onnx", r"(mlir|llvm|dialects|passes|translator/(?!onnx|legacy/Report))/", None),
    ("translator/newir", r"(mlir|llvm|dialects|passes|translator/(?!newir))/", None),
    ("translator/program", r"(mlir|llvm|dialects|passes|translator/(?!legacy|newir|onnx|program))/", None),
    ("translator/params", r"(mlir|llvm|dialects|passes)/", None),
]
# Importers create ops by their class, or by a name from a table.
NAMED_OP = re.compile(r'createOp\([^)]*"pd\.|createByName\("')


def main():
    root = pathlib.Path(sys.argv[1])
    errors = []
    for folder, pattern, exception in RULES:
        forbidden = re.compile(rf'#include ["<]({pattern})')
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in {".h", ".cpp"} or (exception and name.startswith(exception)):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if forbidden.search(line):
                    errors.append(f"{name}:{number}: {folder}/ may not have: {line}")
    for path in sorted((root / "translator/import").rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if NAMED_OP.search(line):
                errors.append(f"{path.relative_to(root)}:{number}: creates an op by a literal name, expected its class")
    print("\n".join(errors))
    sys.exit(bool(errors))


main()
