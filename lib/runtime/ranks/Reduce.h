/// Combination of the terms of partial values.
#pragma once

#include "lib/base/spmd/Placement.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

namespace proa::runtime {

/// out[i] = the reduction of terms[0][i], terms[1][i], ... in this order. Sums of 16-bit floats are computed
/// in f32. `out` may be one of the terms. Error: the reduction does not take the dtype.
Result<void> reduceTerms(spmd::Reduction reduction, DType dtype, std::span<const void *const> terms,
                         int64_t count, void *out);

/// Writes the neutral element: 0 for sum and avg, 1 for prod, the least value (-inf) for max, the largest for
/// min, false for any, true for all. Error: as reduceTerms.
Result<void> fillNeutral(spmd::Reduction reduction, DType dtype, int64_t count, void *out);

} // namespace proa::runtime
