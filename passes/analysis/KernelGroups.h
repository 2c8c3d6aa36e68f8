/// Groups of primitives that one kernel computes. pd-form-kernels writes the kernels; pd-rematerialize
/// estimates by the groups which values get memory.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace proa {

/// Ops of one block that are computed by one loop nest over rows.
struct KernelGroup {
  /// In program order.
  llvm::SmallVector<mlir::Operation *> members;
  /// The shape of the widest values.
  llvm::SmallVector<int64_t> domain;
  /// Number of trailing dimensions that the group's reductions combine; 0 without reductions.
  int64_t reducedDims = 0;
  /// No op may join: an op outside of the group uses a result, so the group cannot be computed later.
  bool closed = false;
  /// Why the first member did not join the group of an operand; null if no operand is of a group.
  const char *startReason = nullptr;
};

/// Why no kernel can compute the op; null if a kernel can.
const char *whyNoKernelOp(mlir::Operation *op);

/// A constant of one element, which kernels hold in their code.
bool isInlineConstant(mlir::Value value);

/// The groups of a block, in the order of their last members. Linear in the number of operands.
llvm::SmallVector<std::unique_ptr<KernelGroup>> findKernelGroups(mlir::Block &block);

} // namespace proa
