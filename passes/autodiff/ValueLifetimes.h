/// Bytes that are alive while each op of a block runs.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace proa::autodiff {

/// The lifetimes of a block's values in program order, as in the planner: from the op that creates a value to
/// the last one that reads it or an alias. The block's arguments, constants and values with dynamic dims take
/// no memory. For the peak, primitives count as the kernels that pd-form-kernels forms: a kernel runs at the
/// position of its last op, and values that are only read inside of it take no memory.
class ValueLifetimes {
public:
  explicit ValueLifetimes(mlir::Block &block);

  /// The index of an op of the block, or of the op of the block that contains it.
  size_t positionOf(mlir::Operation *op) const;
  /// The op at a position.
  mlir::Operation *at(size_t position) const { return ops[position]; }
  size_t size() const { return ops.size(); }
  /// The last op that reads the value or an alias of it; its own op if none does.
  size_t lastUseOf(mlir::Value value) const;
  /// 0 for a value without memory of its own.
  int64_t bytesOf(mlir::Value value) const;
  /// The value that the value is an alias of, or itself.
  mlir::Value rootOf(mlir::Value value) const;

  int64_t peakBytes() const { return peak; }
  /// The position of the first op during which peakBytes() are live.
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
