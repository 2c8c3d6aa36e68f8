#!/usr/bin/env python3
"""Compiles the kernels of programs for CUDA chips and checks their machine code.

usage: assemble_corpus.py --bin FOLDER [--chips CHIP,...] [--jobs N] FOLDER...

Each FOLDER is searched for programs (folders with meta.json). Fails where a kernel cannot be lowered or assembled, or
has a spill, a stack frame or a note C75xx (`proa-ptx --check`). Prints the number of kernels that stay on the host,
by reason. Exit code 77 without an assembler.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def check(tools, program, chips):
    """The number of kernels, the reasons of those on the host, and the errors."""
    with tempfile.TemporaryDirectory() as folder:
        dumps, device = pathlib.Path(folder) / "dumps", pathlib.Path(folder) / "device.mlir"
        dumped = run(tools / "proa-run", program, "--target=cuda-emulated", "--dump", dumps, "--cache", "off")
        linalg = dumps / "2-linalg.mlir"
        if not linalg.exists():
            return 0, [], [f"{program}: no kernels: {dumped.stderr.strip()[-300:]}"]
        if "proa.kernel" not in linalg.read_text():
            return 0, [], []
        lowered = run(tools / "proa-opt", linalg, "--proa-lower-gpu-kernels", "--remarks=proa-.*", "-o", device)
        if lowered.returncode:
            return 0, [], [f"{program}: {lowered.stderr.strip()[-500:]}"]
        hosts = re.findall(r"the kernel stays on the host: (.*)", lowered.stderr)
        kernels = device.read_text().count("nvvm.kernel")
        errors = []
        for chip in chips if kernels else []:
            assembled = run(tools / "proa-ptx", device, "--chip", chip, "--check", "--emit=resources")
            if assembled.returncode:
                errors.append(f"{program}, {chip}: {assembled.stderr.strip()[-800:]}")
        return kernels, hosts, errors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--chips", default="sm_80,sm_90a,sm_100a")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    toolkit = run(options.bin / "proa-ptx", "--toolkit").stdout
    if not re.search(r"^(nvJitLink|ptxas): */", toolkit, re.M):
        print("no assembler for CUDA:\n" + toolkit)
        sys.exit(77)
    programs = sorted(meta.parent for folder in options.folders for meta in folder.rglob("meta.json"))
    chips = options.chips.split(",")
    total, hosts, failures = 0, collections.Counter(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for kernels, reasons, errors in pool.map(lambda program: check(options.bin, program, chips), programs):
            total += kernels
            hosts.update(re.sub(r"\d+", "N", reason) for reason in reasons)
            failures += errors
    print("\n".join(failures))
    print(f"{len(programs)} programs, {total} kernels for {', '.join(chips)}")
    for reason, count in hosts.most_common():
        print(f"  {count} kernels on the host: {reason}")
    print(f"{len(failures)} failures")
    sys.exit(bool(failures) or not programs)


main()
