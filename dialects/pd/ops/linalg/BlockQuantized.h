/// Matmuls with matrices of a few bits for each element.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/PartialLibrary.h"
#include "dialects/pd/ops/linalg/Contract.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/BlockQuantized.h.inc"

namespace proa::pd {

/// The first `count` numbers of `bits` bits in each row of bytes, the first number in the lowest bits, as
/// int32; all of them for `toTheEnd`.
Expression unpackBits(Expression bytes, int64_t bits, int64_t count);

} // namespace proa::pd
