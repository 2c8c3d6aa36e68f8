/// Reverse-mode differentiation of ops of the dialect.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace proa::pd {

class CheckpointOp; // one of the parents that a YieldOp may have

/// The types of what a region's block ends with; failure where it has no terminator yet.
mlir::LogicalResult inferYielded(mlir::RegionRange regions, llvm::SmallVectorImpl<mlir::Type> &results);

/// A barrier on the value, other than those that it has.
mlir::Value barrierOn(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

/// Differentiates a block in reverse. `outputs` are numbers of operands of its terminator, `cotangents` one
/// value for each of them (null: zero). Returns the gradient of each of `inputs`, values that the block uses;
/// new ops go before the terminator. Composites on the way without a rule of their own are replaced by their
/// decompositions. Where an op that matters has neither, an error is emitted at it, with notes at the ops
/// between it and the outputs, and the result is failure. An op that has none as long as dims are open
/// is left in a pd.vjp of its own; without `mayDefer` the result is failure, without an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::Block &block, llvm::ArrayRef<int64_t> outputs, llvm::ArrayRef<mlir::Value> cotangents,
              llvm::ArrayRef<mlir::Value> inputs, bool mayDefer = true);

/// The same, with null for a gradient that is zero everywhere.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> differentiateSparsely(mlir::Block &block,
                                                                      llvm::ArrayRef<int64_t> outputs,
                                                                      llvm::ArrayRef<mlir::Value> cotangents,
                                                                      llvm::ArrayRef<mlir::Value> inputs,
                                                                      bool mayDefer = true);

/// Removes the ops of a block that nothing reads and that do nothing else.
void eraseUnused(mlir::Block &block);

/// Whether values of the type have gradients: floats and complex numbers.
bool isDifferentiable(mlir::Type type);

/// Integers have gradients only where they are asked for, as gradient ops of legacy programs do: linear ops
/// move and add them.
bool isIntegerTensor(mlir::Type type);

/// Zeros in the shape and element type of `like`.
mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

} // namespace proa::pd
