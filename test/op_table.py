"""One table of all op programs: in how many Paddle's outputs equal the kernels', of decompositions alone, of the
reference evaluator, and of decompositions with dynamic dims.

Arguments: NAME=REPORT.json for each column, one or more reports of proa-check. Fails if a program of the first report
is missing in another, or agrees in the first and differs in another without being known (known failures are skipped).
--all NAME: in this column no program that agrees in the first may be skipped, except programs of --but PROGRAM.
"""

import argparse
import collections
import json
import os
import sys


def outcomes(path):
    """For each program of one op: its status."""
    with open(path, encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    found = {}
    for case in cases:
        parts = case["case"].split(os.sep)
        for top in ("corpus", "cases"):
            if top in parts:
                name = "/".join(parts[parts.index(top):])
                if name.startswith(("corpus/ops/", "cases/ops/")):
                    found[name] = case["status"]
    return found


def main(arguments):
    columns = {}
    parser = argparse.ArgumentParser()
    parser.add_argument("reports", nargs="+", metavar="NAME=REPORT.json")
    parser.add_argument("--all", action="append", default=[], metavar="NAME")
    parser.add_argument("--but", action="append", default=[], metavar="PROGRAM")
    options = parser.parse_args(arguments)
    for name, path in (argument.split("=", 1) for argument in options.reports):
        columns.setdefault(name, {}).update(outcomes(path))
    first = next(iter(columns))
    problems = []
    table = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for column, cases in columns.items():
        for name in columns[first]:
            status = cases.get(name)
            if status is None:
                problems.append(f"{name} is not in the report '{column}'")
            elif status == "failed" and columns[first][name] == "passed":
                problems.append(f"{name} agrees in '{first}' and differs in '{column}'")
            elif (status == "skipped" and columns[first][name] == "passed" and column in options.all
                  and name not in options.but):
                problems.append(f"{name} agrees in '{first}' and is skipped in '{column}'")
            table[name.split("/")[2]][column][status] += 1
    print(f"{'op':44}{'programs':>9}" + "".join(f"{column:>15}" for column in columns))
    totals = collections.Counter()
    for op in sorted(table):
        count = sum(table[op][first].values())
        passed = {column: table[op][column]["passed"] for column in columns}
        totals.update(passed, programs=count)
        print(f"{op:44}{count:>9}" + "".join(f"{passed[column]:>15}" for column in columns))
    print(f"{'all':44}{totals['programs']:>9}" + "".join(f"{totals[column]:>15}" for column in columns))
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems or not totals["programs"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
