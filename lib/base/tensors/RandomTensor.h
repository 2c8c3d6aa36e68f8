/// Random inputs of a program.
#pragma once

#include "proa/Tensor.h"

namespace proa {

/// A tensor of random values: floats uniform in [-1, 1), integers and bools 0 or 1 (valid indices of two
/// entries). The same seed and name give the same values.
Tensor randomTensor(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed);

/// As above for a parameter, scaled like initial values of layers: floats of rank 2 and more are divided by
/// the square root of the number of inputs, so that deep networks neither overflow nor amplify rounding;
/// other floats are in [0.1, 1], which is valid for variances and scales.
Tensor randomWeight(const std::string &name, DType dtype, std::vector<int64_t> dims, uint64_t seed);

} // namespace proa
