/// Losses and accuracy.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// For each class along `axis` of x whether the label, which has size 1 along it, is that class.
Expression isClass(Expression x, Expression label, int64_t axis);
Expression isEqual(Expression x, double y);

mlir::LogicalResult inferCrossEntropyOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                        mlir::RankedTensorType label, bool softLabel, int64_t axis,
                                        Results &results);
mlir::LogicalResult inferNllLossOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                   mlir::RankedTensorType label, mlir::Value weight, LossReduction reduction,
                                   Results &results);
/// C1 and C2 of losses of two tensors.
mlir::LogicalResult checkSameShapes(std::optional<mlir::Location> location, mlir::ValueRange operands);
mlir::LogicalResult checkLabelSmooth(std::optional<mlir::Location> location, mlir::RankedTensorType label,
                                     mlir::Value prior);
mlir::LogicalResult inferAccuracyOf(std::optional<mlir::Location> location, mlir::RankedTensorType indices,
                                    mlir::RankedTensorType label, Results &results);

template <class Adaptor>
mlir::LogicalResult inferCrossEntropyWithSoftmax(std::optional<mlir::Location> location, Adaptor adaptor,
                                                 Results &results) {
  return inferCrossEntropyOf(location, tensorType(adaptor.getInput()), tensorType(adaptor.getLabel()),
                             adaptor.getSoftLabel(), adaptor.getAxis(), results);
}

template <class Adaptor>
mlir::LogicalResult inferNllLoss(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferNllLossOf(location, tensorType(adaptor.getInput()), tensorType(adaptor.getLabel()),
                        adaptor.getWeight(), adaptor.getReduction(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSameShapes(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  if (failed(checkSameShapes(location, adaptor.getOperands())))
    return mlir::failure();
  results.push_back(adaptor.getOperands()[0].getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferTwoOfSameShape(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  if (failed(checkSameShapes(location, adaptor.getOperands())))
    return mlir::failure();
  results.append(2, adaptor.getOperands()[0].getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferKldivLoss(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (failed(checkSameShapes(location, adaptor.getOperands())))
    return mlir::failure();
  auto type = tensorType(adaptor.getX());
  results.push_back(adaptor.getReduction() == LossReduction::None
                        ? type
                        : mlir::RankedTensorType::get({}, type.getElementType()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLabelSmooth(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  if (failed(checkLabelSmooth(location, tensorType(adaptor.getLabel()), adaptor.getPriorDist())))
    return mlir::failure();
  results.push_back(adaptor.getLabel().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferAccuracy(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferAccuracyOf(location, tensorType(adaptor.getIndices()), tensorType(adaptor.getLabel()), results);
}

/// One loss for each row: x with a last dim of 1.
mlir::LogicalResult inferPerRowOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                  mlir::RankedTensorType label, bool isSoft, Results &results);

template <class Adaptor>
mlir::LogicalResult inferPerRow(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferPerRowOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getLabel()), false, results);
}

template <class Adaptor>
mlir::LogicalResult inferCrossEntropy(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  if (failed(inferPerRowOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getLabel()),
                           adaptor.getSoftLabel(), results)))
    return mlir::failure();
  results.push_back(results.back());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferIdentityLoss(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto x = tensorType(adaptor.getX());
  if (adaptor.getReduction() > 2)
    return inferenceError(location,
                          "C1: reduction must be 0, 1 or 2, found " + llvm::Twine(adaptor.getReduction()));
  results.push_back(adaptor.getReduction() == 2 ? mlir::Type(x)
                                                : mlir::Type(x.clone(llvm::ArrayRef<int64_t>())));
  return mlir::success();
}

} // namespace proa::pd
