/// Inputs of a program for which there are none.
#pragma once

#include "proa/Tensor.h"

namespace proa::check {

/// A tensor of random values: floats even in [-1, 1), integers and bools 0 or 1 (valid as indices of anything
/// that has two entries). The same seed and name give the same values.
Tensor randomTensor(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed);

/// The same for a parameter, as large as layers are initialized with: floats of rank 2 and more are divided
/// by the square root of the number of inputs, so that deep networks neither overflow nor amplify rounding;
/// other floats are in [0.1, 1], where variances and scales are valid.
Tensor randomWeight(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed);

} // namespace proa::check
