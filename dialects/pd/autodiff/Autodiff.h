/// Reverse-mode differentiation of ops of the dialect.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace proa::pd {

class CheckpointOp; // one of the parents that a YieldOp may have

/// The operand types of the region's terminator; failure if it has no terminator yet.
mlir::LogicalResult inferYielded(mlir::RegionRange regions, llvm::SmallVectorImpl<mlir::Type> &results);

/// A new optimization barrier on the value, with a `number` that no other barrier on it has.
mlir::Value barrierOn(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

/// Differentiates a block in reverse mode. `outputs` are operand indices of its terminator, `cotangents` has
/// one value for each of them (null: zero). Returns the gradient of each of `inputs`, values that the block
/// uses. New ops are inserted before the terminator. Composites without a gradient rule are replaced by their
/// decompositions. An active op with neither gets an error, with notes at the ops between it and the outputs,
/// and the result is failure. An op whose rule needs static dims is wrapped in a pd.vjp while its dims are
/// dynamic; without `mayDefer` the result is then failure, without an error.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
differentiate(mlir::Block &block, llvm::ArrayRef<int64_t> outputs, llvm::ArrayRef<mlir::Value> cotangents,
              llvm::ArrayRef<mlir::Value> inputs, bool mayDefer = true);

/// differentiate(), with null for a gradient that is zero.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> differentiateSparsely(mlir::Block &block,
                                                                      llvm::ArrayRef<int64_t> outputs,
                                                                      llvm::ArrayRef<mlir::Value> cotangents,
                                                                      llvm::ArrayRef<mlir::Value> inputs,
                                                                      bool mayDefer = true);

/// Erases the block's ops without uses and side effects.
void eraseUnused(mlir::Block &block);

/// Whether values of the type have gradients: floats and complex numbers.
bool isDifferentiable(mlir::Type type);

/// Whether the type is an integer tensor. Gradients by integers exist only if a legacy gradient op requests
/// them; linear ops propagate them.
bool isIntegerTensor(mlir::Type type);

/// Zeros with the shape and element type of `like`.
mlir::Value zerosLike(mlir::OpBuilder &builder, mlir::Location location, mlir::Value like);

} // namespace proa::pd
