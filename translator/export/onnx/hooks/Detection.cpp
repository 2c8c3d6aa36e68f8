//! Detection: boxes of YOLO heads, suppression of overlapping boxes, pooling of regions.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/detection/BoxesOps.h"
#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Named = NodeExporter::Named;
using Ints = std::vector<int64_t>;
using Values = llvm::SmallVector<Value>;

//===-- YOLO --------------------------------------------------------------------------------------------===//

namespace {

/// The outputs of a YOLO head, [N, anchors, H, W] each.
struct YoloHead {
  pd::YoloBoxOp op;
  TensorBuilder &e;
  Expression fields;                   ///< [N, anchors, 5 + classes, H, W]
  llvm::SmallVector<pd::DimSize> dims; ///< of x
  Type element;

  YoloHead(pd::YoloBoxOp op, TensorBuilder &e)
      : op(op), e(e), fields(e.operand(0)), dims(pd::dimSizesOf(fields)),
        element(fields.type().getElementType()) {
    Expression x = fields;
    if (op.getIouAware())
      x = pd::slice(x, 1, anchors(), pd::toTheEnd);
    fields = pd::reshapeTo(x, {dims[0], anchors(), 5 + classes(), dims[2], dims[3]});
  }

  int64_t anchors() { return static_cast<int64_t>(op.getAnchors().size()) / 2; }
  int64_t classes() { return static_cast<int64_t>(op.getClassNum()); }
  Expression field(int64_t i) { return pd::dropDim(pd::slice(fields, 2, i, i + 1), 2); }
  Expression number(const pd::DimSize &dim) { return e.cast(e.wrap(dim.getValue(e)), element); }
  /// Heights (0) or widths (1) of the images, [N, 1, 1, 1].
  Expression imageSize(int64_t column) {
    Expression sizes = pd::slice(e.cast(e.wrap(op.getImgSize()), element), 1, column, column + 1);
    return pd::reshapeTo(sizes, {dims[0], 1, 1, 1});
  }
  /// Heights (1) or widths (0) of the anchors, [1, anchors, 1, 1].
  Expression anchorSizes(int64_t side) {
    llvm::SmallVector<Expression> sizes;
    for (int64_t i = 0; i < anchors(); ++i)
      sizes.push_back(
          e.reshape(e.constant(static_cast<double>(op.getAnchors()[2 * i + side]), element), {1}));
    return e.reshape(pd::concat(sizes, 0), {1, anchors(), 1, 1});
  }

  Expression confidence() {
    Expression confidence = e.sigmoid(field(4));
    if (!op.getIouAware())
      return confidence;
    double share = op.getIouAwareFactor().convertToDouble();
    Expression iou = e.sigmoid(pd::slice(e.operand(0), 1, 0, anchors()));
    return e.pow(confidence, e.constant(1 - share, element)) * e.pow(iou, e.constant(share, element));
  }

  /// The lower and the upper ends of the boxes in one direction: 0 for x, 1 for y.
  std::pair<Expression, Expression> ends(int64_t side) {
    double spread = op.getScaleXY().convertToDouble();
    const pd::DimSize &cells = dims[side == 0 ? 3 : 2];
    Expression image = imageSize(1 - side), count = number(cells);
    Expression cell = pd::iota(e, cells, e.getBuilder().getI64Type());
    cell = e.cast(side == 0 ? cell : pd::insertDim(cell, 1), element);
    Expression center = (cell + e.sigmoid(field(side)) * spread - 0.5 * (spread - 1)) * image / count;
    Expression size = e.exp(field(2 + side)) * anchorSizes(side) * image /
                      (count * static_cast<double>(op.getDownsampleRatio()));
    Expression low = center - size * 0.5, high = center + size * 0.5;
    if (op.getClipBbox()) {
      low = e.maximum(low, 0.0);
      high = e.minimum(high, image - 1.0);
    }
    return {low, high};
  }
};

} // namespace

void exportYoloBox(NodeExporter &node) {
  auto op = node.get<pd::YoloBoxOp>();
  node.exportAs([&](TensorBuilder &e) {
    YoloHead head(op, e);
    auto [left, right] = head.ends(0);
    auto [top, bottom] = head.ends(1);
    Expression confidence = head.confidence();
    Expression counts = confidence >= op.getConfThresh().convertToDouble();
    llvm::SmallVector<Expression> corners;
    for (Expression corner : {left, top, right, bottom})
      corners.push_back(pd::insertDim(e.select(counts, corner, 0.0), 4));
    Expression boxes = pd::concat(corners, 4);
    Expression classes = e.sigmoid(pd::slice(head.fields, 2, 5, pd::toTheEnd));
    Expression scores = e.select(pd::insertDim(counts, 2), pd::insertDim(confidence, 2) * classes, 0.0);
    scores = e.transpose(scores, {0, 1, 3, 4, 2});
    return e.results({pd::reshapeTo(boxes, {head.dims[0], -1, 4}),
                      pd::reshapeTo(scores, {head.dims[0], -1, head.classes()})});
  });
}

//===-- Suppression -------------------------------------------------------------------------------------===//

/// Boxes in order, without scores: earlier ones get higher scores.
void exportNms(NodeExporter &node) {
  auto op = node.get<pd::NmsOp>();
  Type real = Float32Type::get(op.getContext()), wide = IntegerType::get(op.getContext(), 64);
  std::string count = node.squeeze(
      node.node("Slice", {node.shapeOf(node.of(op.getX())), node.ints({0}), node.ints({1})}), {0});
  std::string order = node.node("Range", {node.scalar(0, wide), count, node.scalar(1, wide)});
  std::string scores = node.unsqueeze(node.node("Neg", {node.cast(order, real)}), {0, 1});
  std::string boxes = node.unsqueeze(node.cast(node.of(op.getX()), real), {0});
  std::string chosen =
      node.node("NonMaxSuppression", {boxes, scores, node.unsqueeze(count, {0}),
                                      node.numbers({op.getThreshold().convertToDouble()}, real)});
  std::string column = node.node("Slice", {chosen, node.ints({2}), node.ints({3}), node.ints({1})});
  node.setResult(0, node.squeeze(column, {1}));
}

bool isMulticlassNmsInOnnx(pd::MulticlassNms3Op op) {
  return !op.getRoisNum() && op.getNmsEta().convertToDouble() >= 1 &&
         pd::tensorType(op.getScores()).getRank() == 3 && pd::tensorType(op.getBboxes()).getRank() == 3 &&
         pd::tensorType(op.getBboxes()).getDimSize(2) == 4;
}

namespace {

/// The steps of multiclass_nms3 around NonMaxSuppression.
struct MulticlassNms {
  NodeExporter &node;
  pd::MulticlassNms3Op op = node.get<pd::MulticlassNms3Op>();
  Type real = Float32Type::get(op.getContext());
  Type wide = IntegerType::get(op.getContext(), 64);
  std::string boxes = node.of(op.getBboxes()), scores = node.of(op.getScores());

  std::string column(std::string rows, int64_t i) {
    return node.squeeze(
        node.node("Slice", {std::move(rows), node.ints({i}), node.ints({i + 1}), node.ints({1})}), {1});
  }
  std::string sizeOf(std::string x, int64_t axis) {
    return node.node("Slice", {node.shapeOf(std::move(x)), node.ints({axis}), node.ints({axis + 1})});
  }
  std::string range(std::string count) {
    return node.node("Range",
                     {node.scalar(0, wide), node.squeeze(std::move(count), {0}), node.scalar(1, wide)});
  }

  /// Without `normalized` a box has one more row and column.
  std::string measuredBoxes() {
    if (op.getNormalized())
      return boxes;
    return node.node("Add", {boxes, node.numbers({0, 0, 1, 1}, real)});
  }

  /// Scores of the background, and of boxes after the best nms_top_k of a class, are below all thresholds.
  std::string candidates() {
    std::string none = node.scalar(-3e38, real), known = scores;
    int64_t background = static_cast<int64_t>(op.getBackgroundLabel());
    if (background >= 0) {
      std::string classes = node.unsqueeze(range(sizeOf(scores, 1)), {1});
      std::string isBackground =
          node.node("Equal", {classes, node.scalar(static_cast<double>(background), wide)});
      known = node.node("Where", {isBackground, none, known});
    }
    int64_t best = static_cast<int64_t>(op.getNmsTopK());
    int64_t count = pd::tensorType(op.getScores()).getDimSize(2);
    if (best < 0 || (!ShapedType::isDynamic(count) && count <= best))
      return known;
    std::string k = node.node("Min", {node.ints({best}), sizeOf(scores, 2)});
    std::string indices = node.nodes("TopK", {known, k}, {{"axis", int64_t(-1)}}, 2)[1];
    std::string low = node.node("Expand", {none, node.shapeOf(known)});
    std::string kept = node.node("GatherElements", {known, indices}, {{"axis", int64_t(-1)}});
    return node.node("ScatterElements", {low, indices, kept}, {{"axis", int64_t(-1)}});
  }

  /// The rows of `chosen` [K, 3] that are among the best keep_top_k of their image, in the same order.
  std::string best(std::string chosen, std::string scoresOfChosen) {
    int64_t keep = static_cast<int64_t>(op.getKeepTopK());
    if (keep < 0)
      return chosen;
    std::string order =
        node.nodes("TopK", {scoresOfChosen, node.shapeOf(scoresOfChosen)}, {{"axis", int64_t(0)}}, 2)[1];
    std::string images = node.node("Gather", {column(chosen, 0), order});
    std::string isOfImage = node.cast(
        node.node("Equal", {node.unsqueeze(images, {1}), node.unsqueeze(range(sizeOf(boxes, 0)), {0})}),
        wide);
    std::string ranks = node.node("CumSum", {isOfImage, node.scalar(0, wide)});
    std::string rank = node.node("ReduceSum", {node.node("Mul", {isOfImage, ranks})},
                                 {{"axes", Ints{1}}, {"keepdims", int64_t(0)}});
    std::string isKept = node.node("LessOrEqual", {rank, node.scalar(static_cast<double>(keep), wide)});
    std::string kept = node.node("Compress", {order, isKept}, {{"axis", int64_t(0)}});
    std::string ascending =
        node.nodes("TopK", {kept, node.shapeOf(kept)}, {{"axis", int64_t(0)}, {"largest", int64_t(0)}}, 2)[0];
    return node.node("Gather", {chosen, ascending});
  }

  /// Label, score and box of each row.
  std::string rows(std::string chosen) {
    std::string label = node.unsqueeze(node.cast(column(chosen, 1), real), {1});
    std::string score = node.unsqueeze(node.node("GatherND", {scores, chosen}), {1});
    std::string ofBox = node.node("Gather", {chosen, node.ints({0, 2})}, {{"axis", int64_t(1)}});
    std::string box = node.node("GatherND", {boxes, ofBox});
    return node.node("Concat", {label, score, box}, {{"axis", int64_t(1)}});
  }

  /// Sets the rows and the numbers of rows of the images. With `marks_none` there is one element, -1, of one
  /// image instead of no rows.
  void setRows(std::string rows, std::string counts) {
    auto bind = [&](std::string rows, std::string counts) {
      node.setResult(0, std::move(rows));
      node.setResult(2, std::move(counts));
    };
    if (!op.getMarksNone())
      return bind(rows, counts);
    std::string count = node.squeeze(sizeOf(rows, 0), {0});
    std::string isEmpty = node.node("Equal", {count, node.scalar(0, wide)});
    auto branch = [&](std::string rows, std::string counts) {
      return std::vector<onnx::Graph>{node.getGraph().subgraph([&](onnx::Graph &) {
        bind(std::move(rows), std::move(counts));
        return Values{op.getOut(), op.getNmsRoisNum()};
      })};
    };
    std::string none = node.unsqueeze(node.numbers({-1}, real), {0});
    std::string one = node.numbers({1}, pd::tensorType(op.getNmsRoisNum()).getElementType());
    std::vector<onnx::Graph> whenEmpty = branch(none, one), otherwise = branch(rows, counts);
    auto results =
        node.nodes("If", {isEmpty}, {{"then_branch", whenEmpty}, {"else_branch", otherwise}}, /*outputs=*/2);
    bind(results[0], results[1]);
  }
};

} // namespace

void exportMulticlassNms3(NodeExporter &node) {
  if (node.widen({DType::Float16, DType::BFloat16, DType::Float64}, DType::Float32))
    return;
  MulticlassNms nms{node};
  pd::MulticlassNms3Op op = nms.op;
  std::string count = nms.sizeOf(nms.boxes, 1);
  auto ofClass = static_cast<int64_t>(op.getClassKeepTopK());
  std::string most = ofClass < 0 ? count : node.ints({ofClass});
  std::string chosen =
      node.node("NonMaxSuppression", {nms.measuredBoxes(), nms.candidates(), most,
                                      node.numbers({op.getNmsThreshold().convertToDouble()}, nms.real),
                                      node.numbers({op.getScoreThreshold().convertToDouble()}, nms.real)});
  chosen = nms.best(chosen, node.node("GatherND", {nms.scores, chosen}));
  std::string images = nms.column(chosen, 0), box = nms.column(chosen, 2);
  std::string index = node.node("Add", {node.node("Mul", {images, count}), box});
  std::string isOfImage =
      node.cast(node.node("Equal", {node.unsqueeze(images, {0}),
                                    node.unsqueeze(nms.range(nms.sizeOf(nms.boxes, 0)), {1})}),
                nms.wide);
  std::string counts = node.node("ReduceSum", {isOfImage}, {{"axes", Ints{1}}, {"keepdims", int64_t(0)}});
  auto elementOf = [&](unsigned i) { return pd::tensorType(op->getResult(i)).getElementType(); };
  node.setResult(1, node.cast(node.unsqueeze(index, {1}), elementOf(1)));
  nms.setRows(nms.rows(chosen), node.cast(counts, elementOf(2)));
}

//===-- Regions -----------------------------------------------------------------------------------------===//

/// The image of each region, from the number of regions of each image.
static std::string imagesOfRegions(NodeExporter &node, Value boxes, Value counts) {
  return node.compute([&](TensorBuilder &e) {
    Type wide = e.getBuilder().getI64Type();
    Expression indices = pd::iota(e, pd::DimSize(e.wrap(boxes), 0), wide);
    if (!counts)
      return Values{indices * 0.0};
    Expression ends = e.wrap(
        e.create<pd::CumsumOp>(e.cast(e.wrap(counts), wide), Value(), uint64_t(0), false, false, false));
    Value isPast = e.create<pd::LessEqualOp>(pd::insertDim(ends, 0), pd::insertDim(indices, 1));
    return Values{e.sum(e.cast(e.wrap(isPast), wide), {1}, /*keepdim=*/false)};
  })[0];
}

void exportRoiAlign(NodeExporter &node) {
  auto op = node.get<pd::RoiAlignOp>();
  if (op.getAligned() && node.getOpset() < 16)
    return node.report("is aligned, which ONNX has from opset 16 on");
  std::vector<Named> attributes{
      {"output_height", static_cast<int64_t>(op.getPooledHeight())},
      {"output_width", static_cast<int64_t>(op.getPooledWidth())},
      {"sampling_ratio", std::max<int64_t>(0, static_cast<int64_t>(op.getSamplingRatio()))},
      {"spatial_scale", static_cast<float>(op.getSpatialScale().convertToDouble())}};
  if (node.getOpset() >= 16)
    attributes.push_back({"coordinate_transformation_mode",
                          std::string(op.getAligned() ? "half_pixel" : "output_half_pixel")});
  std::string images = imagesOfRegions(node, op.getBoxes(), op.getBoxesNum());
  node.setResult(0, node.node("RoiAlign", {node.of(op.getX()), node.of(op.getBoxes()), images}, attributes));
}

bool isRoiPoolInOnnx(pd::RoiPoolOp op) { return op.getArgMax().use_empty(); }

/// ONNX has the image of a region as its first number.
void exportRoiPool(NodeExporter &node) {
  auto op = node.get<pd::RoiPoolOp>();
  std::string images = imagesOfRegions(node, op.getBoxes(), op.getBoxesNum());
  Type element = pd::tensorType(op.getBoxes()).getElementType();
  std::string regions =
      node.node("Concat", {node.unsqueeze(node.cast(images, element), {1}), node.of(op.getBoxes())},
                {{"axis", int64_t(1)}});
  node.setResult(0,
                 node.node("MaxRoiPool", {node.of(op.getX()), regions},
                           {{"pooled_shape", Ints{static_cast<int64_t>(op.getPooledHeight()),
                                                  static_cast<int64_t>(op.getPooledWidth())}},
                            {"spatial_scale", static_cast<float>(op.getSpatialScale().convertToDouble())}}));
}

} // namespace proa::exporter::onnxhooks
