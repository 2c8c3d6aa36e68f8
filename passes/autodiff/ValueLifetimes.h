/// How many bytes are alive while each op of a block runs.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace proa::autodiff {

/// The lifetimes of a block's values in program order, as the planner takes them: from the op that makes a
/// value to the last one that reads it or something with the same bytes. The block's arguments and constants
/// take no memory, neither does a value with dimensions that are not known. For the peak, primitives count as
/// the kernels that pd-form-kernels makes of them: all of a kernel runs where its last op stands, and what is
/// only read inside takes no memory.
class ValueLifetimes {
public:
  explicit ValueLifetimes(mlir::Block &block);

  /// The number of an op of the block, or of the one that it is in.
  size_t positionOf(mlir::Operation *op) const;
  /// The op at a position.
  mlir::Operation *at(size_t position) const { return ops[position]; }
  size_t size() const { return ops.size(); }
  /// The last op that reads the value, by any name; its own where nothing does.
  size_t lastUseOf(mlir::Value value) const;
  /// 0 for what takes no memory of its own.
  int64_t bytesOf(mlir::Value value) const;
  /// The value whose bytes these are.
  mlir::Value rootOf(mlir::Value value) const;

  int64_t peakBytes() const { return peak; }
  /// The first op during which that many bytes are alive.
  size_t peakPosition() const { return peakAt; }

private:
  void findPeak();

  mlir::Block &block;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, size_t> positions;
  llvm::DenseMap<mlir::Value, size_t> lastUse; ///< by root
  int64_t peak = 0;
  size_t peakAt = 0;
};

} // namespace proa::autodiff
