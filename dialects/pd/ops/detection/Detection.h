/// Boxes: decoding and selection.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferYoloBoxOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                   mlir::RankedTensorType imageSize, llvm::ArrayRef<int64_t> anchors,
                                   int64_t classes, bool iouAware, Results &results);
/// Types of a selection of boxes; `roisNum` may be null.
mlir::LogicalResult inferSelectedBoxes(std::optional<mlir::Location> location, mlir::RankedTensorType boxes,
                                       mlir::RankedTensorType scores, mlir::Value roisNum, Results &results);

template <class Adaptor>
mlir::LogicalResult inferYoloBox(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferYoloBoxOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getImgSize()),
                        adaptor.getAnchors(), adaptor.getClassNum(), adaptor.getIouAware(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMulticlassNms(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()),
                                adaptor.getRoisNum(), results)))
    return mlir::failure();
  if (adaptor.getMarksNone()) {
    int64_t open = mlir::ShapedType::kDynamic;
    results[0] = mlir::cast<mlir::RankedTensorType>(results[0]).clone({open, open});
    results[2] = mlir::cast<mlir::RankedTensorType>(results[2]).clone({open});
  }
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMatrixNms(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()), {},
                            results);
}

//===-- Boxes from positions and from other boxes -------------------------------------------------------===//

int64_t priorCount(llvm::ArrayRef<double> minSizes, llvm::ArrayRef<double> maxSizes,
                   llvm::ArrayRef<double> ratios, bool flip);
mlir::LogicalResult inferPriorBoxOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    llvm::ArrayRef<double> minSizes, llvm::ArrayRef<double> maxSizes,
                                    llvm::ArrayRef<double> variances, int64_t boxes, Results &results);
mlir::LogicalResult inferAnchorGeneratorOf(std::optional<mlir::Location> location,
                                           mlir::RankedTensorType input, llvm::ArrayRef<double> sizes,
                                           llvm::ArrayRef<double> ratios, llvm::ArrayRef<double> strides,
                                           llvm::ArrayRef<double> variances, Results &results);
struct BoxCoderShape {
  mlir::RankedTensorType prior, target;
  mlir::Value variances;
  BoxCodeType codeType;
  int64_t axis;
  llvm::ArrayRef<double> variance;
};
mlir::LogicalResult inferBoxCoderOf(std::optional<mlir::Location> location, const BoxCoderShape &given,
                                    Results &results);
mlir::LogicalResult checkBoxClip(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                 mlir::RankedTensorType info, mlir::Value offsets);
mlir::LogicalResult checkPolygonInput(std::optional<mlir::Location> location, mlir::RankedTensorType input);
mlir::LogicalResult inferRoiOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                               mlir::RankedTensorType boxes, int64_t height, int64_t width, Results &results);

template <class Adaptor>
mlir::LogicalResult inferPriorBox(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferPriorBoxOf(
      location, adaptor.getOperands(), adaptor.getMinSizes(), adaptor.getMaxSizes(), adaptor.getVariances(),
      priorCount(adaptor.getMinSizes(), adaptor.getMaxSizes(), adaptor.getAspectRatios(), adaptor.getFlip()),
      results);
}

template <class Adaptor>
mlir::LogicalResult inferAnchorGenerator(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferAnchorGeneratorOf(location, tensorType(adaptor.getInput()), adaptor.getAnchorSizes(),
                                adaptor.getAspectRatios(), adaptor.getStride(), adaptor.getVariances(),
                                results);
}

template <class Adaptor>
mlir::LogicalResult inferBoxCoder(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferBoxCoderOf(location,
                         {tensorType(adaptor.getPriorBox()), tensorType(adaptor.getTargetBox()),
                          adaptor.getPriorBoxVar(), adaptor.getCodeType(),
                          static_cast<int64_t>(adaptor.getAxis()), adaptor.getVariance()},
                         results);
}

template <class Adaptor>
mlir::LogicalResult inferBoxClip(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkBoxClip(location, tensorType(adaptor.getInput()), tensorType(adaptor.getImInfo()),
                          adaptor.getOffsets())))
    return mlir::failure();
  results.push_back(adaptor.getInput().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPolygonBoxTransform(std::optional<mlir::Location> location, Adaptor adaptor,
                                             Results &results) {
  if (failed(checkPolygonInput(location, tensorType(adaptor.getInput()))))
    return mlir::failure();
  results.push_back(adaptor.getInput().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRoiAlign(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferRoiOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getBoxes()),
                    adaptor.getPooledHeight(), adaptor.getPooledWidth(), results);
}

template <class Adaptor>
mlir::LogicalResult inferRoiPool(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(inferRoiAlign(location, adaptor, results)))
    return mlir::failure();
  auto out = mlir::cast<mlir::RankedTensorType>(results.back());
  results.push_back(out.clone(mlir::IntegerType::get(out.getContext(), 64)));
  return mlir::success();
}

} // namespace proa::pd
