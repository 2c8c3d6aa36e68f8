/// Reductions of numbers by their definition, as an oracle of meshes that a test simulates.
#pragma once

#include "lib/base/spmd/Placement.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

namespace proa::test {

inline double neutral(spmd::Reduction reduction) {
  switch (reduction) {
  case spmd::Reduction::Max:
    return -std::numeric_limits<double>::infinity();
  case spmd::Reduction::Min:
    return std::numeric_limits<double>::infinity();
  case spmd::Reduction::Prod:
  case spmd::Reduction::All:
    return 1;
  default:
    return 0;
  }
}

/// The reduction of real or complex terms; each must have the same weight in an average. Complex numbers
/// have no order: a maximum or minimum is real.
template <class Number> Number combine(spmd::Reduction reduction, const std::vector<Number> &terms) {
  Number result = neutral(reduction);
  for (const Number &term : terms)
    switch (reduction) {
    case spmd::Reduction::Sum:
    case spmd::Reduction::Avg:
      result += term;
      break;
    case spmd::Reduction::Max:
    case spmd::Reduction::Any:
      result = std::max(std::real(result), std::real(term));
      break;
    case spmd::Reduction::Min:
    case spmd::Reduction::All:
      result = std::min(std::real(result), std::real(term));
      break;
    case spmd::Reduction::Prod:
      result *= term;
      break;
    }
  return reduction == spmd::Reduction::Avg ? result / static_cast<double>(terms.size()) : result;
}

} // namespace proa::test
