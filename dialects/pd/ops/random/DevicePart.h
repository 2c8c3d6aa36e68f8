/// The part of a random tensor that a device samples.
#pragma once

#include "dialects/pd/sharding/LocalForm.h"

namespace proa::pd {

/// Vectors of int64: the index where the part begins in the whole tensor, and its dims.
struct DevicePart {
  mlir::Value begin, dims;
};

/// The part of a device in result 0 of an op.
DevicePart partOfResult(LocalFormBuilder &form, TensorBuilder &e);

} // namespace proa::pd
