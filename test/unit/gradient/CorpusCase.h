/// Op programs of the corpus as functions in float64, for tests of their derivatives.
#pragma once

#include "proa/Autodiff.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace proa::test {

using Tensors = std::vector<Tensor>;

/// A case in float64.
struct Case {
  std::string text;
  Tensors arguments;
  std::vector<std::string> names; ///< of the arguments
  bool holdsGradients = false;
};

/// Nothing if the case cannot be converted to float64 or is random. With `dynamicDims` all dims of its feeds
/// are dynamic.
std::optional<Case> caseAt(const std::string &folder, bool dynamicDims = false);

/// The first step of a training program, with its weights before it. Nothing as for caseAt.
std::optional<Case> trainingCaseAt(const std::string &folder);

/// The elements of a float64 or complex128 tensor; of a complex number real and imaginary component.
std::span<const double> numbersOf(const Tensor &tensor);
std::span<double> numbersOf(Tensor &tensor);
/// The real part of the sum of conj(x) * y.
double dot(const Tensor &x, const Tensor &y);
/// x + step * direction.
Tensor moved(const Tensor &x, double step, const Tensor &direction);
Tensor randomLike(const Tensor &tensor, std::mt19937 &random);

/// Whether each tensor is float64 or complex128; nothing if one is a smaller float.
std::optional<std::vector<size_t>> floatsOf(const Tensors &tensors);
bool isFinite(const Tensor &tensor);
/// Replaces elements that are not finite, or too large for differences.
void makeFinite(Tensor &tensor);
std::vector<std::vector<int64_t>> dimsOf(const Tensors &tensors);

/// Programs of corpus/ops, control and models and of cases, by their folder below test/: all, or those whose
/// path contains the value of PROA_DERIVATIVES.
std::vector<std::string> chosenPrograms();

/// skipped.txt lists the programs that a test skips, with reasons: a test that starts or stops to skip a
/// program fails. Lines are "TEST,TEST,... PROGRAM  # reason"; PROA_SKIPPED=FILE appends the correct lines to
/// FILE instead.
class SkipList {
public:
  /// To be called once by each test of a program; `reason` is empty if it is not skipped. Returns whether
  /// that agrees with the list.
  static bool agrees(const std::string &test, const std::string &program, const std::string &reason);
};

} // namespace proa::test
