/// Shared functions of the batching rules of ops that index.
#pragma once

#include "dialects/pd/autodiff/BatchingRules.h"

namespace proa::pd {

/// The rows of `index`, which is batched, each with the number of its example before it.
Expression withExample(Batcher &batcher, TensorBuilder &e, Expression index);

} // namespace proa::pd
