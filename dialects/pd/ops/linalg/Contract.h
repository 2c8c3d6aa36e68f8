/// Matmuls and other contractions.
#pragma once

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

class DimSize;
class TensorBuilder;

/// The product of the dims; 1 for none.
DimSize productOf(TensorBuilder &e, llvm::ArrayRef<DimSize> dimSizes);

/// The number of multiply-adds of a matmul with the factor x; empty if a dim is dynamic.
std::optional<int64_t> multiplyAddsOfMatmul(mlir::Value x, mlir::Value out, bool transposeX);
/// The result type of a matmul: of `element`, or by default of the element type that the operands must share.
mlir::LogicalResult inferMatmulOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                  bool transposeX, bool transposeY, Results &results,
                                  mlir::Type element = {});
mlir::LogicalResult inferFlattened(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                   int64_t rowDimsX, int64_t rowDimsY, Results &results);
mlir::LogicalResult inferEinsumOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                  llvm::StringRef equation, Results &results);
/// Emits an error naming constraint C1 unless operand i has rank ranks[i].
mlir::LogicalResult checkRanks(std::optional<mlir::Location> location, mlir::ValueRange operands,
                               llvm::ArrayRef<int64_t> ranks);
mlir::LogicalResult inferBatchMatmul(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                     Results &results);
mlir::LogicalResult inferDotOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                               Results &results);
mlir::LogicalResult inferAddmmOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                 int64_t rank, Results &results);

mlir::LogicalResult inferBilinearOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    Results &results);
mlir::LogicalResult inferSquaredMatSubOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                         Results &results);
mlir::LogicalResult inferMultiDotOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    Results &results);

template <class Adaptor>
mlir::LogicalResult inferBilinear(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferBilinearOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSquaredMatSub(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferSquaredMatSubOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMultiDot(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferMultiDotOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMatmul(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferMatmulOf(location, adaptor.getOperands(), adaptor.getTransposeX(), adaptor.getTransposeY(),
                       results);
}

template <class Adaptor>
mlir::LogicalResult inferMatmulWithFlatten(std::optional<mlir::Location> location, Adaptor adaptor,
                                           Results &results) {
  return inferFlattened(location, adaptor.getOperands(), adaptor.getXNumColDims(), adaptor.getYNumColDims(),
                        results);
}

template <class Adaptor>
mlir::LogicalResult inferBmm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferBatchMatmul(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMv(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkRanks(location, adaptor.getOperands(), {2, 1})))
    return mlir::failure();
  return inferMatmulOf(location, adaptor.getOperands(), false, false, results);
}

template <class Adaptor>
mlir::LogicalResult inferDot(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferDotOf(location, adaptor.getOperands(), results);
}

template <int64_t rank, class Adaptor>
mlir::LogicalResult inferAddmm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferAddmmOf(location, adaptor.getOperands(), rank, results);
}

template <class Adaptor>
mlir::LogicalResult inferEinsum(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferEinsumOf(location, adaptor.getOperands(), adaptor.getEquation(), results);
}

template <class Adaptor>
mlir::LogicalResult inferFsp(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX()), y = tensorType(adaptor.getY());
  bool fits = x.getRank() == 4 && y.getRank() == 4 &&
              succeeded(mlir::verifyCompatibleShape({x.getDimSize(0), x.getDimSize(2), x.getDimSize(3)},
                                                    {y.getDimSize(0), y.getDimSize(2), y.getDimSize(3)}));
  if (failed(require(location, fits, "C1: x and y must have rank 4, one batch, height and width",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(x.clone({x.getDimSize(0), x.getDimSize(1), y.getDimSize(1)}));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Contract.h.inc"
