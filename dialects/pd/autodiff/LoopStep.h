/// What an scf.for over tensors does in one iteration.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// What the loop's body does to the carried values, once for each call.
class LoopStep {
public:
  /// Failure, after an error, where the body uses the induction variable otherwise than as the element of a
  /// tensor.
  static mlir::FailureOr<LoopStep> create(mlir::scf::ForOp loop);

  /// The body's ops for an iteration (an int64 vector of one element, counted from 0); `mapping` holds the
  /// carried values. Returns their next ones.
  llvm::SmallVector<mlir::Value> write(mlir::OpBuilder &builder, mlir::Value iteration,
                                       mlir::IRMapping mapping) const;

private:
  LoopStep(mlir::scf::ForOp loop, llvm::SmallVector<mlir::tensor::FromElementsOp> tensors)
      : loop(loop), tensors(std::move(tensors)) {}
  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::tensor::FromElementsOp> tensors;
};

/// Whether bounds, step and carried values are what the runtime's loops can have; failure after an error.
mlir::LogicalResult checkBounds(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace proa::pd
