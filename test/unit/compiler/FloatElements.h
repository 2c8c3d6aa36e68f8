//! Elements of results in tests.
#pragma once

#include "proa/Tensor.h"

#include <vector>

namespace proa {

inline std::vector<float> elementsOf(const Tensor &tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

} // namespace proa
