/// Types in the signatures of the dialect's op interfaces.
#pragma once

#include "mlir/IR/Value.h"

namespace proa::pd {

class Batcher;             // dialects/pd/autodiff/Batching.h
class RandomState;         // dialects/pd/reference/RandomStream.h
class ShardingRuleBuilder; // dialects/pd/sharding/ShardingRule.h

/// The batched form of a value: the same value for all examples, or one with a leading batch dimension.
struct Batched {
  Batched(mlir::Value value, bool isBatched = true) : value(value), isBatched(isBatched) {}
  mlir::Value value;
  bool isBatched;
};

} // namespace proa::pd
