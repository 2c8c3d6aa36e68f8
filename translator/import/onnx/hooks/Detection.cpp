//! Hooks of ONNX's ops of detectors.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/RoiAlignMax.h"

#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

//===-- Non-maximum suppression -------------------------------------------------------------------------===//

/// Boxes as two corners, the lower one first.
static Expression cornersOf(NodeImporter &node, Expression boxes) {
  pd::TensorBuilder &e = node.tensors();
  Expression first = slice(boxes, 2, 0, 2), second = slice(boxes, 2, 2, 4);
  if (node.boolAttribute("center_point_box")) {
    Expression half = second * 0.5;
    return pd::concat({first - half, first + half}, 2);
  }
  return pd::concat({e.minimum(first, second), e.maximum(first, second)}, 2);
}

/// Boxes without an area overlap none in ONNX; pd's overlap of two of them is 0/0. Their corners become
/// infinite, the lower ones last, so that they are apart from all boxes.
static Expression withoutEmpty(NodeImporter &node, Expression corners) {
  pd::TensorBuilder &e = node.tensors();
  Expression lower = slice(corners, 2, 0, 2), upper = slice(corners, 2, 2, 4), sides = upper - lower;
  Expression isEmpty = e.minimum(slice(sides, 2, 0, 1), slice(sides, 2, 1, 2)) <= 0.0;
  return pd::concat({e.select(isEmpty, INFINITY, lower), e.select(isEmpty, -INFINITY, upper)}, 2);
}

/// The first of equal groups' positions: groups are contiguous and ascending.
static Expression rankInGroup(NodeImporter &node, Expression groups) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression first = node.create<pd::SearchsortedOp>(groups, groups);
  return iota(e, DimSize(groups, 0), i64) - e.cast(first, i64);
}

void importNonMaxSuppression(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  Expression boxes = withoutEmpty(node, cornersOf(node, node.operand("boxes"))),
             scores = node.operand("scores");
  bool hasThreshold = node.hasInput("score_threshold");
  double threshold = hasThreshold ? node.floatAttribute("score_threshold") : -INFINITY;
  double overlap = node.floatAttribute("iou_threshold", 0);
  Value most = node.input("max_output_boxes_per_class");
  std::optional<Tensor> known = most ? node.getGraph().knownTensor(most) : std::nullopt;
  int64_t ofClass = known && known->size() == 1 ? pd::loadScalar(*known, 0).integer : -1;
  bool isLimited = ofClass > 0;
  auto nms = node.createOp<pd::MulticlassNms3Op>(boxes, scores, Value(), llvm::APFloat(threshold), -1, -1,
                                                 llvm::APFloat(overlap), true, llvm::APFloat(1.0), -1, false,
                                                 isLimited ? ofClass : -1);
  Expression labels = e.cast(e.reshape(slice(node.wrap(nms.getOut()), 1, 0, 1), {-1}), i64);
  Expression index = e.cast(e.reshape(node.wrap(nms.getIndex()), {-1}), i64);
  Expression count = e.wrap(DimSize(boxes, 1).getValue(e)), classes = e.wrap(DimSize(scores, 1).getValue(e));
  Expression image = node.create<pd::FloorDivideOp>(index, count), box = index - image * count;
  auto column = [&](Expression x) { return insertDim(x, 1); };
  Expression rows = pd::concat({column(image), column(labels), column(box)}, 1);
  if (isLimited)
    return node.setOutput("selected_indices", rows);
  Expression limit = most ? e.reshape(e.cast(node.wrap(most), i64), {1}) : node.integers({0});
  Expression isKept = rankInGroup(node, image * classes + labels) < limit;
  Expression kept = e.reshape(node.create<pd::NonzeroOp>(isKept), {-1});
  node.setOutput("selected_indices", node.create<pd::GatherOp>(rows, kept, Value(), 0));
}

//===-- Pooling of regions ------------------------------------------------------------------------------===//

namespace {

/// Regions in the order of their images, which pd's ops expect, with their number for each image.
struct SortedRegions {
  Expression boxes, counts, order;
};

SortedRegions sortRegions(NodeImporter &node, Expression x, Expression boxes, Expression images) {
  pd::TensorBuilder &e = node.tensors();
  Type i64 = node.getBuilder().getI64Type();
  images = e.cast(images, i64);
  auto sorted = node.createOp<pd::ArgsortOp>(images, 0, false, true);
  Expression order = node.wrap(sorted.getIndices());
  Expression isOf =
      e.cast(node.create<pd::EqualOp>(insertDim(images, 1), insertDim(iota(e, DimSize(x, 0), i64), 0)), i64);
  Expression counts = e.cast(e.sum(isOf, {0}, false), node.getBuilder().getI32Type());
  return {node.create<pd::GatherOp>(boxes, order, Value(), 0), counts, order};
}

/// The results in the order of the node's regions.
Expression inGivenOrder(NodeImporter &node, Expression pooled, Expression order) {
  auto inverse = node.createOp<pd::ArgsortOp>(order, 0, false, true);
  return node.create<pd::GatherOp>(pooled, inverse.getIndices(), Value(), 0);
}

} // namespace

void importRoiAlign(NodeImporter &node) {
  Expression x = node.operand("X");
  std::string mode = node.stringAttribute("mode");
  if (mode != "avg" && mode != "max") {
    node.report("attribute 'mode' is \"" + mode + "\", expected avg or max");
    node.stop();
  }
  // Before opset 16 there was no shift by half a pixel.
  bool isAligned =
      node.stringAttribute("coordinate_transformation_mode", "output_half_pixel") == "half_pixel";
  int64_t ratio = node.intAttribute("sampling_ratio");
  if (mode == "max")
    return node.setOutput("Y", roiAlignMax(node, isAligned, ratio));
  SortedRegions regions = sortRegions(node, x, node.operand("rois"), node.operand("batch_indices"));
  Expression pooled = node.create<pd::RoiAlignOp>(
      x, regions.boxes, regions.counts, node.intAttribute("output_height"), node.intAttribute("output_width"),
      llvm::APFloat(node.floatAttribute("spatial_scale")), ratio == 0 ? -1 : ratio, isAligned);
  node.setOutput("Y", inGivenOrder(node, pooled, regions.order));
}

void importMaxRoiPool(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), rois = node.operand("rois");
  llvm::SmallVector<int64_t> shape = node.intsAttribute("pooled_shape");
  if (shape.size() != 2) {
    node.report("attribute 'pooled_shape' has " + llvm::Twine(shape.size()) + " numbers, expected 2");
    node.stop();
  }
  Expression images = e.reshape(slice(rois, 1, 0, 1), {-1});
  SortedRegions regions = sortRegions(node, x, slice(rois, 1, 1, 5), images);
  auto pooled = node.createOp<pd::RoiPoolOp>(x, regions.boxes, regions.counts, shape[0], shape[1],
                                             llvm::APFloat(node.floatAttribute("spatial_scale")));
  node.setOutput("Y", inGivenOrder(node, node.wrap(pooled.getOut()), regions.order));
}

} // namespace proa::import::onnxhooks
