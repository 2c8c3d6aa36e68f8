//! Shapes, slices and constants.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceBox.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

/// An integer tensor, or the attribute that it overrides, as a vector of int64.
static std::string int64Of(NodeExporter &node, Value tensor, llvm::ArrayRef<int64_t> otherwise) {
  if (!tensor)
    return node.ints(otherwise);
  auto type = pd::tensorType(tensor);
  std::string name = node.of(tensor);
  if (!type.getElementType().isInteger(64))
    name = node.cast(name, IntegerType::get(tensor.getContext(), 64));
  return type.getRank() == 1 ? name : node.reshape(name, {-1});
}

void exportReshape(NodeExporter &node) {
  auto op = node.get<pd::ReshapeOp>();
  std::string shape = int64Of(node, op.getShapeTensor(), op.getShape());
  node.setResult(0, node.node("Reshape", {node.of(op.getX()), shape}));
}

/// -1 keeps a dim, as 1 does in ONNX.
void exportExpand(NodeExporter &node) {
  auto op = node.get<pd::ExpandOp>();
  llvm::SmallVector<int64_t> shape(op.getShape());
  for (int64_t &dim : shape)
    dim = dim == -1 ? 1 : dim;
  std::string target = int64Of(node, op.getShapeTensor(), shape);
  if (op.getShapeTensor())
    target = node.node("Abs", {target});
  node.setResult(0, node.node("Expand", {node.of(op.getX()), target}));
}

/// Bounds of a slice in which ONNX and its runtimes agree: the first element, and what follows the last.
struct OnnxBounds {
  llvm::SmallVector<int64_t> starts, ends, strides;
};

constexpr int64_t beforeAll = std::numeric_limits<int64_t>::min();
/// ONNX Runtime takes larger ends of negative strides as before the first element.
constexpr int64_t afterAll = std::numeric_limits<int32_t>::max() - 1;

/// Backwards, pd counts an end of -1 as before the first element.
static OnnxBounds boundsOf(pd::SliceOp op, const pd::SliceOperands &slice) {
  OnnxBounds bounds{llvm::SmallVector<int64_t>(op.getStarts()), llvm::SmallVector<int64_t>(op.getEnds()),
                    llvm::SmallVector<int64_t>(op.getStrides())};
  bounds.strides.resize(op.getAxes().size(), 1);
  FailureOr<pd::SliceBox> box = failure();
  if (!op.getStartsTensor() && !op.getEndsTensor() && slice.x.hasStaticShape())
    box = pd::sliceBox(slice, slice.x.getShape());
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    int64_t stride = bounds.strides[i], dim = axis < 0 ? axis + slice.x.getRank() : axis;
    if (failed(box)) {
      if (stride < 0 && i < bounds.ends.size() && bounds.ends[i] == -1)
        bounds.ends[i] = beforeAll;
      else if (stride < 0 && i < bounds.ends.size())
        bounds.ends[i] = std::min(bounds.ends[i], afterAll);
      continue;
    }
    int64_t end = box->firsts[dim] + box->counts[dim] * stride;
    bool isEmpty = box->counts[dim] == 0;
    bounds.starts[i] = isEmpty ? 0 : box->firsts[dim];
    bounds.ends[i] = isEmpty ? 0 : end < 0 ? beforeAll : end;
    bounds.strides[i] = isEmpty ? 1 : stride;
  }
  return bounds;
}

/// Computed ends of computed or negative strides, as OnnxBounds.
static std::string backwardEnds(NodeExporter &node, std::string ends, const std::string &strides) {
  auto scalar = [&](int64_t value) { return node.ints({value}); };
  std::string isBackward = node.node("Less", {strides, scalar(0)});
  std::string isOpen = node.node("And", {isBackward, node.node("Equal", {ends, scalar(-1)})});
  std::string isLarge = node.node("And", {isBackward, node.node("Greater", {ends, scalar(afterAll)})});
  ends = node.node("Where", {isLarge, scalar(afterAll), ends});
  return node.node("Where", {isOpen, scalar(beforeAll), ends});
}

void exportSliceToOnnx(NodeExporter &node) {
  auto op = node.get<pd::SliceOp>();
  bool isReversed = llvm::any_of(op.getStrides(), [](int64_t stride) { return stride < 0; });
  OnnxBounds bounds =
      boundsOf(op, {pd::tensorType(op.getX()), op.getAxes(), op.getStarts(), op.getEnds(), op.getStrides(),
                    op.getStartsTensor(), op.getEndsTensor(), op.getStridesTensor()});
  std::string strides = int64Of(node, op.getStridesTensor(), bounds.strides),
              ends = int64Of(node, op.getEndsTensor(), bounds.ends);
  if (op.getStridesTensor() || (isReversed && op.getEndsTensor()))
    ends = backwardEnds(node, ends, strides);
  node.setResult(0,
                 node.node("Slice", {node.of(op.getX()), int64Of(node, op.getStartsTensor(), bounds.starts),
                                     ends, node.ints(op.getAxes()), strides}));
}

/// Slices where the axis or a size is known at run time only.
void exportSplit(NodeExporter &node) {
  auto op = node.get<pd::SplitOp>();
  int64_t rank = pd::tensorType(op.getX()).getRank(), axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? rank : 0;
  llvm::SmallVector<int64_t> sizes;
  if (!op.getAxisTensor() && !op.getSectionsTensor())
    for (Value part : op->getResults())
      sizes.push_back(pd::tensorType(part).getDimSize(axis));
  if (sizes.size() < 2 || llvm::any_of(sizes, ShapedType::isDynamic))
    return node.decompose();
  std::vector<std::string> parts =
      node.nodes("Split", {node.of(op.getX()), node.ints(sizes)}, {{"axis", axis}}, sizes.size());
  for (auto [i, part] : llvm::enumerate(parts))
    node.setResult(static_cast<unsigned>(i), part);
}

/// Operands of rank 0 count as vectors of one element.
void exportConcat(NodeExporter &node) {
  auto op = node.get<pd::ConcatOp>();
  std::vector<std::string> parts;
  for (Value part : op.getX())
    parts.push_back(pd::tensorType(part).getRank() == 0 ? node.reshape(node.of(part), {1}) : node.of(part));
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (op.getAxisTensor())
    return node.report("its axis is computed, expected a constant");
  node.setResult(0, parts.size() == 1 ? parts.front() : node.node("Concat", parts, {{"axis", axis}}));
}

void exportPad(NodeExporter &node) {
  auto op = node.get<pd::PadOp>();
  Type element = pd::tensorType(op.getX()).getElementType();
  if (node.widen({DType::Bool}, DType::UInt8))
    return;
  llvm::SmallVector<int64_t> paddings;
  for (size_t side : {0, 1})
    for (size_t i = side; i < op.getPaddings().size(); i += 2)
      paddings.push_back(op.getPaddings()[i]);
  node.setResult(0, node.node("Pad", {node.of(op.getX()), node.ints(paddings),
                                      node.scalar(op.getPadValue().convertToDouble(), element)}));
}

void exportDim(NodeExporter &node) {
  auto op = node.get<pd::DimOp>();
  int64_t rank = pd::tensorType(op.getX()).getRank(), index = static_cast<int64_t>(op.getIndex());
  Type number = IntegerType::get(op.getContext(), 64);
  std::string position = node.scalar(static_cast<double>(index < 0 ? index + rank : index), number);
  node.setResult(0, node.node("Gather", {node.shapeOf(node.of(op.getX())), position}));
}

void exportShape(NodeExporter &node) {
  auto op = node.get<pd::ShapeOp>();
  node.setResult(0,
                 node.cast(node.shapeOf(node.of(op.getX())), pd::tensorType(op.getOut()).getElementType()));
}

void exportArange(NodeExporter &node) {
  auto op = node.get<pd::ArangeOp>();
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Float16, DType::BFloat16}, DType::Float32))
    return;
  std::vector<std::string> bounds;
  for (Value bound : op->getOperands())
    bounds.push_back(pd::tensorType(bound).getRank() == 0 ? node.of(bound)
                                                          : node.reshape(node.of(bound), {}));
  std::string range = node.node("Range", bounds);
  bool isSame = pd::tensorType(op.getStart()).getElementType() == op.getDtype();
  node.setResult(0, isSame ? range : node.cast(range, op.getDtype()));
}

} // namespace proa::exporter::onnxhooks
