/// Lifetimes of a block's values, and the bytes live during each op.
#pragma once

#include "mlir/IR/Block.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace proa::autodiff {

/// The lifetimes of a block's values in program order, as the planner computes them: from the op that defines
/// a value to the last op that reads it or an alias of it. Block arguments, constants and values with dynamic
/// dims take no memory. For the peak, primitives are grouped into the kernels that pd-form-kernels creates: a
/// kernel runs at the position of its last op, and values used only inside of it take no memory.
class ValueLifetimes {
public:
  explicit ValueLifetimes(mlir::Block &block);

  /// The position of an op of the block, or of the block's op that contains it.
  size_t positionOf(mlir::Operation *op) const;
  /// The op at a position.
  mlir::Operation *at(size_t position) const { return ops[position]; }
  size_t size() const { return ops.size(); }
  /// The position of the last op that reads the value or an alias of it; that of its definition if it is
  /// unused.
  size_t lastUseOf(mlir::Value value) const;
  /// The size of the value in bytes; 0 if it takes no memory of its own.
  int64_t bytesOf(mlir::Value value) const;
  /// The value of which this one is an alias; itself if it is none.
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
