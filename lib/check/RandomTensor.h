/// Inputs of a program for which there are none.
#pragma once

#include "proa/Tensor.h"

namespace proa::check {

/// A tensor of random values: floats even in [-1, 1), integers and bools 0 or 1 (valid as indices of anything
/// that has two entries). The same seed and name give the same values.
Tensor randomTensor(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed);

} // namespace proa::check
