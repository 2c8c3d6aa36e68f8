//! Shapes, slices and constants.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceBox.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"

#include <cmath>

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
    for (Value piece : op->getResults())
      sizes.push_back(pd::tensorType(piece).getDimSize(axis));
  if (sizes.size() < 2 || llvm::any_of(sizes, ShapedType::isDynamic))
    return node.decompose();
  std::vector<std::string> pieces =
      node.nodes("Split", {node.of(op.getX()), node.ints(sizes)}, {{"axis", axis}}, sizes.size());
  for (auto [i, piece] : llvm::enumerate(pieces))
    node.setResult(static_cast<unsigned>(i), piece);
}

/// Operands of rank 0 count as vectors of one element.
void exportConcat(NodeExporter &node) {
  auto op = node.get<pd::ConcatOp>();
  std::vector<std::string> pieces;
  for (Value piece : op.getX())
    pieces.push_back(pd::tensorType(piece).getRank() == 0 ? node.reshape(node.of(piece), {1})
                                                          : node.of(piece));
  int64_t axis = static_cast<int64_t>(op.getAxis());
  if (op.getAxisTensor())
    return node.report("its axis is computed, expected a constant");
  node.setResult(0, pieces.size() == 1 ? pieces.front() : node.node("Concat", pieces, {{"axis", axis}}));
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
  Type i64 = IntegerType::get(op.getContext(), 64);
  std::string position = node.scalar(static_cast<double>(index < 0 ? index + rank : index), i64);
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

//===-- Bits --------------------------------------------------------------------------------------------===//

namespace {

using onnx::DataType;

/// The bits of elements, as unsigned integers.
class BitWriter {
public:
  explicit BitWriter(NodeExporter &node) : node(node) {}

  std::string cast(std::string x, DataType to) {
    return node.node("Cast", {std::move(x)}, {{"to", typed(to)}});
  }
  std::string bitCast(std::string x, DataType to) {
    return node.node("BitCast", {std::move(x)}, {{"to", typed(to)}});
  }
  /// Elements [..., n] of `bits` bits as elements [..., n * pieces] of fewer bits, the lowest ones first.
  std::string split(const std::string &x, int64_t rank, int64_t bits, int64_t pieces) {
    int64_t width = bits / pieces;
    std::string wide = cast(x, DataType::UInt64), mask = number(std::exp2(width) - 1);
    std::vector<std::string> columns;
    for (int64_t k = 0; k < pieces; ++k) {
      std::string piece = node.node("BitwiseAnd", {shifted(wide, "RIGHT", k * width), mask});
      columns.push_back(node.unsqueeze(cast(piece, unsignedOf(width)), {rank}));
    }
    std::vector<int64_t> shape(static_cast<size_t>(rank), 0);
    shape.back() = -1;
    return node.reshape(node.node("Concat", columns, {{"axis", rank}}), shape);
  }
  /// The inverse of split.
  std::string join(const std::string &x, int64_t rank, int64_t bits, int64_t pieces) {
    std::vector<int64_t> shape(static_cast<size_t>(rank - 1), 0);
    shape.insert(shape.end(), {-1, pieces});
    std::string narrow = node.reshape(cast(x, DataType::UInt64), shape), all;
    for (int64_t k = 0; k < pieces; ++k) {
      std::string index =
          node.scalar(static_cast<double>(k), IntegerType::get(node.getOp()->getContext(), 64));
      std::string piece = shifted(node.node("Gather", {narrow, index}, {{"axis", rank}}), "LEFT", k * bits);
      all = k == 0 ? piece : node.node("BitwiseOr", {all, piece});
    }
    return cast(all, unsignedOf(bits * pieces));
  }

  static DataType unsignedOf(int64_t bits) {
    return bits == 8    ? DataType::UInt8
           : bits == 16 ? DataType::UInt16
           : bits == 32 ? DataType::UInt32
                        : DataType::UInt64;
  }

private:
  static int64_t typed(DataType type) { return static_cast<int64_t>(type); }
  std::string number(double value) {
    return cast(node.scalar(value, IntegerType::get(node.getOp()->getContext(), 64)), DataType::UInt64);
  }
  std::string shifted(const std::string &x, llvm::StringRef direction, int64_t bits) {
    return bits == 0 ? x
                     : node.node("BitShift", {x, number(static_cast<double>(bits))},
                                 {{"direction", direction.str()}});
  }

  NodeExporter &node;
};

} // namespace

void exportViewDtype(NodeExporter &node) {
  auto op = node.get<pd::ViewDtypeOp>();
  RankedTensorType x = pd::tensorType(op.getX());
  std::optional<DType> from = pd::dtypeOf(x.getElementType()), to = pd::dtypeOf(op.getDtype());
  if (!from || !to || isa<ComplexType>(x.getElementType()) || isa<ComplexType>(op.getDtype()))
    return node.report("reads the bits of complex numbers, which ONNX lacks");
  auto bitsOf = [](DType dtype) { return static_cast<int64_t>(8 * sizeOf(dtype)); };
  int64_t bits = bitsOf(*from), target = bitsOf(*to);
  BitWriter writer(node);
  std::string value = node.of(op.getX());
  if (bits == target && *from != DType::Bool && *to != DType::Bool)
    return node.setResult(0, writer.bitCast(value, onnx::dataTypeOf(*to)));
  if (*from == DType::Bool)
    value = writer.cast(value, DataType::UInt8);
  else if (onnx::dataTypeOf(*from) != BitWriter::unsignedOf(bits))
    value = writer.bitCast(value, BitWriter::unsignedOf(bits));
  if (bits > target)
    value = writer.split(value, x.getRank(), bits, bits / target);
  else if (bits < target)
    value = writer.join(value, x.getRank(), bits, target / bits);
  if (*to == DType::Bool)
    value = writer.cast(value, DataType::Bool);
  else if (onnx::dataTypeOf(*to) != BitWriter::unsignedOf(target))
    value = writer.bitCast(value, onnx::dataTypeOf(*to));
  node.setResult(0, value);
}

} // namespace proa::exporter::onnxhooks
