#include "dialects/pd/ops/detection/Detection.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/detection/BoxesOps.h"
#include "dialects/pd/ops/detection/DetectionOps.h"
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/detection/Selection.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult typesError(std::optional<Location> location, llvm::StringRef message, Type x, Type y) {
  std::string text;
  llvm::raw_string_ostream(text) << message << ", found " << x << " and " << y;
  return inferenceError(location, text);
}

} // namespace

LogicalResult inferYoloBoxOf(std::optional<Location> location, RankedTensorType x, RankedTensorType imageSize,
                             llvm::ArrayRef<int64_t> anchors, int64_t classes, bool iouAware,
                             Results &results) {
  if (x.getRank() != 4 ||
      failed(verifyCompatibleShape(imageSize.getShape(), {x.getRank() ? x.getDimSize(0) : 0, 2})))
    return typesError(location, "C1: x must have rank 4, and img_size be [N, 2]", x, imageSize);
  bool hasPairs = !anchors.empty() && anchors.size() % 2 == 0 &&
                  llvm::all_of(anchors, [](int64_t side) { return side > 0; });
  if (!hasPairs || classes <= 0)
    return inferenceError(location,
                          "C2: anchors must be pairs of positive numbers and class_num positive, found " +
                              llvm::Twine(anchors.size()) + " numbers and class_num " + llvm::Twine(classes));
  auto count = static_cast<int64_t>(anchors.size() / 2);
  int64_t channels = count * (5 + classes + (iouAware ? 1 : 0));
  if (!x.isDynamicDim(1) && x.getDimSize(1) != channels)
    return inferenceError(location, "C3: x must have " + llvm::Twine(channels) + " channels, found " +
                                        llvm::Twine(x.getDimSize(1)));
  bool isKnown = !x.isDynamicDim(2) && !x.isDynamicDim(3);
  int64_t boxes = isKnown ? x.getDimSize(2) * x.getDimSize(3) * count : ShapedType::kDynamic;
  results.push_back(RankedTensorType::get({x.getDimSize(0), boxes, 4}, x.getElementType()));
  results.push_back(RankedTensorType::get({x.getDimSize(0), boxes, classes}, x.getElementType()));
  return success();
}

LogicalResult inferSelectedBoxes(std::optional<Location> location, RankedTensorType boxes,
                                 RankedTensorType scores, Value roisNum, Results &results) {
  bool isRanked = boxes.getRank() == 3 && scores.getRank() == (roisNum ? 2 : 3);
  // [N, M, 4] and [N, classes, M], or [M, classes, 4] and [M, classes].
  bool isValid =
      isRanked &&
      succeeded(verifyCompatibleShape(boxes.getShape().take_front(1), scores.getShape().take_front(1))) &&
      succeeded(verifyCompatibleShape(boxes.getShape().slice(1, 1), scores.getShape().take_back(1))) &&
      (boxes.isDynamicDim(2) || boxes.getDimSize(2) >= 4);
  if (!isValid)
    return typesError(location,
                      roisNum
                          ? "C1: with rois_num bboxes must be [M, classes, 4 or more] and scores [M, classes]"
                          : "C1: bboxes must be [N, M, 4 or more] and scores [N, classes, M]",
                      boxes, scores);
  if (boxes.getElementType() != scores.getElementType())
    return typesError(location, "C2: bboxes and scores must have one element type", boxes, scores);
  int64_t width = boxes.isDynamicDim(2) ? ShapedType::kDynamic : boxes.getDimSize(2) + 2;
  Type integer = IntegerType::get(boxes.getContext(), 32);
  results.push_back(RankedTensorType::get({ShapedType::kDynamic, width}, boxes.getElementType()));
  results.push_back(RankedTensorType::get({ShapedType::kDynamic, 1}, integer));
  int64_t images = boxes.getDimSize(0);
  if (roisNum)
    images = tensorType(roisNum).getRank() == 1 ? tensorType(roisNum).getDimSize(0) : ShapedType::kDynamic;
  results.push_back(RankedTensorType::get({images}, integer));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Detection.cpp.inc"
#include "dialects/pd/ops/detection/Detection.methods.inc"
#include "dialects/pd/ops/detection/Detection.scalar.inc"
