//! Gathers and scatters. Elements are counted from 0, or from the end, as in pd.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"

#include <cstring>

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;

static std::string indicesOf(NodeExporter &node, Value index) {
  Type element = pd::tensorType(index).getElementType();
  bool isTaken = element.isInteger(64) || element.isInteger(32);
  return isTaken ? node.of(index) : node.cast(node.of(index), IntegerType::get(index.getContext(), 64));
}

/// GatherND, ScatterND and others take int64 only.
static std::string wideIndicesOf(NodeExporter &node, Value index) {
  Type wide = IntegerType::get(index.getContext(), 64);
  return pd::tensorType(index).getElementType() == wide ? node.of(index) : node.cast(node.of(index), wide);
}

void exportGather(NodeExporter &node) {
  auto op = node.get<pd::GatherOp>();
  if (op.getAxisTensor())
    return node.report("its axis is computed, expected a constant");
  node.setResult(0, node.node("Gather", {node.of(op.getX()), indicesOf(node, op.getIndex())},
                              {{"axis", static_cast<int64_t>(op.getAxis())}}));
}

void exportGatherNd(NodeExporter &node) {
  auto op = node.get<pd::GatherNdOp>();
  if (pd::tensorType(op.getIndex()).getShape().back() != 0)
    return node.setResult(0, node.node("GatherND", {node.of(op.getX()), wideIndicesOf(node, op.getIndex())}));
  // An index of no dimensions is all of x.
  std::string rows =
      node.node("Slice", {node.shapeOf(node.of(op.getIndex())), node.ints({0}), node.ints({-1})});
  std::string shape = node.node("Concat", {rows, node.shapeOf(node.of(op.getX()))}, {{"axis", int64_t(0)}});
  node.setResult(0, node.node("Expand", {node.of(op.getX()), shape}));
}

/// Row `padding_idx` is zero.
void exportEmbedding(NodeExporter &node) {
  auto op = node.get<pd::EmbeddingOp>();
  std::string rows = node.node("Gather", {node.of(op.getWeight()), indicesOf(node, op.getX())});
  int64_t padding = static_cast<int64_t>(op.getPaddingIdx());
  if (padding != -1) {
    Type index = pd::tensorType(op.getX()).getElementType();
    Type element = pd::tensorType(op.getWeight()).getElementType();
    std::string isPadding =
        node.node("Equal", {node.of(op.getX()), node.scalar(static_cast<double>(padding), index)});
    rows = node.node("Where", {node.unsqueeze(isPadding, {-1}), node.scalar(0, element), rows});
  }
  node.setResult(0, rows);
}

/// Both tensors with the dims that pd broadcasts; the axis keeps its size in each.
static std::pair<Expression, Expression> alignedFor(TensorBuilder &e, Expression x, Expression indices,
                                                    int64_t axis) {
  llvm::SmallVector<pd::DimSize> xDims = pd::dimSizesOf(x), indexDims = pd::dimSizesOf(indices);
  bool growsX = false, growsIndices = false;
  for (int64_t i = 0; i < x.rank(); ++i) {
    if (i == axis)
      continue;
    bool isX = xDims[i].isNumber(1) && !indexDims[i].isNumber(1);
    bool isIndex = indexDims[i].isNumber(1) && !xDims[i].isNumber(1);
    growsX |= isX;
    growsIndices |= isIndex;
    if (isX)
      xDims[i] = indexDims[i];
    if (isIndex)
      indexDims[i] = xDims[i];
  }
  return {growsX ? pd::expandTo(x, xDims) : x, growsIndices ? pd::expandTo(indices, indexDims) : indices};
}

void exportTakeAlongAxis(NodeExporter &node) {
  auto op = node.get<pd::TakeAlongAxisOp>();
  int64_t axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? pd::tensorType(op.getX()).getRank() : 0;
  auto aligned = node.compute([&](TensorBuilder &e) {
    auto [x, indices] = alignedFor(e, e.wrap(op.getX()), e.wrap(op.getIndices()), axis);
    return llvm::SmallVector<Value>{x, e.cast(indices, e.getBuilder().getI64Type())};
  });
  node.setResult(0, node.node("GatherElements", {aligned[0], aligned[1]}, {{"axis", axis}}));
}

/// ONNX's name of a reduction; empty, and a report, where the opset lacks it.
static std::string reductionOf(NodeExporter &node, pd::ScatterReduce reduce) {
  bool isExtreme = reduce == pd::ScatterReduce::Amin || reduce == pd::ScatterReduce::Amax;
  if (node.getOpset() < (isExtreme ? 18 : 16) && reduce != pd::ScatterReduce::Assign) {
    node.report("combines elements, which ONNX has from opset " + llvm::Twine(isExtreme ? 18 : 16) + " on");
    return "";
  }
  switch (reduce) {
  case pd::ScatterReduce::Assign:
    return "none";
  case pd::ScatterReduce::Add:
    return "add";
  case pd::ScatterReduce::Multiply:
    return "mul";
  case pd::ScatterReduce::Amin:
    return "min";
  case pd::ScatterReduce::Amax:
    return "max";
  }
  llvm_unreachable("unknown reduction");
}

static std::vector<NodeExporter::Named> scatterAttributes(NodeExporter &node, pd::ScatterReduce reduce) {
  std::string reduction = reductionOf(node, reduce);
  if (reduction == "none" || reduction.empty())
    return {};
  return {{"reduction", reduction}};
}

void exportScatterNd(NodeExporter &node) {
  auto op = node.get<pd::ScatterNdOp>();
  node.setResult(0,
                 node.node("ScatterND",
                           {node.of(op.getX()), wideIndicesOf(node, op.getIndex()), node.of(op.getUpdates())},
                           scatterAttributes(node, op.getReduce())));
}

/// The tensor without leading dimensions of size 1 beyond `rank`.
static Expression withRank(Expression x, int64_t rank) {
  if (x.rank() <= rank)
    return x;
  llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(x);
  return pd::reshapeTo(x, llvm::ArrayRef(dims).drop_front(x.rank() - rank));
}

void exportPutAlongAxis(NodeExporter &node) {
  auto op = node.get<pd::PutAlongAxisOp>();
  int64_t axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? pd::tensorType(op.getX()).getRank() : 0;
  auto aligned = node.compute([&](TensorBuilder &e) {
    Expression indices = alignedFor(e, e.wrap(op.getX()), e.wrap(op.getIndices()), axis).second;
    Expression values = withRank(e.wrap(op.getValues()), indices.rank());
    return llvm::SmallVector<Value>{e.cast(indices, e.getBuilder().getI64Type()),
                                    pd::expandTo(values, pd::dimSizesOf(indices))};
  });
  std::vector<NodeExporter::Named> attributes = scatterAttributes(node, op.getReduce());
  attributes.push_back({"axis", axis});
  node.setResult(0, node.node("ScatterElements", {node.of(op.getX()), aligned[0], aligned[1]}, attributes));
}

/// The slice of the positions of all elements says where the values are put.
void exportSetValueToOnnx(NodeExporter &node) {
  auto op = node.get<pd::SetValueOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type i64 = e.getBuilder().getI64Type();
    Expression x = e.wrap(op.getX());
    Expression flat = e.wrap(e.create<pd::ReshapeOp>(x, Value(), llvm::ArrayRef<int64_t>{-1}));
    Expression positions = pd::reshapeTo(pd::iota(e, pd::DimSize(flat, 0), i64), pd::dimSizesOf(x));
    Expression chosen =
        e.wrap(e.create<pd::SliceOp>(positions, op.getStartsTensor(), op.getEndsTensor(), op.getStepsTensor(),
                                     op.getAxes(), op.getStarts(), op.getEnds(), op.getSteps()));
    Expression values = withRank(e.wrap(op.getValues()), chosen.rank());
    values = pd::expandTo(values, pd::dimSizesOf(chosen));
    auto flattened = [&](Expression tensor) {
      return e.wrap(e.create<pd::ReshapeOp>(tensor, Value(), llvm::ArrayRef<int64_t>{-1}));
    };
    Expression rows = pd::insertDim(flattened(chosen), 1);
    Value written = pd::ScatterNdOp::create(e.getBuilder(), op.getLoc(), flat, rows, flattened(values));
    return llvm::SmallVector<Value>{pd::reshapeTo(e.wrap(written), pd::dimSizesOf(x))};
  });
}

/// ONNX does not read the bits of numbers, so that the bytes of a parameter become an initializer.
/// The first opset that reads the bits of numbers (BitCast).
static constexpr int64_t opsetOfBits = 26;

/// Rows of least and largest number, and codes of 8 bits, four in each float32.
static void exportComputedTable(NodeExporter &node, pd::LookupTableDequantOp op) {
  node.exportAs([&](TensorBuilder &e) {
    Expression ids = e.wrap(op.getIds());
    auto padding = static_cast<int64_t>(op.getPaddingIdx());
    Expression isPadding = e.equal(ids, static_cast<double>(padding)); // [..., 1]
    Expression index = pd::dropDim(padding == -1 ? ids : e.select(isPadding, 0.0, ids), ids.rank() - 1);
    Expression rows = e.wrap(e.create<pd::GatherOp>(op.getW(), index, Value(), uint64_t(0)));
    int64_t last = rows.rank() - 1;
    Expression least = pd::slice(rows, last, 0, 1), most = pd::slice(rows, last, 1, 2);
    Type byte = e.getBuilder().getIntegerType(8, /*isSigned=*/false);
    Expression codes = e.wrap(e.create<pd::ViewDtypeOp>(pd::slice(rows, last, 2, pd::toTheEnd), byte));
    Expression out = least + (most - least) * (1.0 / 256) * e.cast(codes, e.getBuilder().getF32Type());
    return llvm::SmallVector<Value>{padding == -1 ? out : e.select(isPadding, 0.0, out)};
  });
}

void exportLookupTableDequant(NodeExporter &node) {
  auto op = node.get<pd::LookupTableDequantOp>();
  const Tensor *table = node.getGraph().parameterOf(op.getW());
  if (!table && node.getOpset() >= opsetOfBits)
    return exportComputedTable(node, op);
  if (!table)
    return node.report(
        "has a table that is computed or trained, expected a parameter: ONNX does not read the "
        "bytes of floats before opset 26");
  int64_t rows = table->dims()[0], columns = table->dims()[1], width = 4 * (columns - 2);
  Tensor bytes(DType::UInt8, {rows, width}), least(DType::Float32, {rows, 1}),
      step(DType::Float32, {rows, 1});
  for (int64_t i = 0; i < rows; ++i) {
    const float *row = table->as<float>() + i * columns;
    std::memcpy(bytes.as<uint8_t>() + i * width, row + 2, static_cast<size_t>(width));
    least.as<float>()[i] = row[0];
    step.as<float>()[i] = (row[1] - row[0]) / 256;
  }
  Type real = Float32Type::get(op.getContext());
  auto padding = static_cast<int64_t>(op.getPaddingIdx());
  std::string ids = node.of(op.getIds()), known = ids;
  std::string value = node.scalar(static_cast<double>(padding), pd::tensorType(op.getIds()).getElementType());
  std::string isPadding = padding == -1 ? "" : node.node("Equal", {ids, value});
  if (padding != -1)
    known =
        node.node("Where", {isPadding, node.scalar(0, pd::tensorType(op.getIds()).getElementType()), ids});
  // [..., 1]
  std::string flat = node.squeeze(known, {pd::tensorType(op.getIds()).getRank() - 1});
  auto rowsOf = [&](const Tensor &of) {
    return node.node("Gather", {node.getGraph().addConstant(of), flat}, {{"axis", int64_t(0)}});
  };
  std::string out =
      node.node("Add", {node.node("Mul", {node.cast(rowsOf(bytes), real), rowsOf(step)}), rowsOf(least)});
  node.setResult(0, padding == -1 ? out : node.node("Where", {isPadding, node.scalar(0, real), out}));
}

} // namespace proa::exporter::onnxhooks
