#!/usr/bin/env python3
"""Finds figures of the hardware outside of lib/base/target (docs/target.md).

usage: hardware.py ROOT [--count]

A constant, a default of a member or an option of a pass is a figure of the hardware if its name has one of WORDS.
ALLOWED names those that are none, with the reason.
"""
import pathlib
import re
import sys

FOLDERS = ["passes", "dialects", "lib/compiler", "lib/base/spmd"]
WORDS = re.compile(
    r"bandwidth|latency|nanosecond|microsecond|clocks?|seconds|persecond|multiprocessor|flops|operationsper|perbyte"
    r"|assumed|dynamicdim|registers|cachebytes|sharedbytes|sharedmemorybytes|memorybytes"
    r"|fewblocks|manyblocks|mostblocks|manyterms|manylines|mostreads|librarymultiplications"
    r"|launch|leastbytesto|bucketto|chip\b|rate\b",
    re.IGNORECASE)
NUMBER = r"[-+(]*(?:double|int64_t)?\(?[0-9][0-9a-zA-Z_.'+-]*"
PATTERNS = [
    # constexpr int64_t name = 5, other = 6;
    re.compile(r"\bconstexpr\s+(?:double|float|u?int\w*|size_t|unsigned|auto)\s+(?P<names>[^;(){]*=[^;]*);"),
    # double member = 5e-6;
    re.compile(r"^\s+(?:double|int64_t)\s+(?P<names>\w+\s*=\s*" + NUMBER + r"[^;]*);", re.MULTILINE),
    # Option<"name", "name", "int64_t", "264"
    re.compile(r'Option<"(?P<option>\w+)",\s*"[\w-]+",\s*"\w+",\s*"(?P<value>[0-9][^"]*)"'),
    # static constexpr Chip chips[] = {
    re.compile(r"\bconstexpr\s+Chip\s+(?P<chips>\w+)\[\]"),
]
ASSIGNMENT = re.compile(r"(\w+)\s*=\s*(" + NUMBER + ")")
ALLOWED = {
    ("lib/compiler/codegen/cuda/KernelResources.h", "registers"): "the most that an instruction can name",
    ("passes/lower-gpu/MmaMatmul.cpp", "mostInRegisters"): "accumulators of a thread, of the 255 registers",
    ("lib/compiler/numerics/Samples.h", "dynamicDim"): "the size of dynamic dims in generated samples",
    ("lib/compiler/measure/MeasureTarget.cpp", "secondsInAll"): "the duration of a measurement",
    ("lib/compiler/plan/JudgePlans.cpp", "secondsOfOp"): "of the compiler, not of a program",
    ("lib/compiler/plan/JudgePlans.h", "seconds"): "as secondsOfOp",
    ("lib/base/spmd/Placement.h", "mostBlocks"): "blocks of a dimension, which bound the time of planning",
}


def figures(path, text):
    """The names of figures in a file, with their lines."""
    for pattern in PATTERNS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            line = text.count("\n", 0, match.start()) + 1
            if groups.get("chips"):
                yield line, groups["chips"]
            elif groups.get("option"):
                if WORDS.search(groups["option"]) and float(re.match(r"[0-9.]+", groups["value"]).group()) != 0:
                    yield line, groups["option"]
            else:
                for name, value in ASSIGNMENT.findall(groups["names"]):
                    if WORDS.search(name) and value.strip("-+(") not in {"0", "1", "1e9"}:
                        yield line, name


def main():
    root = pathlib.Path(sys.argv[1])
    found = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in {".h", ".cpp", ".td"}:
                found += [(name, line, figure) for line, figure in figures(name, path.read_text())
                          if (name, figure) not in ALLOWED]
    for name, line, figure in found:
        print(f"{name}:{line}: '{figure}' is a figure of the hardware; expected a fact of lib/base/target")
    if "--count" in sys.argv:
        print(len(found), "figures in", len({name for name, _, _ in found}), "files")
        return
    sys.exit(bool(found))


main()
