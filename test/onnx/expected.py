"""The lists of tests that fail: missing_ops.txt and expected_failures.tsv.

missing_ops.txt has an op a line: tests whose models use one of these may fail. Other tests must pass, or match a line
of expected_failures.tsv: a regular expression of the whole name, a category, and a reason, separated by tabs. A test
that matches must fail.
"""
import pathlib
import re
from dataclasses import dataclass

CATEGORIES = {
    "string": "tensors of strings",
    "sequence": "sequences or optionals as inputs or outputs of the model",
    "test": "the test is wrong",
    "type": "an element type that proa lacks",
    "unsupported": "refused with an error that says why",
    "wrong": "other numbers than expected",
    "todo": "to be fixed",
}
FAILURES_HEAD = "# test (regular expression)\tcategory\treason\n"


@dataclass
class Entry:
    pattern: str
    category: str
    reason: str

    def matches(self, name):
        return re.fullmatch(self.pattern, name) is not None


def read_entries(path):
    """The lines of expected_failures.tsv; ValueError with the line for a wrong one."""
    entries = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not fields[2]:
            raise ValueError(f"{path}:{number}: found {len(fields)} fields, expected test, category and reason")
        if fields[1] not in CATEGORIES:
            raise ValueError(f"{path}:{number}: unknown category '{fields[1]}', expected {', '.join(CATEGORIES)}")
        entries.append(Entry(*fields))
    return entries


class Expectations:
    def __init__(self, folder):
        self.failures_path = pathlib.Path(folder) / "expected_failures.tsv"
        self.missing_path = pathlib.Path(folder) / "missing_ops.txt"
        self.entries = read_entries(self.failures_path)
        self.missing_lines = self.missing_path.read_text().splitlines() if self.missing_path.exists() else []

    @property
    def missing(self):
        return {line for line in self.missing_lines if line and not line.startswith("#")}

    def entry_of(self, test):
        return next((entry for entry in self.entries if entry.matches(test.name)), None)

    def problems(self, verdicts):
        """Pairs of a test and what is unexpected about its verdict."""
        for verdict in verdicts:
            entry = self.entry_of(verdict.test)
            if entry and verdict.passed:
                yield verdict.test, f"passes, but {self.failures_path.name} lists it ({entry.category}: {entry.reason})"
            elif not entry and not verdict.passed and not verdict.test.ops & self.missing:
                yield verdict.test, f"fails and is not listed: {verdict.reason}"

    def update(self, verdicts):
        """Makes the lists agree with the verdicts. Tests that were not run keep their lines."""
        available = {op for verdict in verdicts if verdict.passed for op in verdict.test.ops}
        self.missing_lines = [line for line in self.missing_lines if line not in available]
        passing = [verdict.test.name for verdict in verdicts if verdict.passed]
        self.entries = [e for e in self.entries if not any(e.matches(name) for name in passing)]
        for test, _ in list(self.problems(verdicts)):
            verdict = next(v for v in verdicts if v.test is test)
            self.entries.append(Entry(re.escape(test.name).replace("\\-", "-"), verdict.category, verdict.reason))
        self.write()

    def write(self):
        lines = sorted({"\t".join((e.pattern, e.category, e.reason)) for e in self.entries})
        self.failures_path.write_text(FAILURES_HEAD + "".join(line + "\n" for line in lines))
        if self.missing:
            self.missing_path.write_text("".join(line + "\n" for line in self.missing_lines))
        else:
            self.missing_path.unlink(missing_ok=True)
