/// The op programs of the corpus as functions in float64, for tests of their derivatives.
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

/// Of a case, in float64.
struct Case {
  std::string text;
  Tensors arguments;
  std::vector<std::string> names; ///< of the arguments
  bool holdsGradients = false;
};

/// Nothing where the case can't be had in float64, or draws random numbers. With `dynamicDims` all dims of its
/// feeds are open.
std::optional<Case> caseAt(const std::string &folder, bool dynamicDims = false);

/// The numbers of a tensor of float64 or complex128: of a complex one real and imaginary parts.
std::span<const double> numbersOf(const Tensor &tensor);
std::span<double> numbersOf(Tensor &tensor);
/// The real part of the sum of conj(x) * y.
double dot(const Tensor &x, const Tensor &y);
/// x + step * direction.
Tensor moved(const Tensor &x, double step, const Tensor &direction);
Tensor randomLike(const Tensor &tensor, std::mt19937 &random);

/// Which of the tensors are float64 or complex128; nothing where one is a smaller float.
std::optional<std::vector<size_t>> floatsOf(const Tensors &tensors);
bool isFinite(const Tensor &tensor);
/// Other numbers for those of the tensor that are not finite, or so great that differences tell nothing.
void makeFinite(Tensor &tensor);
std::vector<std::vector<int64_t>> dimsOf(const Tensors &tensors);

/// Programs of corpus/ops, control and models and of cases, by their folders below the folder of tests. Every
/// twentieth; PROA_DERIVATIVES=all: all of them; another value: those whose path has it.
std::vector<std::string> chosenPrograms();

/// Programs that a test has nothing to say of stand in skipped.txt, each with the reason: one that begins to
/// be skipped, or no longer is, fails. Lines are "TEST,TEST,... PROGRAM  # reason"; PROA_SKIPPED=FILE appends
/// those that there should be to FILE instead.
class SkipList {
public:
  /// To be called once by each test of a program; `reason` is empty where it is not skipped. Whether it is
  /// skipped as expected.
  static bool agrees(const std::string &test, const std::string &program, const std::string &reason);
};

} // namespace proa::test
