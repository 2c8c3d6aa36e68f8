#!/usr/bin/env python3
"""Compares proa, and its exports in Paddle, with the outputs of Paddle for the programs of sweep_attributes.py.

Writes the programs, runs proa-check on them, then run_in_paddle.py on those that agree. A value that proa refuses is
counted; one that it computes otherwise is an error, as is an export that Paddle computes otherwise or refuses. --known
lists the rest: "REGEX: reason", where the regular expression matches the folder of a program. Exits with 77 without
Paddle 2.6.

    judge_sweep.py --bin build/release/bin --known test/export/known-sweep.txt --corpus test/corpus/ops --out DIR
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def read_known(path):
    """Pairs of a regular expression and a reason."""
    lines = (line.strip() for line in path.read_text().splitlines())
    return [(re.compile(pattern), reason) for pattern, _, reason in
            (line.partition(": ") for line in lines if line and not line.startswith("#"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of proa-check and proa-translate")
    parser.add_argument("--known", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--corpus", type=pathlib.Path, nargs="*", default=[],
                        help="folders with cases; without any, the programs are in --out already")
    parser.add_argument("--sample", default="0/1", metavar="N/M", help="only each M-th op, from the N-th on")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the programs")
    options = parser.parse_args()
    if options.corpus:
        code = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("sweep_attributes.py"), "--jobs",
                               options.jobs, "--sample", options.sample, "--out", options.out, "--corpus",
                               *options.corpus], check=False).returncode
        if code != 0:
            return code
    known, errors, refused = read_known(options.known), 0, 0

    def judge(case, problem):
        name = pathlib.Path(case).resolve().relative_to(options.out.resolve()).as_posix()
        if any(pattern.search(name) for pattern, _ in known):
            return 0
        print(f"{name}: {problem}", flush=True)
        return 1

    with tempfile.TemporaryDirectory() as work:
        report, agreeing = pathlib.Path(work, "report.json"), pathlib.Path(work, "agreeing.txt")
        subprocess.run([options.bin / "proa-check", options.out, "--jobs", options.jobs, "--cache", "off",
                        "--no-optimize", "--json", report], stdout=subprocess.DEVNULL, check=False)
        cases = json.loads(report.read_text())["cases"]
        for case in cases:
            if case["status"] == "failed" and case["stage"] in ("read", "import", "compile"):
                refused += 1
            elif case["status"] == "failed":
                errors += judge(case["case"], "; ".join(p["message"] for p in case["problems"][:1]) or case["stage"])
        agreeing.write_text("\n".join(case["case"] for case in cases if case["status"] == "passed"))
        exports = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("run_in_paddle.py"), "--jobs",
                                  options.jobs, "--translate", options.bin / "proa-translate", f"@{agreeing}"],
                                 capture_output=True, text=True, check=False).stdout
        names = {case["case"] for case in cases}
        for case, _, problem in (line.partition(": ") for line in exports.splitlines()):
            errors += judge(case, "export: " + problem) if case in names else 0
    print(f"{len(cases)} programs: {refused} refused, {errors} wrong")
    return errors > 0 or not cases


if __name__ == "__main__":
    sys.exit(main())
