//! Rotary embeddings, which ONNX has since opset 23. It has the cosine and the sine of an angle once for both
//! elements that it turns; pd has them in both halves.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ops/attention/PositionEncodingOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cstring>

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using Ints = llvm::SmallVector<int64_t>;

namespace {

bool haveEqualHalves(const Tensor &tensor) {
  int64_t width = tensor.dims().empty() ? 1 : tensor.dims().back();
  size_t bytes = static_cast<size_t>(width / 2) * sizeOf(tensor.dtype());
  if (width % 2 != 0)
    return false;
  for (int64_t row = 0; width > 0 && row < tensor.size() / width; ++row) {
    const char *first = static_cast<const char *>(tensor.data()) + static_cast<size_t>(row) * 2 * bytes;
    if (std::memcmp(first, first + bytes, bytes) != 0)
      return false;
  }
  return true;
}

/// Whether the op keeps whole rows, along the last dimension, of its first operand.
bool keepsRows(Operation *op) {
  auto result = pd::tensorType(op->getResult(0)), own = pd::tensorType(op->getOperand(0));
  if (result.getRank() == 0 || own.getRank() == 0 || result.getShape().back() != own.getShape().back())
    return false;
  int64_t last = own.getRank() - 1;
  if (auto gather = dyn_cast<pd::GatherOp>(op))
    return static_cast<int64_t>(gather.getAxis()) != last && static_cast<int64_t>(gather.getAxis()) != -1;
  if (auto gather = dyn_cast<pd::GatherNdOp>(op))
    return pd::tensorType(gather.getIndex()).getShape().back() <= last;
  if (auto slice = dyn_cast<pd::SliceOp>(op))
    return llvm::none_of(slice.getAxes(), [&](int64_t axis) { return axis == last || axis == -1; });
  return isa<pd::ReshapeOp, pd::SqueezeOp, pd::UnsqueezeOp, pd::ExpandOp, tensor::CastOp>(op);
}

/// Whether both halves of the last dimension are known to be equal.
bool haveEqualHalves(NodeExporter &node, Value value) {
  if (const Tensor *known = node.getGraph().parameterOf(value))
    return haveEqualHalves(*known);
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return false;
  if (auto constant = dyn_cast<pd::ConstantOp>(op))
    return haveEqualHalves(pd::tensorFromAttribute(constant.getValue()));
  if (auto concat = dyn_cast<pd::ConcatOp>(op)) {
    auto axis = static_cast<int64_t>(concat.getAxis());
    return concat.getX().size() == 2 && concat.getX()[0] == concat.getX()[1] &&
           (axis == -1 || axis == pd::tensorType(value).getRank() - 1);
  }
  if (isa<pd::ScalarOpInterface>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      auto type = pd::tensorType(operand);
      return type.getRank() == 0 || type.getShape().back() == 1 || haveEqualHalves(node, operand);
    });
  return op->getNumOperands() > 0 && isa<RankedTensorType>(op->getOperand(0).getType()) && keepsRows(op) &&
         haveEqualHalves(node, op->getOperand(0));
}

/// The dims of cosines or sines of [.., .., .., size].
Ints paddedShape(Value value) {
  Ints shape(pd::tensorType(value).getShape());
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  return shape;
}

/// Which dimension of x the heads are, 1 or 2: all heads share the cosines and sines. None if they are
/// not.
std::optional<int64_t> headsOf(pd::RotaryEmbeddingOp op) {
  for (int64_t heads : {1, 2})
    if (paddedShape(op.getCosines())[heads] == 1 && paddedShape(op.getSines())[heads] == 1)
      return heads;
  return std::nullopt;
}

} // namespace

bool isRotaryInOnnx(pd::RotaryEmbeddingOp op) {
  auto type = pd::tensorType(op.getX());
  if (type.getRank() != 4 || type.getElementType().isF64())
    return false;
  std::optional<int64_t> heads = headsOf(op);
  return heads && (*heads == 1 || !type.isDynamicDim(2));
}

/// With heads after the sequence, x is written as [batch, sequence, heads * size].
void exportRotaryEmbedding(NodeExporter &node) {
  auto op = node.get<pd::RotaryEmbeddingOp>();
  if (!haveEqualHalves(node, op.getCosines()) || !haveEqualHalves(node, op.getSines()))
    return node.decompose();
  int64_t heads = *headsOf(op), size = pd::tensorType(op.getX()).getShape().back();
  std::vector<std::string> tables = node.compute([&](pd::TensorBuilder &e) {
    llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(e.wrap(op.getX()));
    dims.erase(dims.begin() + heads);
    dims.back() = pd::DimSize(size / 2);
    llvm::SmallVector<Value> values;
    for (Value given : {Value(op.getCosines()), Value(op.getSines())}) {
      Expression table = e.wrap(given);
      while (table.rank() < 4)
        table = pd::insertDim(table, 0);
      table = pd::slice(pd::dropDim(table, heads), 2, 0, size / 2);
      values.push_back(pd::expandTo(table, dims));
    }
    return values;
  });
  std::string x = node.of(op.getX());
  if (heads == 1)
    return node.setResult(0, node.node("RotaryEmbedding", {x, tables[0], tables[1]}));
  int64_t count = pd::tensorType(op.getX()).getDimSize(2);
  std::string out =
      node.node("RotaryEmbedding", {node.reshape(x, {0, 0, count * size}), tables[0], tables[1]},
                {{"num_heads", count}});
  node.setResult(0, node.reshape(out, {0, 0, count, size}));
}

} // namespace proa::exporter::onnxhooks
