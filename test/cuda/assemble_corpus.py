#!/usr/bin/env python3
"""Compiles the kernels of programs for CUDA chips and checks their machine code.

usage: assemble_corpus.py --bin FOLDER [--chips CHIP,...] [--in-turn CHIP,...] [--jobs N] FOLDER...

Each FOLDER is searched for programs: folders with meta.json, and files of MLIR with a function @main. Fails where a
program cannot be compiled, or a kernel has a spill, a stack frame or a note C75xx other than C7519
(lib/compiler/codegen/cuda/KernelResources.h). Prints the number of kernels that stay on the host, by reason. Exit code
77 without an assembler.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def dims_of_feeds(program):
    """NAME=DxD of each feed, from the header of the inputs."""
    if program.is_file():
        return []
    file = program / "inputs.safetensors"
    feeds = json.loads((program / "meta.json").read_text()).get("feeds", [])
    if not file.exists():
        return []
    content = file.read_bytes()
    header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
    return [f"{name}=" + "x".join(map(str, header[name]["shape"]))
            for name in feeds if name in header and header[name]["shape"]]


def problems_of(kernel):
    """What is wrong with the machine code of a kernel."""
    problems = [f"{kernel[field]} {field}" for field in ("spillBytes", "stackBytes") if kernel[field]]
    return problems + [note for note in kernel["notes"] if re.search(r"C75(?!19)\d\d", note)]


def check(tools, program, chips, cache):
    """The number of kernels, the reasons of those on the host, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        dims = dims_of_feeds(program)
        compiled = run(tools / "proa-compile", program, "-o", pathlib.Path(folder) / "plan", "--emit=plan",
                       "--target=cuda", "--chips=" + ",".join(chips), "--dump", folder, "--remarks=proa-.*",
                       *(["--dims", ",".join(dims)] if dims else []),
                       env={**os.environ, "PROA_CACHE_DIR": cache})
        hosts = re.findall(r"the kernel stays on the host: (.*)", compiled.stderr)
        if compiled.returncode:
            errors = [line for line in compiled.stderr.splitlines() if "error" in line][-3:]
            return 0, hosts, [f"{program}: " + "\n  ".join(errors)]
        errors, count = [], 0
        for chip in chips:
            for file in sorted((pathlib.Path(folder) / chip).glob("*.json")):
                kernel = json.loads(file.read_text())
                count += 1
                errors += [f"{program}, {chip}, {kernel['symbol']}: {problem}" for problem in problems_of(kernel)]
        return count, hosts, errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--chips", default="sm_80,sm_90a,sm_100a")
    parser.add_argument("--in-turn", metavar="CHIP,...", help="one of these too: the next one for each program")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    toolkit = run(options.bin / "proa-ptx", "--toolkit").stdout
    if not re.search(r"^(nvJitLink|ptxas): */", toolkit, re.M):
        print("no assembler for CUDA:\n" + toolkit)
        sys.exit(77)
    programs = sorted(meta.parent for folder in options.folders for meta in folder.rglob("meta.json"))
    programs += sorted(file for folder in options.folders for file in folder.rglob("*.mlir"))
    chips, in_turn = options.chips.split(","), itertools.cycle((options.in_turn or "").split(","))
    chips_of = {program: chips + [chip] * bool(chip) for program, chip in zip(programs, in_turn)}
    total, hosts, failures = 0, collections.Counter(), []
    # Programs share some kernels, which the cache assembles once.
    with tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kernels, reasons, errors in pool.map(lambda program: check(options.bin, program, chips_of[program], cache),
                                                programs):
            total += kernels
            hosts.update(re.sub(r"\d+", "N", reason) for reason in reasons)
            failures += errors
    print("\n".join(failures))
    print(f"{len(programs)} programs, {total} kernels for {', '.join(filter(None, [options.chips, options.in_turn]))}")
    for reason, count in hosts.most_common():
        print(f"  {count} kernels on the host: {reason}")
    print(f"{len(failures)} failures")
    sys.exit(bool(failures) or not programs)


main()
