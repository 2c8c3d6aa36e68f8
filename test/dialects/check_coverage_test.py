#!/usr/bin/env python3
"""Tests of the rules of check_coverage.py."""
import pathlib
import tempfile
import unittest

from check_coverage import file_stem, find_misnamed_files, is_cited, is_used, negative_tests, unnumbered_errors

NEGATIVE = """// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @by_message(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: x must have rank 2}}
  %0 = pd.foo %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @foo_c2_axis(%x: tensor<2xf32>) {
  // expected-error @below {{'pd.foo' op inferred type(s) 'f32' are incompatible}}
  %0 = "pd.foo"(%x) <{axis = 7 : i64}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @foo_c3(%x: tensor<2xf32>) {
  // expected-error @+1 {{C1: x must have rank 2}}
  %0 = pd.foo %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @foo_c4(%x: tensor<2xf32>) {
  // expected-error @+1 {{wrong}}
  %0 = pd.foo_bar %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}
"""


class Coverage(unittest.TestCase):
    def write(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "test.mlir"
        path.write_text(text)
        return path

    def cited(self, number, text=NEGATIVE):
        return is_cited(list(negative_tests(self.write(text))), "foo", number)

    def test_stem(self):
        self.assertEqual(file_stem("ReduceAs"), "reduce-as")

    def test_names_of_files(self):
        with tempfile.TemporaryDirectory() as name:
            family = pathlib.Path(name) / "shape"
            family.mkdir()
            for file in ("Slice.td", "Slice.cpp", "SliceGradient.cpp", "SlicePiecesFormula.cpp", "Sharding.cpp",
                         "DimSize.cpp", "DimSize.h", "SlicePieces.cpp", "PiecesFormula.cpp"):
                (family / file).touch()
            found = [path.name for path in find_misnamed_files(pathlib.Path(name))]
        self.assertEqual(found, ["PiecesFormula.cpp", "SlicePieces.cpp"])

    def test_citations(self):
        self.assertTrue(self.cited("C1"))
        self.assertTrue(self.cited("C2"))
        self.assertFalse(self.cited("C3"), "the message cites C1")
        self.assertFalse(self.cited("C4"), "the error is at another op")
        self.assertFalse(self.cited("C5"))

    def test_only_errors_of_mlir_need_no_number(self):
        self.assertFalse(self.cited("C2", NEGATIVE.replace("'pd.foo' op inferred type(s)", "axis 7 is outside")))

    def test_unnumbered_errors(self):
        text = ('  return inferenceError(location, "C1: axis (" + x + ") is wrong");\n'
                '  return inferenceError(location, "axis is wrong");\n'
                '  return inferenceError(location, constraint + ": axis is wrong");\n'
                '  stream << "C2: wrong " << x;\n  return inferenceError(location, text);\n')
        self.assertEqual(list(unnumbered_errors(text)), [2])

    def test_two_digits(self):
        text = NEGATIVE.replace("C1: x", "C12: x").replace("foo_c2_axis", "foo_c25")
        self.assertFalse(self.cited("C1", text))
        self.assertFalse(self.cited("C2", text))
        self.assertTrue(self.cited("C12", text))
        self.assertTrue(self.cited("C25", text))

    def test_diagnostics_must_be_verified(self):
        self.assertFalse(self.cited("C1", NEGATIVE.replace(" --verify-diagnostics", "")))

    def test_uses(self):
        text = "// RUN: proa-opt %s | FileCheck %s\n// pd.foo\n%0 = pd.foo_bar %x\n%1 = pd.foo.bar %x\n"
        self.assertFalse(is_used(self.write(text), "foo"))
        self.assertTrue(is_used(self.write(text + '%2 = "pd.foo"(%x)\n'), "foo"))
        self.assertFalse(is_used(self.write("%2 = pd.foo %x\n"), "foo"), "nothing is checked")


if __name__ == "__main__":
    unittest.main()
