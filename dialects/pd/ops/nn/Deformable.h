/// Types of layers of legacy programs.
#pragma once

#include "dialects/pd/ops/sequence/Labels.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

struct DeformableShape {
  mlir::RankedTensorType x, offset, filter;
  mlir::Value mask;
  llvm::ArrayRef<int64_t> strides, paddings, dilations;
  int64_t deformableGroups, groups;
};
mlir::LogicalResult inferDeformableConvOf(std::optional<mlir::Location> location,
                                          const DeformableShape &given, Results &results);
mlir::LogicalResult inferHsigmoidLossOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                        mlir::RankedTensorType w, mlir::Value label, mlir::Value path,
                                        mlir::Value code, int64_t classes, Results &results);
/// The number of selected columns, or an error.
mlir::FailureOr<int64_t> partialColumns(std::optional<mlir::Location> location, mlir::ValueRange x,
                                        int64_t start, int64_t length);
/// The length of the paths of a complete binary tree.
inline int64_t pathLength(int64_t classes) {
  return static_cast<int64_t>(llvm::Log2_64(static_cast<uint64_t>(classes) - 1)) + 1;
}

template <class Adaptor>
mlir::LogicalResult inferDeformableConv(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  return inferDeformableConvOf(
      location,
      {tensorType(adaptor.getX()), tensorType(adaptor.getOffset()), tensorType(adaptor.getFilter()),
       adaptor.getMask(), adaptor.getStrides(), adaptor.getPaddings(), adaptor.getDilations(),
       static_cast<int64_t>(adaptor.getDeformableGroups()), static_cast<int64_t>(adaptor.getGroups())},
      results);
}

template <class Adaptor>
mlir::LogicalResult inferHsigmoidLoss(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferHsigmoidLossOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getW()),
                             adaptor.getLabel(), adaptor.getPath(), adaptor.getCode(),
                             adaptor.getNumClasses(), results);
}

template <class Adaptor>
mlir::LogicalResult inferPartialConcat(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto columns = partialColumns(location, adaptor.getX(), adaptor.getStartIndex(), adaptor.getLength());
  if (failed(columns))
    return mlir::failure();
  auto first = tensorType(adaptor.getX().front());
  results.push_back(
      first.clone({first.getDimSize(0), *columns * static_cast<int64_t>(adaptor.getX().size())}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPartialSum(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto columns = partialColumns(location, adaptor.getX(), adaptor.getStartIndex(), adaptor.getLength());
  if (failed(columns))
    return mlir::failure();
  auto first = tensorType(adaptor.getX().front());
  results.push_back(first.clone({first.getDimSize(0), *columns}));
  return mlir::success();
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

template <class Adaptor>
mlir::LogicalResult inferCvm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  bool fits = x.getRank() == 2 && (x.isDynamicDim(1) || x.getDimSize(1) > 2);
  if (failed(
          require(location, fits, "C1: x must be a matrix of more than two columns", adaptor.getOperands())))
    return mlir::failure();
  auto cvm = adaptor.getCvm() ? tensorType(adaptor.getCvm()) : mlir::RankedTensorType();
  if (cvm && failed(mlir::verifyCompatibleShape({x.getDimSize(0), 2}, cvm.getShape())))
    return inferenceError(location, "C2: cvm must have two columns and the rows of x");
  bool keeps = adaptor.getUseCvm() || x.isDynamicDim(1);
  results.push_back(x.clone({x.getDimSize(0), keeps ? x.getDimSize(1) : x.getDimSize(1) - 2}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDataNorm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  bool fits = x.getRank() == 2 && tensorType(adaptor.getBatchSize()).getRank() == 1;
  if (failed(require(location, fits, "C1: x must be a matrix and the others vectors", adaptor.getOperands())))
    return mlir::failure();
  results.push_back(x);
  results.append(2, adaptor.getBatchSize().getType());
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Deformable.h.inc"
