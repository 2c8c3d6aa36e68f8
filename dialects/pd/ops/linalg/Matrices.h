/// Factorizations of matrices and linear systems: inference, and terms of the gradient formulas.
#pragma once

#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ops/linalg/Contract.h"

namespace proa::pd {

/// Emits C1 or C2 unless the operand is a stack of (square) matrices.
mlir::LogicalResult checkMatrices(std::optional<mlir::Location> location, llvm::StringRef name,
                                  mlir::RankedTensorType type, bool square);
mlir::LogicalResult inferSquareOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                  Results &results);
mlir::LogicalResult inferLuOf(std::optional<mlir::Location> location, mlir::RankedTensorType type, bool pivot,
                              Results &results);
mlir::LogicalResult inferLuUnpackOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                    Results &results);
mlir::LogicalResult inferLuPermutationOf(std::optional<mlir::Location> location,
                                         mlir::RankedTensorType pivots, int64_t rows, mlir::Type dtype,
                                         Results &results);
mlir::LogicalResult inferQrOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                              QrMode mode, Results &results);
mlir::LogicalResult inferSvdOf(std::optional<mlir::Location> location, mlir::RankedTensorType type, bool full,
                               Results &results);
mlir::LogicalResult inferEighOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                Results &results);
mlir::LogicalResult inferEigOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                               bool vectors, Results &results);
/// `vectors`: y may have one rank less than x.
mlir::LogicalResult inferSystemOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  mlir::RankedTensorType y, bool vectors, Results &results);
mlir::LogicalResult inferDetOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                               bool pairs, Results &results);
mlir::LogicalResult inferMatrixRankOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                      bool hermitian, Results &results);
mlir::LogicalResult inferLstsqOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                 mlir::RankedTensorType y, LstsqDriver driver, Results &results);

/// Whether the right-hand side y of pd.solve has vectors: one, or one for each matrix of x.
bool holdsVectors(mlir::RankedTensorType x, mlir::RankedTensorType y);

/// The conjugate transpose of each matrix.
Expression adjoint(Expression x);
/// The transpose of each matrix.
Expression transposed(Expression x);
/// One number for each matrix, broadcast to its elements.
Expression asMatrixFactor(Expression x);
/// The identity matrix in the shape of x.
Expression identityLike(Expression x);
Expression lowerTriangle(Expression x, int64_t diagonal = 0);
Expression upperTriangle(Expression x, int64_t diagonal = 0);

template <class Adaptor>
mlir::LogicalResult inferSquare(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSquareOf(location, tensorType(adaptor.getX()), results);
}
template <class Adaptor>
mlir::LogicalResult inferLu(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferLuOf(location, tensorType(adaptor.getX()), adaptor.getPivot(), results);
}
template <class Adaptor>
mlir::LogicalResult inferLuPermutation(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferLuPermutationOf(location, tensorType(adaptor.getPivots()),
                              adaptor.getRowsTensor() ? mlir::ShapedType::kDynamic
                                                      : static_cast<int64_t>(adaptor.getRows()),
                              adaptor.getDtype(), results);
}
template <class Adaptor>
mlir::LogicalResult inferLuUnpack(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferLuUnpackOf(location, tensorType(adaptor.getX()), results);
}
template <class Adaptor>
mlir::LogicalResult inferQr(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferQrOf(location, tensorType(adaptor.getX()), adaptor.getMode(), results);
}
template <class Adaptor>
mlir::LogicalResult inferSvd(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSvdOf(location, tensorType(adaptor.getX()), adaptor.getFullMatrices(), results);
}
template <class Adaptor>
mlir::LogicalResult inferSvdvals(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  llvm::SmallVector<mlir::Type> all;
  if (failed(inferSvdOf(location, tensorType(adaptor.getX()), false, all)))
    return mlir::failure();
  results.push_back(all[1]);
  return mlir::success();
}
template <class Adaptor>
mlir::LogicalResult inferEigh(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferEighOf(location, tensorType(adaptor.getX()), results);
}
template <class Adaptor>
mlir::LogicalResult inferEig(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferEigOf(location, tensorType(adaptor.getX()), true, results);
}
template <class Adaptor>
mlir::LogicalResult inferEigvals(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferEigOf(location, tensorType(adaptor.getX()), false, results);
}
template <class Adaptor>
mlir::LogicalResult inferSolve(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSystemOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getY()), true, results);
}
template <class Adaptor>
mlir::LogicalResult inferCholeskySolve(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferSystemOf(location, tensorType(adaptor.getY()), tensorType(adaptor.getX()), false, results);
}
template <class Adaptor>
mlir::LogicalResult inferTriangularSolve(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferSystemOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getY()), false, results);
}
template <class Adaptor>
mlir::LogicalResult inferDet(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferDetOf(location, tensorType(adaptor.getX()), false, results);
}
template <class Adaptor>
mlir::LogicalResult inferSlogdet(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferDetOf(location, tensorType(adaptor.getX()), true, results);
}
template <class Adaptor>
mlir::LogicalResult inferMatrixRank(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  return inferMatrixRankOf(location, adaptor.getOperands(), adaptor.getHermitian(), results);
}
template <class Adaptor>
mlir::LogicalResult inferLstsq(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferLstsqOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getY()), adaptor.getDriver(),
                      results);
}

} // namespace proa::pd
