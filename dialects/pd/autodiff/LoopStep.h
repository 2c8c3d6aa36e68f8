/// One iteration of an scf.for over tensors.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// Creates copies of the loop's body, one iteration per call.
class LoopStep {
public:
  /// Failure, after an error, if the body uses the induction variable other than as the element of a tensor.
  static mlir::FailureOr<LoopStep> create(mlir::scf::ForOp loop);

  /// Creates the body's ops for `iteration`, an int64 vector of one element, counted from 0. `mapping` holds
  /// the carried values. Returns their next values.
  llvm::SmallVector<mlir::Value> write(mlir::OpBuilder &builder, mlir::Value iteration,
                                       mlir::IRMapping mapping) const;

private:
  LoopStep(mlir::scf::ForOp loop, llvm::SmallVector<mlir::tensor::FromElementsOp> tensors)
      : loop(loop), tensors(std::move(tensors)) {}
  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::tensor::FromElementsOp> tensors;
};

/// Failure, after an error, if bounds, step or carried values are not supported by lowerFor().
mlir::LogicalResult checkBounds(mlir::OpBuilder &builder, mlir::scf::ForOp loop);

} // namespace proa::pd
