/// Shards of random tensors: an element depends on its index in the whole tensor only.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

#include <optional>

#include <string>

namespace proa::pd {

/// The shard of a tensor of the dims `whole` that begins at the index `begin`, a vector of integers. Without
/// `whole` a tensor is whole.
struct RandomShard {
  mlir::Value begin;
  llvm::ArrayRef<int64_t> whole;
};

/// Whether `whole` has an entry for each of `rank` dimensions, and `begin` is a vector of as many integers;
/// or both are absent.
bool isShard(mlir::Value begin, llvm::ArrayRef<int64_t> whole, int64_t rank);
/// The message where isShard() does not hold.
std::string expectedShard(int64_t rank);
/// The constraint isShard() of ops that sample a shard of a tensor, with its label.
mlir::LogicalResult checkShard(std::optional<mlir::Location> location, mlir::Value begin,
                               llvm::ArrayRef<int64_t> whole, int64_t rank,
                               llvm::StringRef constraint = "C5");

} // namespace proa::pd
