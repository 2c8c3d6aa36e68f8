#!/usr/bin/env python3
"""Runs ONNX's tests of backends, and models of other frameworks, through proa-check. Compares with the lists of
expected failures.

  backend.py PROA-CHECK                         all 2,033 tests of the package onnx, and test/corpus/onnx
  backend.py PROA-CHECK --op Gemm,Conv          those whose models use one of these ops
  backend.py PROA-CHECK --filter test_loop --verbose
  backend.py PROA-CHECK --update                updates the lists (expected.py)
  backend.py PROA-CHECK --runtime onnxruntime   the same tests in ONNX Runtime, beside proa
  backend.py PROA-CHECK -- --decompose          further options of proa-check

The folder of --out gets the tests, and tests.tsv: test, op, verdict and reason of each. Ends with code 77, "skipped",
where Python lacks the package onnx.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass

SKIPPED = 77
FOLDER = pathlib.Path(__file__).parent

try:
    import suite
except ImportError as error:
    print(f"skipped: {error}; ./bootstrap.sh onnx installs it")
    sys.exit(SKIPPED)
import expected
import onnx_runtime


@dataclass
class Verdict:
    test: suite.Test
    passed: bool
    reason: str = ""  # of a failure: "import: Conv: ..."

    @property
    def category(self):
        """The category of a failure in the list of expected ones."""
        for words, category in (("strings", "string"), ("a sequence", "sequence"), ("an optional", "sequence"),
                                ("compare:", "wrong")):
            if words in self.reason:
                return category
        return "todo"


def reason_of(case):
    first = case["problems"][0] if case["problems"] else {"where": "", "message": "no reason"}
    # The reason does not name the folder of the test.
    where = re.sub(r"\S*/test_data_set_\d+/?|\S*/model\.onnx:? ?", "", first["where"])
    text = f"{case['stage']}: {where}{': ' if where else ''}{first['message']}"
    return " ".join(text.split())[:200]


def run_in_proa(tests, folder, arguments):
    report = folder.parent / "report.json"
    command = [arguments.check, str(folder), "--jobs", str(arguments.jobs), "--timeout", "60", "--json", str(report),
               "--reasons", "0", *arguments.options]
    report.unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    if not report.exists():
        sys.exit(f"proa-check failed:\n{done.stdout}{done.stderr}")
    cases = defaultdict(list)
    for case in json.loads(report.read_text())["cases"]:
        cases[str(pathlib.Path(case["case"]).parent.relative_to(folder))].append(case)
    verdicts = []
    for test in tests:
        failed = [case for case in cases[test.name] if case["status"] == "failed"]
        verdicts.append(Verdict(test, not failed, reason_of(failed[0]) if failed else ""))
    return verdicts


def run_in_onnx_runtime(tests, folder, arguments):
    requests = []
    for test in tests:
        place = folder / test.name
        tolerances = {"rtol": 1e-3, "atol": 1e-7}
        if (place / "data.json").exists():
            tolerances |= json.loads((place / "data.json").read_text())
        requests.append({"model": str(place / "model.onnx"), **tolerances,
                         "data_sets": sorted(map(str, place.glob("test_data_set_*")))})
    answers = onnx_runtime.ask_all(requests, arguments.jobs)
    return [Verdict(test, answer is None, answer or "") for test, answer in zip(tests, answers)]


def write_table(path, verdicts, others):
    """One line for each test."""
    with path.open("w") as file:
        print("test", "op", "proa", *(["onnxruntime"] if others else []), "reason", sep="\t", file=file)
        for i, verdict in enumerate(verdicts):
            columns = [verdict] + ([others[i]] if others else [])
            print(verdict.test.name, verdict.test.op, *("pass" if v.passed else "fail" for v in columns),
                  verdict.reason, sep="\t", file=file)


def print_summary(verdicts, others):
    """A line for each op with failures, and the sums."""
    rows = defaultdict(lambda: [0, 0, 0])
    first = {}
    for i, verdict in enumerate(verdicts):
        for name in (verdict.test.op, "all"):
            rows[name][0] += 1
            rows[name][1] += verdict.passed
            rows[name][2] += bool(others) and others[i].passed
        if not verdict.passed:
            first.setdefault(verdict.test.op, f"{verdict.test.name}: {verdict.reason}")
    print(f"{'op':34} {'tests':>6} {'proa':>6}{'   ort' if others else ''}  first failure")
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        total, passed, other = rows[name]
        if passed < total or name == "all":
            print(f"{name:34} {total:6} {passed:6}{f'{other:6}' if others else ''}  {first.get(name, '')[:130]}")


def arguments_of(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", help="the program proa-check")
    parser.add_argument("--op", help="only tests whose models use one of these ops", metavar="OP,...")
    parser.add_argument("--filter", help="only tests whose name matches", metavar="REGEX", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER.parent.parent / "build/onnx-backend",
                        help="folder of tests and results; tests in it are removed first")
    parser.add_argument("--runtime", choices=["onnxruntime"], help="runs the tests in this runtime, too")
    parser.add_argument("--update", action="store_true", help="updates the lists of expected failures")
    parser.add_argument("--verbose", action="store_true", help="prints each failure")
    parser.add_argument("options", nargs="*", help="options of proa-check, after --")
    return parser.parse_args(argv)


def main():
    arguments = arguments_of(sys.argv[1:])
    ops = set((arguments.op or "").split(",")) - {""}
    pattern = re.compile(arguments.filter)
    folder = (arguments.out / "tests").absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    tests = suite.write_suite(folder, lambda test: (not ops or ops & test.ops or test.op in ops) and
                              pattern.search(test.name))
    if not tests:
        sys.exit("no test is selected")
    verdicts = run_in_proa(tests, folder, arguments)
    others = run_in_onnx_runtime(tests, folder, arguments) if arguments.runtime else None
    write_table(arguments.out / "tests.tsv", verdicts, others)
    print_summary(verdicts, others)
    if arguments.verbose:
        for i, verdict in enumerate(verdicts):
            if not verdict.passed:
                other = f" [onnxruntime: {others[i].reason or 'passes'}]" if others else ""
                print(f"{verdict.test.name}: {verdict.reason}{other}")
    expectations = expected.Expectations(FOLDER)
    if arguments.update:
        expectations.update(verdicts)
    problems = list(expectations.problems(verdicts))
    for test, problem in problems:
        print(f"{test.name}: {problem}")
    passed = sum(verdict.passed for verdict in verdicts)
    print(f"{passed} of {len(verdicts)} tests pass, {len(verdicts) - passed} fail, {len(problems)} unexpectedly")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
