/// The shard of a random tensor that a device samples.
#pragma once

#include "dialects/pd/sharding/LocalForm.h"

namespace proa::pd {

/// Vectors of int64: the index where the shard begins in the whole tensor, and its dims.
struct DeviceShard {
  mlir::Value begin, dims;
};

/// The shard of a device in result 0 of an op.
DeviceShard shardOfResult(LocalFormBuilder &form, TensorBuilder &e);

} // namespace proa::pd
