/// Type inference of ops on boxes and regions.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Whether a tensor has this rank, and the dim `dim` if it is static.
inline bool hasDims(mlir::Value value, int64_t rank, int64_t axis, int64_t dimSize) {
  auto type = tensorType(value);
  return type.getRank() == rank && (type.isDynamicDim(axis) || type.getDimSize(axis) == dimSize);
}

/// Rows of a dynamic number and offsets for `images` images.
void addSelectedRows(mlir::RankedTensorType like, int64_t width, int64_t images, Results &results);

/// Whether a type is [n, 4].
inline bool isBoxList(mlir::RankedTensorType type) {
  return type.getRank() == 2 && (type.getDimSize(1) == 4 || type.isDynamicDim(1));
}

mlir::LogicalResult inferYoloBoxOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                   mlir::RankedTensorType imageSize, llvm::ArrayRef<int64_t> anchors,
                                   int64_t classes, bool iouAware, Results &results);

template <class Adaptor>
mlir::LogicalResult inferYoloBox(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferYoloBoxOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getImgSize()),
                        adaptor.getAnchors(), adaptor.getClassNum(), adaptor.getIouAware(), results);
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

template <class Adaptor>
mlir::LogicalResult inferBoxDecoderAndAssign(std::optional<mlir::Location> location, Adaptor adaptor,
                                             Results &results) {
  auto prior = tensorType(adaptor.getPriorBox()), target = tensorType(adaptor.getTargetBox());
  auto variances = tensorType(adaptor.getPriorBoxVar());
  bool fits = hasDims(adaptor.getPriorBox(), 2, 1, 4) && target.getRank() == 2 &&
              tensorType(adaptor.getBoxScore()).getRank() == 2 &&
              (!variances.hasStaticShape() || variances.getNumElements() == 4);
  if (failed(require(location, fits,
                     "C1: prior_box must be [R, 4], prior_box_var of 4 elements, target_box [R, 4 * classes] "
                     "and box_score [R, classes]",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(target);
  results.push_back(target.clone({prior.getDimSize(0), 4}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferIouSimilarity(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX()), y = tensorType(adaptor.getY());
  if (failed(require(location, isBoxList(x) && isBoxList(y), "C1: x and y must be [boxes, 4]",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(x.clone({x.getDimSize(0), y.getDimSize(0)}));
  return mlir::success();
}

mlir::LogicalResult inferDensityPriorBoxOf(std::optional<mlir::Location> location,
                                           mlir::RankedTensorType input, mlir::RankedTensorType image,
                                           llvm::ArrayRef<double> sizes, llvm::ArrayRef<double> ratios,
                                           llvm::ArrayRef<int64_t> densities,
                                           llvm::ArrayRef<double> variances, bool flat, Results &results);

template <class Adaptor>
mlir::LogicalResult inferDensityPriorBox(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferDensityPriorBoxOf(location, tensorType(adaptor.getInput()), tensorType(adaptor.getImage()),
                                adaptor.getFixedSizes(), adaptor.getFixedRatios(), adaptor.getDensities(),
                                adaptor.getVariances(), adaptor.getFlattenTo_2d(), results);
}

} // namespace proa::pd
