/// Which primitives form one kernel: the grouping behind pd-form-kernels, apart from the rewriting.
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
  /// How many trailing dimensions the group's reductions combine; 0: it has none.
  int64_t reducedDims = 0;
  /// An op outside has used a result: the group can't be delayed any more, so nothing joins it.
  bool closed = false;
};

/// Whether kernels can compute the op at all.
bool isKernelOp(mlir::Operation *op);

/// A constant of one element, which kernels hold in their code.
bool isInlineConstant(mlir::Value value);

/// The groups of a block, in the order of their last members. Linear in the number of operands.
llvm::SmallVector<std::unique_ptr<KernelGroup>> findKernelGroups(mlir::Block &block);

} // namespace proa
