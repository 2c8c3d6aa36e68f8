#include "dialects/pd/ops/detection/Nms.h"

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

void addSelectedRows(RankedTensorType like, int64_t width, int64_t images, Results &results) {
  results.push_back(like.clone({ShapedType::kDynamic, width}));
  int64_t ends = ShapedType::isDynamic(images) ? ShapedType::kDynamic : images + 1;
  results.push_back(RankedTensorType::get({ends}, IntegerType::get(like.getContext(), 64)));
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
#include "dialects/pd/ops/detection/Nms.cpp.inc"
#include "dialects/pd/ops/detection/Nms.methods.inc"
#include "dialects/pd/ops/detection/Nms.scalar.inc"
