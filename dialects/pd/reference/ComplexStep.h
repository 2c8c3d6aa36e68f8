/// Complex-step derivatives: for an analytic f and an h whose square underflows, f'(x) = Im f(x + ih) / h,
/// without cancellation.
#pragma once

#include "dialects/pd/reference/Reference.h"

#include "llvm/ADT/STLExtras.h"

#include <complex>
#include <vector>

namespace proa::pd::complexstep {

using Number = std::complex<double>;
using Numbers = std::vector<Number>;

/// The most multiplications in all runs together, one run per input element: more would take too long.
constexpr int64_t maxWork = 100000000;

inline Numbers numbersOf(const Tensor &tensor) {
  Numbers out;
  for (int64_t i = 0; i < tensor.size(); ++i)
    out.push_back(realAt(tensor, i));
  return out;
}

inline void store(Tensor &tensor, const Numbers &values) {
  for (auto [i, value] : llvm::enumerate(values))
    setReal(tensor, static_cast<int64_t>(i), value.real());
}

/// The derivative of `loss` by each of `numbers`, which it reads by reference.
template <class Loss> Numbers derivative(Numbers &values, Loss loss) {
  constexpr double step = 1e-100;
  Numbers out;
  for (Number &value : values) {
    Number kept = value;
    value = kept + Number(0, step);
    out.push_back(Number(loss()).imag() / step);
    value = kept;
  }
  return out;
}

} // namespace proa::pd::complexstep
