/// Derivatives by the complex step: at x + ih, with h so small that h * h vanishes, the imaginary part of an
/// analytic function is h times its derivative, without cancellation.
#pragma once

#include "dialects/pd/reference/Reference.h"

#include "llvm/ADT/STLExtras.h"

#include <complex>
#include <vector>

namespace proa::pd::complexstep {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

/// There is one run for each element of an input: those with more products than this take too long.
constexpr int64_t maxWork = 100000000;

inline Numbers numbersOf(const Tensor &tensor) {
  Numbers out;
  for (int64_t i = 0; i < tensor.size(); ++i)
    out.push_back(realAt(tensor, i));
  return out;
}

inline void store(Tensor &tensor, const Numbers &numbers) {
  for (auto [i, number] : llvm::enumerate(numbers))
    setReal(tensor, static_cast<int64_t>(i), number.real());
}

/// The derivative of `loss` by each of `numbers`, which it reads.
template <class Loss> Numbers derivative(Numbers &numbers, Loss loss) {
  constexpr double step = 1e-100;
  Numbers out;
  for (Number &number : numbers) {
    Number kept = number;
    number = kept + Number(0, step);
    out.push_back(Number(loss()).imag() / step);
    number = kept;
  }
  return out;
}

} // namespace proa::pd::complexstep
