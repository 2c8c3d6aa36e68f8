#!/usr/bin/env python3
"""Checks that tests cover the op records of pd and dist (docs/testing.md, "Coverage of the op records").

usage: check_coverage.py --source DIR --records FILE --tblgen PROGRAM --mlir-include DIR [--update]

For each record group dialects/pd/ops/<family>/<Group>.td
- each op occurs in test/dialects/pd/<family>/<group>.mlir,
- each numbered constraint of each op has a negative test in test/dialects/pd/<family>/<group>-invalid.mlir, and
- each error of type inference in dialects/pd/ops cites a constraint: its text begins with "C1: ".
Each .cpp file of a family is named after what it has: <Group>.cpp; <Group>[<What>]<Concern>.cpp with a concern of
CONCERNS; <Concern>.cpp for several groups; or <Name>.cpp with a header <Name>.h.
The dialect dist has one group, dialects/dist/Ops.td, with test/dialects/dist/ops.mlir and ops-invalid.mlir.
missing.txt lists what has no test yet. What is missing and not listed is an error, and so is an entry that has a test
or names nothing: the list can only shrink. --update removes such entries, and adds none.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path("test/dialects/pd")
DIST = "dist/Ops"
MISSING = pathlib.Path("test/dialects/missing.txt")
EXPECTED_ERROR = re.compile(r"expected-error(?:-re)?\s*(?:@([-+]?\w+))?\s*(?:\d+\s*)?\{\{(.*)\}\}")
# Errors of MLIR, about types that a record declares or infers: they have no number.
ERROR_OF_MLIR = re.compile(r"(op )?(inferred type|operand #|result #|attribute '|requires|expected)|'pd\.[\w.]+' op ")
# Functions that report an error of type inference; their message is a string literal of the call, or a stream `text`
# that the lines before the call fill. `constraint` is a parameter with the number.
REPORTS = ("inferenceError", "require", "typesError", "notationError")
NUMBER = re.compile(r'"C\d+: |\b\w*[cC]onstraint\b|\bmessage\b|\bpieces\b|\bnumber \+ ')
CONCERNS = ("Batching", "Element", "Formula", "Gradient", "Inference", "Reference", "Sharding", "Threads")
HEAD = ("# Ops without a test in the file of their group, and numbered constraints without a negative test.\n"
        "# test/dialects/check_coverage.py --update removes lines; add none: write the test.\n")


def file_stem(group):
    """ReduceAs -> reduce-as"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", group).lower()


def dialect_of(group):
    return "dist" if group == DIST else "pd"


def test_stem(group):
    """The path of the tests of a group, without .mlir."""
    if group == DIST:
        return pathlib.Path("test/dialects/dist/ops")
    family, name = group.split("/")
    return FOLDER / family / file_stem(name)


def ops_of_group(options, group):
    """Maps the mnemonics of a group's ops to the numbers of their constraints."""
    record = options.source / "dialects" / (f"{group}.td" if group == DIST else f"pd/ops/{group}.td")
    done = subprocess.run([options.tblgen, "--dump-json", "-I", options.source, "-I", options.mlir_include, record],
                          capture_output=True, text=True, check=True)
    records = json.loads(done.stdout)
    dialect = f"{dialect_of(group).capitalize()}_Dialect"
    ops = {}
    for name in records["!instanceof"].get("Op", []):
        op = records[name]
        # Records of included files belong to other groups.
        if op["opDialect"]["def"] != dialect or op["!locs"][0].split(":")[0] != record.name:
            continue
        ops[op["opName"]] = [re.match(r"C\d+", text).group() for text in op.get("constraints", [])]
    return ops


def code_of(line):
    return line.split("//")[0]


def mentions(line, op, dialect):
    return re.search(rf"\b{dialect}\.{re.escape(op)}(?![\w.])", code_of(line)) is not None


def lines_of_test(path, checker):
    """The lines of a lit test whose output or diagnostics `checker` checks; none where it does not."""
    lines = path.read_text().splitlines() if path.exists() else []
    return lines if any("RUN:" in line and checker in line for line in lines) else []


def is_used(path, op, dialect="pd"):
    return any(mentions(line, op, dialect) for line in lines_of_test(path, "FileCheck"))


def target_line(number, place):
    """The line that a diagnostic expected on line `number` is reported at; none for an unknown location."""
    if place is None:
        return number
    if place == "unknown":
        return None
    if place in ("above", "below"):
        return number + (1 if place == "below" else -1)
    return number + int(place)


def negative_tests(path):
    """Yields for each expected error of a file the name of its function, its message and the line it is reported at."""
    lines = lines_of_test(path, "--verify-diagnostics")
    function = ""
    for number, line in enumerate(lines):
        if "func.func" in code_of(line):
            function = re.search(r"@([\w.]+)", line).group(1)
        for place, message in EXPECTED_ERROR.findall(line):
            target = target_line(number, place or None)
            if target is not None and 0 <= target < len(lines):
                yield function, message, lines[target]


def is_cited(tests, op, number, dialect="pd"):
    """Whether a test of the op cites a constraint.

    Its message cites it, "C1: ...", or, for an error of MLIR, the name of its function: <op>_c1[_<what>].
    """
    name = re.compile(rf"{re.escape(op.replace('.', '_'))}_{number.lower()}(?!\d)")
    for function, message, line in tests:
        cited = re.findall(r"(?<!\w)(C\d+): ", message)
        is_named = not cited and ERROR_OF_MLIR.match(message) and name.match(function)
        if mentions(line, op, dialect) and (number in cited or is_named):
            return True
    return False


def missing_of_group(options, group):
    """What the tests of a group lack, and how many ops and constraints it has."""
    dialect = dialect_of(group)
    stem = options.source / test_stem(group)
    ops = ops_of_group(options, group)
    tests = list(negative_tests(stem.with_name(stem.name + "-invalid.mlir")))
    missing = []
    for op, constraints in ops.items():
        if not is_used(stem.with_suffix(".mlir"), op, dialect):
            missing.append(f"{group} {dialect}.{op}")
        missing += [f"{group} {dialect}.{op} {number}" for number in constraints
                    if not is_cited(tests, op, number, dialect)]
    return missing, len(ops), sum(map(len, ops.values()))


def calls_of(text, function):
    """Yields offset and arguments of each call or declaration of a function."""
    for match in re.finditer(rf"(?<![\w:]){function}\(", text):
        end, depth, quoted = match.end(), 1, False
        while depth:
            if text[end] == '"' and text[end - 1] != "\\":
                quoted = not quoted
            elif not quoted:
                depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        yield match.start(), text[match.end():end - 1]


def unnumbered_errors(text):
    """The lines of a C++ file with an error of type inference that cites no constraint."""
    lines = text.split("\n")
    for function in REPORTS:
        for offset, arguments in calls_of(text, function):
            line = text.count("\n", 0, offset) + 1
            is_stream = re.search(r",\s*text\s*$", arguments)
            if not NUMBER.search("\n".join(lines[max(0, line - 15):line]) if is_stream else arguments):
                yield line


def find_unnumbered_errors(source):
    for path in sorted((source / "dialects/pd/ops").rglob("*")):
        if path.suffix in (".cpp", ".h"):
            for line in unnumbered_errors(path.read_text()):
                yield f"{path.relative_to(source)}:{line}"


def find_misnamed_files(folder):
    """The .cpp files of the op families whose names do not say what they have."""
    for family in sorted(path for path in folder.iterdir() if path.is_dir()):
        groups = [path.stem for path in family.glob("*.td")]
        for path in sorted(family.glob("*.cpp")):
            has_concern = path.stem.endswith(CONCERNS)
            is_of_group = any(path.stem == group or path.stem.startswith(group) and has_concern for group in groups)
            if not (is_of_group or path.stem in CONCERNS or path.with_suffix(".h").exists()):
                yield path


def read_missing(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def explain(entry):
    group, op, *number = entry.split()
    file = test_stem(group)
    if number:
        return f"{op} has no negative test of {number[0]} in {file}-invalid.mlir"
    return f"{op} does not occur in {file}.mlir"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--records", type=pathlib.Path, required=True, help="the build's dialects/pd/Records.txt")
    parser.add_argument("--tblgen", required=True, help="llvm-tblgen")
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    groups = options.records.read_text().split() + [DIST]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda group: missing_of_group(options, group), groups))
    missing = {entry for entries, _, _ in found for entry in entries}
    path = options.source / MISSING
    listed = read_missing(path)
    if options.update:
        kept = sorted(missing if not path.exists() else missing.intersection(listed))
        path.write_text(HEAD + "".join(entry + "\n" for entry in kept))
        listed = kept
    problems = [f"error: {explain(entry)}" for entry in sorted(missing.difference(listed))]
    problems += [f"error: {MISSING}: '{entry}' has a test or does not exist: remove the line (or run --update)"
                 for entry in listed if entry not in missing]
    problems += [f"error: {place}: the error cites no constraint: begin it with 'C<number>: '"
                 for place in find_unnumbered_errors(options.source)]
    problems += [f"error: {path.relative_to(options.source)}: name it <Group>[<What>]<Concern>.cpp, with one of: "
                 + ", ".join(CONCERNS) for path in find_misnamed_files(options.source / "dialects/pd/ops")]
    for problem in problems:
        print(problem)
    ops, constraints = (sum(column) for column in list(zip(*found))[1:])
    ops_missing = sum(len(entry.split()) == 2 for entry in missing)
    cited = constraints - len(missing) + ops_missing
    print(f"{ops - ops_missing} of {ops} ops and {cited} of {constraints} constraints have tests; "
          f"{len(listed)} entries in {MISSING}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
