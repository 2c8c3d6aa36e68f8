/// Strategies of a kernel: requested by proa-tune, its database or an attribute, or chosen by
/// passes.
#pragma once

#include "dialects/proa/Strategies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The strategies of a kernel and of its ops on tensors after the passes that choose them: first
/// `#proa.launch`, then the strategies of the ops in their order.
llvm::SmallVector<mlir::Attribute> strategiesOf(mlir::func::FuncOp kernel);

/// The strategies of loops on memory, `#proa.loops`, without the loops that a contraction contains.
llvm::SmallVector<mlir::Attribute> loopsOf(mlir::func::FuncOp kernel);

/// Requests such strategies for a kernel before these passes.
void requestStrategies(mlir::func::FuncOp kernel, llvm::ArrayRef<mlir::Attribute> strategies);

/// The attribute `name` of an op, else the first one of its kind in `proa.strategies` of the kernel, which is
/// removed there; null without both.
mlir::Attribute takeStrategy(mlir::Operation *op, llvm::StringRef name,
                             llvm::function_ref<bool(mlir::Attribute)> isOfKind);
template <class Attr> Attr takeStrategy(mlir::Operation *op, llvm::StringRef name) {
  return mlir::cast_or_null<Attr>(takeStrategy(op, name, llvm::IsaPred<Attr>));
}

/// The first attribute of a kind in `proa.strategies` of the kernel, which is removed there; null without
/// one.
mlir::Attribute takeRequested(mlir::func::FuncOp kernel, llvm::function_ref<bool(mlir::Attribute)> isOfKind);

/// Error: `proa.strategies` has attributes that no op has taken, besides loops' attributes with
/// `exceptLoops`.
llvm::LogicalResult verifyStrategiesTaken(mlir::func::FuncOp kernel, bool exceptLoops);

} // namespace proa
