#!/usr/bin/env python3
"""Tests of expected.py."""
import pathlib
import tempfile
import unittest
from dataclasses import dataclass

import expected


@dataclass
class Test:
    name: str
    ops: frozenset


@dataclass
class Verdict:
    test: Test
    passed: bool
    reason: str = "import: no op"
    category: str = "todo"


def verdict(name, ops, passed):
    return Verdict(Test(name, frozenset(ops)), passed)


class ExpectedTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def lists(self, failures="", missing=""):
        (self.folder / "expected_failures.tsv").write_text(failures)
        (self.folder / "missing_ops.txt").write_text(missing)
        return expected.Expectations(self.folder)

    def problems(self, lists, *verdicts):
        return [f"{test.name} {problem}" for test, problem in lists.problems(verdicts)]

    def test_unlisted_failure_is_a_problem(self):
        self.assertEqual(self.problems(self.lists(), verdict("a", ["Abs"], False), verdict("b", ["Abs"], True)),
                         ["a fails and is not listed: import: no op"])

    def test_listed_failure_must_fail(self):
        lists = self.lists("node/a.*\tstring\tstrings\n")
        self.assertEqual(self.problems(lists, verdict("node/a1", ["Abs"], False)), [])
        self.assertEqual(self.problems(lists, verdict("node/a1", ["Abs"], True)),
                         ["node/a1 passes, but expected_failures.tsv lists it (string: strings)"])

    def test_pattern_matches_whole_names(self):
        self.assertEqual(len(self.problems(self.lists("a\ttodo\tx\n"), verdict("ab", ["Abs"], False))), 1)

    def test_models_with_missing_ops_may_fail(self):
        lists = self.lists(missing="# math\nAbs\n")
        self.assertEqual(self.problems(lists, verdict("a", ["Abs", "Add"], False)), [])
        self.assertEqual(len(self.problems(lists, verdict("a", ["Add"], False))), 1)

    def test_update_removes_what_passes_and_adds_what_fails(self):
        lists = self.lists("a\ttodo\tx\nother\ttest\twrong\n", "# math\nAbs\nAdd\n")
        verdicts = [verdict("a", ["Abs"], True), verdict("node/b-c", ["Abs"], False), verdict("d", ["Add"], False)]
        lists.update(verdicts)
        again = expected.Expectations(self.folder)
        self.assertEqual(self.problems(again, *verdicts), [])
        self.assertEqual(again.missing, {"Add"})
        self.assertEqual([(e.pattern, e.reason) for e in again.entries],
                         [("node/b-c", "import: no op"), ("other", "wrong")])

    def test_wrong_lines_are_errors(self):
        for line, message in (("a\ttodo\n", "found 2 fields"), ("a\tsoon\tx\n", "unknown category 'soon'")):
            with self.assertRaisesRegex(ValueError, message):
                self.lists(line)


if __name__ == "__main__":
    unittest.main()
