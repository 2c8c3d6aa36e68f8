//! Hooks of ops of ONNX that read and write elements at indices.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

/// The coordinates of the elements of `index`, of its dims and a last dimension of 1. Along `axis` they are
/// the elements themselves.
static Expression coordinates(Expression index, int64_t of, int64_t axis) {
  TensorBuilder &e = index.owner();
  Dims dims = pd::dimSizesOf(index);
  Expression position = of == axis ? e.cast(index, e.getBuilder().getI64Type())
                                   : pd::expandTo(indicesAlong(e, dims[of], of, index.rank()), dims);
  return pd::insertDim(position, index.rank());
}

/// Whether the two dims are equal, or dynamic dims of one value.
static bool areEqualDims(Expression x, Expression y, int64_t axis) {
  int64_t size = x.type().getDimSize(axis);
  return size != pd::unknown && size == y.type().getDimSize(axis);
}

void importGatherElements(NodeImporter &node) {
  Expression data = node.operand("data"), indices = node.operand("indices");
  int64_t axis = axisOf(node, data);
  if (indices.rank() != data.rank())
    return node.report("has indices of rank " + llvm::Twine(indices.rank()) + ", expected rank " +
                       llvm::Twine(data.rank()) + ", as data");
  // pd.take_along_axis broadcasts a dimension of size 1.
  for (int64_t other = 0; other < data.rank(); ++other)
    if (other != axis && !areEqualDims(data, indices, other))
      data = pd::sliceBetween(data, other, 0, DimSize(indices, other));
  node.setOutput("output", node.create<pd::TakeAlongAxisOp>(data, indices, axis));
}

void importGatherNd(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression data = node.operand("data"), indices = node.operand("indices");
  int64_t batch = node.intAttribute("batch_dims");
  if (batch < 0 || batch >= std::min(data.rank(), indices.rank()))
    return node.report("has batch_dims " + llvm::Twine(batch) + ", expected 0 or more, below the ranks " +
                       llvm::Twine(data.rank()) + " and " + llvm::Twine(indices.rank()));
  if (batch > 0) {
    Dims dims = pd::dimSizesOf(indices);
    dims.back() = 1;
    llvm::SmallVector<Expression> pieces;
    for (int64_t i = 0; i < batch; ++i)
      pieces.push_back(pd::expandTo(indicesAlong(e, dims[i], i, indices.rank()), dims));
    pieces.push_back(e.cast(indices, e.getBuilder().getI64Type()));
    indices = pd::concat(pieces, indices.rank() - 1);
  }
  node.setOutput("output", node.create<pd::GatherNdOp>(data, indices));
}

/// The attribute `reduction`; ends the hook, with a report, for an unknown one.
static pd::ScatterReduce reductionIn(NodeImporter &node) {
  std::string name = node.stringAttribute("reduction", "none");
  std::optional<pd::ScatterReduce> reduce = llvm::StringSwitch<std::optional<pd::ScatterReduce>>(name)
                                                .Case("none", pd::ScatterReduce::Assign)
                                                .Case("add", pd::ScatterReduce::Add)
                                                .Case("mul", pd::ScatterReduce::Multiply)
                                                .Case("min", pd::ScatterReduce::Amin)
                                                .Case("max", pd::ScatterReduce::Amax)
                                                .Default(std::nullopt);
  if (reduce)
    return *reduce;
  node.report("has reduction '" + name + "', expected none, add, mul, min or max");
  node.stop();
}

/// data with the updates at the indices along the axis; the other coordinates are the position in the index.
static Expression scatterAlong(NodeImporter &node, Expression data, Expression indices, Expression updates,
                               int64_t axis, pd::ScatterReduce reduce) {
  bool isWhole = llvm::all_of(llvm::seq<int64_t>(0, data.rank()), [&](int64_t other) {
    return other == axis || areEqualDims(data, indices, other);
  });
  if (isWhole)
    return node.create<pd::PutAlongAxisOp>(data, indices, updates, axis, reduce);
  llvm::SmallVector<Expression> pieces;
  for (int64_t other = 0; other < data.rank(); ++other)
    pieces.push_back(coordinates(indices, other, axis));
  return node.create<pd::ScatterNdOp>(data, pd::concat(pieces, data.rank()), updates, reduce);
}

void importScatterElements(NodeImporter &node) {
  Expression data = node.operand("data"), indices = node.operand("indices");
  int64_t axis = axisOf(node, data);
  if (indices.rank() != data.rank())
    return node.report("has indices of rank " + llvm::Twine(indices.rank()) + ", expected rank " +
                       llvm::Twine(data.rank()) + ", as data");
  pd::ScatterReduce reduce = node.since() >= 16 ? reductionIn(node) : pd::ScatterReduce::Assign;
  node.setOutput("output", scatterAlong(node, data, indices, node.operand("updates"), axis, reduce));
}

void importScatterNd(NodeImporter &node) {
  pd::ScatterReduce reduce = node.since() >= 16 ? reductionIn(node) : pd::ScatterReduce::Assign;
  node.setOutput("output", node.create<pd::ScatterNdOp>(node.operand("data"), node.operand("indices"),
                                                        node.operand("updates"), reduce));
}

void importTensorScatter(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression cache = node.operand("past_cache"), update = node.operand("update");
  int64_t axis = axisOf(node, cache);
  std::string mode = node.stringAttribute("mode");
  if (mode != "linear" && mode != "circular")
    return node.report("has mode '" + mode + "', expected linear or circular");
  Dims dims = pd::dimSizesOf(update);
  Expression position = indicesAlong(e, dims[axis], axis, cache.rank());
  if (Value starts = node.input("write_indices")) {
    Ints shape(cache.rank(), 1);
    shape[0] = -1;
    position = position + e.reshape(e.cast(node.wrap(starts), e.getBuilder().getI64Type()), shape);
  }
  if (mode == "circular")
    position = pd::modulo(position, DimSize(cache, axis));
  node.setOutput("present_cache", scatterAlong(node, cache, pd::expandTo(position, dims), update, axis,
                                               pd::ScatterReduce::Assign));
}

void importCompress(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression input = node.operand("input"), condition = node.operand("condition");
  int64_t axis = 0;
  if (node.hasAttribute("axis"))
    axis = axisOf(node, input);
  else
    input = e.reshape(input, {-1});
  Expression indices = e.reshape(node.create<pd::NonzeroOp>(condition), {-1});
  node.setOutput("output", node.create<pd::GatherOp>(input, indices, Value(), static_cast<uint64_t>(axis)));
}

void importOneHot(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Type i64 = e.getBuilder().getI64Type();
  Expression indices = e.cast(node.operand("indices"), i64), values = node.operand("values");
  Expression depth = e.cast(asScalar(node.operand("depth")), i64);
  int64_t axis = axisIn(node, node.intAttribute("axis"), indices.rank() + 1);
  std::optional<Ints> known = knownInts(node, depth);
  DimSize size = known ? DimSize((*known)[0]) : pd::dimSizeOf(depth);
  Expression index = e.select(indices < 0.0, indices + valueOf(e, size), indices);
  Expression isOn = pd::insertDim(index, axis) == indicesAlong(e, size, axis, indices.rank() + 1);
  auto value = [&](int64_t i) { return e.reshape(pd::slice(values, 0, i, i + 1), {}); };
  node.setOutput("output", e.select(isOn, value(1), value(0)));
}

void importReverseSequence(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression input = node.operand("input"), lengths = node.operand("sequence_lens");
  int64_t time = axisOf(node, input, "time_axis"), batch = axisOf(node, input, "batch_axis");
  if (time == batch)
    return node.report("has time_axis and batch_axis " + llvm::Twine(time) + ", expected different axes");
  Ints shape(input.rank(), 1);
  shape[batch] = -1;
  Expression length = e.reshape(e.cast(lengths, e.getBuilder().getI64Type()), shape);
  Expression step = indicesAlong(e, DimSize(input, time), time, input.rank());
  Expression source = e.select(step < length, length - 1.0 - step, step);
  node.setOutput("Y", node.create<pd::TakeAlongAxisOp>(input, source, time));
}

} // namespace proa::import::onnxhooks
