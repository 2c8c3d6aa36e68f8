/// The formula of dropout in training.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/RandomShard.h"
#include "dialects/pd/ops/nn/DropoutOps.h"

namespace proa::pd {

/// Which elements of x are kept, as i1: those whose random number in [0, 1), in float32, is at least p. The
/// seed and the shard are as for pd.uniform.
Expression keepAtRandom(Expression x, Expression p, int64_t seed, mlir::Value seedTensor,
                        RandomShard shard = {});

/// x if `keep`, in mode upscale_in_train divided by 1 - p; else 0, also if x is not finite.
Expression keepMasked(Expression x, Expression keep, Expression p, DropoutMode mode);

} // namespace proa::pd
