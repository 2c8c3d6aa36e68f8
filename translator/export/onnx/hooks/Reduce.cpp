//! Reductions, scans, sorting.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

/// A reduction in ONNX; a tensor of rank 0 has no axes.
static std::string reduceBy(NodeExporter &node, llvm::StringRef type, std::string x,
                            llvm::ArrayRef<int64_t> axes, bool keepsDims, int64_t rank) {
  if (rank == 0)
    return x;
  std::vector<NodeExporter::Named> attributes{{"keepdims", int64_t(keepsDims)}};
  if (!axes.empty())
    attributes.push_back({"axes", std::vector<int64_t>(axes)});
  return node.node(type, {std::move(x)}, std::move(attributes));
}

template <class Op> static std::string reduceOp(NodeExporter &node, llvm::StringRef type, std::string x) {
  auto op = node.get<Op>();
  return reduceBy(node, type, std::move(x), op.getAxis(), op.getKeepdim(),
                  pd::tensorType(op.getX()).getRank());
}

void exportSum(NodeExporter &node) {
  auto op = node.get<pd::SumOp>();
  Type from = pd::tensorType(op.getX()).getElementType(), to = pd::tensorType(op.getOut()).getElementType();
  std::string x = from == to ? node.of(op.getX()) : node.cast(node.of(op.getX()), to);
  if (isa<IntegerType>(to) && to.getIntOrFloatBitWidth() < 32) {
    Type wide = IntegerType::get(op.getContext(), 64);
    return node.setResult(0, node.cast(reduceOp<pd::SumOp>(node, "ReduceSum", node.cast(x, wide)), to));
  }
  node.setResult(0, reduceOp<pd::SumOp>(node, "ReduceSum", x));
}

template <class Op> static void exportExtremeOf(NodeExporter &node, llvm::StringRef type) {
  if (node.widen({DType::Bool, DType::Int16, DType::UInt16}, DType::Int32))
    return;
  node.setResult(0, reduceOp<Op>(node, type, node.of(node.get<Op>().getX())));
}

void exportMax(NodeExporter &node) { exportExtremeOf<pd::MaxOp>(node, "ReduceMax"); }
void exportMin(NodeExporter &node) { exportExtremeOf<pd::MinOp>(node, "ReduceMin"); }
void exportAmax(NodeExporter &node) { exportExtremeOf<pd::AmaxOp>(node, "ReduceMax"); }
void exportAmin(NodeExporter &node) { exportExtremeOf<pd::AminOp>(node, "ReduceMin"); }

void exportProd(NodeExporter &node) {
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16}, DType::Int32))
    return;
  node.setResult(0, reduceOp<pd::ProdOp>(node, "ReduceProd", node.of(node.get<pd::ProdOp>().getX())));
}

/// ReduceMin and ReduceMax take bools only since opset 20.
template <class Op> static void exportBoolReduction(NodeExporter &node, llvm::StringRef type) {
  auto op = node.get<Op>();
  Type boolean = IntegerType::get(op.getContext(), 1), number = IntegerType::get(op.getContext(), 32);
  std::string x = node.of(op.getX());
  if (pd::tensorType(op.getX()).getElementType() == boolean)
    x = node.cast(x, number);
  node.setResult(0, node.cast(reduceOp<Op>(node, type, x), boolean));
}

void exportAll(NodeExporter &node) { exportBoolReduction<pd::AllOp>(node, "ReduceMin"); }
void exportAny(NodeExporter &node) { exportBoolReduction<pd::AnyOp>(node, "ReduceMax"); }

void exportMean(NodeExporter &node) {
  node.setResult(0, reduceOp<pd::MeanOp>(node, "ReduceMean", node.of(node.get<pd::MeanOp>().getX())));
}

/// The tensor that a scan runs over, and its axis.
template <class Op> static std::pair<std::string, int64_t> scanned(NodeExporter &node) {
  auto op = node.get<Op>();
  int64_t rank = pd::tensorType(op.getX()).getRank(), axis = static_cast<int64_t>(op.getAxis());
  if (op.getFlatten() || rank == 0)
    return {node.reshape(node.of(op.getX()), {-1}), 0};
  return {node.of(op.getX()), axis < 0 ? axis + rank : axis};
}

void exportCumsum(NodeExporter &node) {
  auto op = node.get<pd::CumsumOp>();
  if (op.getAxisTensor())
    return node.report("its axis is computed, expected a constant");
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16}, DType::Int32) ||
      node.widen({DType::Float16, DType::BFloat16}, DType::Float32))
    return;
  auto [x, axis] = scanned<pd::CumsumOp>(node);
  std::string position = node.scalar(static_cast<double>(axis), IntegerType::get(op.getContext(), 64));
  std::string sum =
      node.node("CumSum", {x, position},
                {{"exclusive", int64_t(op.getExclusive())}, {"reverse", int64_t(op.getReverse())}});
  node.setResult(0, pd::tensorType(op.getOut()).getRank() == 0 ? node.reshape(sum, {}) : sum);
}

/// x shifted by `by` elements along the axis, in the direction of the scan, after elements of `fill`.
static Expression shifted(Expression x, int64_t axis, int64_t by, bool isReverse, Expression fill) {
  Expression head = pd::slice(fill, axis, 0, by);
  return isReverse ? pd::concat({pd::slice(x, axis, by, pd::toTheEnd), head}, axis)
                   : pd::concat({head, pd::slice(x, axis, 0, -by)}, axis);
}

/// A scan by an associative function, in log2(n) steps. Null, and a report, for a dynamic axis.
static Value scanInSteps(NodeExporter &node, TensorBuilder &e, Expression x, int64_t axis, bool isReverse,
                         bool isExclusive, double neutral,
                         llvm::function_ref<Expression(Expression, Expression)> combine) {
  int64_t count = x.type().getDimSize(axis);
  if (ShapedType::isDynamic(count)) {
    node.report("its axis is a dynamic dim: ONNX has no such scan, expected a static one");
    return x;
  }
  Expression fill = pd::expandTo(e.constant(neutral, x.type().getElementType()), pd::dimSizesOf(x));
  for (int64_t by = 1; by < count; by *= 2)
    x = combine(x, shifted(x, axis, by, isReverse, fill));
  return isExclusive && count > 0 ? shifted(x, axis, 1, isReverse, fill) : x;
}

template <class Op>
static void exportScan(NodeExporter &node, double neutral,
                       llvm::function_ref<Expression(TensorBuilder &, Expression, Expression)> combine) {
  auto op = node.get<Op>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0);
    int64_t rank = x.rank(), axis = static_cast<int64_t>(op.getAxis());
    axis += axis < 0 ? rank : 0;
    if (op.getFlatten() || rank == 0) {
      x = e.wrap(e.create<pd::ReshapeOp>(x, Value(), llvm::ArrayRef<int64_t>{-1}));
      axis = 0;
    }
    Expression out = e.wrap(scanInSteps(node, e, x, axis, op.getReverse(), op.getExclusive(), neutral,
                                        [&](Expression a, Expression b) { return combine(e, a, b); }));
    if (pd::tensorType(op.getOut()).getRank() == 0)
      out = e.wrap(e.create<pd::ReshapeOp>(out, Value(), llvm::ArrayRef<int64_t>{}));
    return e.results({out});
  });
}

void exportCumprod(NodeExporter &node) {
  exportScan<pd::CumprodOp>(node, 1, [](TensorBuilder &, Expression a, Expression b) { return a * b; });
}

void exportLogcumsumexp(NodeExporter &node) {
  // The lowest float instead of -infinity, whose difference from itself is NaN.
  exportScan<pd::LogcumsumexpOp>(node, -1e30, [](TensorBuilder &e, Expression a, Expression b) {
    Expression high = e.maximum(a, b), low = e.minimum(a, b);
    return high + e.log1p(e.exp(low - high));
  });
}

/// out = x + decay * out before: pairs (decay, x) combine associatively.
void exportLinearRecurrence(NodeExporter &node) {
  auto op = node.get<pd::LinearRecurrenceOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), decay = e.operand(1);
    int64_t axis = static_cast<int64_t>(op.getAxis());
    axis += axis < 0 ? x.rank() : 0;
    int64_t count = x.type().getDimSize(axis);
    if (ShapedType::isDynamic(count)) {
      node.report("its axis is a dynamic dim: ONNX has no such scan, expected a static one");
      return Values{x};
    }
    Type element = x.type().getElementType();
    Expression zeros = pd::expandTo(e.constant(0, element), pd::dimSizesOf(x));
    Expression ones = pd::expandTo(e.constant(1, element), pd::dimSizesOf(x));
    for (int64_t by = 1; by < count; by *= 2) {
      Expression before = shifted(x, axis, by, op.getReverse(), zeros);
      Expression factor = shifted(decay, axis, by, op.getReverse(), ones);
      x = x + decay * before;
      decay = decay * factor;
    }
    return e.results({x});
  });
}

/// Pairs of an element and its index: the later one if it is not exceeded.
template <class Op> static void exportExtremeScan(NodeExporter &node, bool isMax) {
  auto op = node.get<Op>();
  node.exportAs([&](TensorBuilder &e) {
    Type wide = e.getBuilder().getI64Type();
    Expression x =
        pd::tensorType(op.getX()).getRank() == 0 ? e.reshape(e.wrap(op.getX()), {1}) : e.wrap(op.getX());
    int64_t axis = static_cast<int64_t>(op.getAxis()), count = 0;
    axis += axis < 0 ? x.rank() : 0;
    if (count = x.type().getDimSize(axis); ShapedType::isDynamic(count)) {
      node.report("its axis is a dynamic dim: ONNX has no such scan, expected a static one");
      return Values{x, x};
    }
    llvm::SmallVector<int64_t> alongAxis(x.rank(), 1);
    alongAxis[axis] = -1;
    Expression index = pd::expandTo(e.reshape(pd::iota(e, count, wide), alongAxis), pd::dimSizesOf(x));
    Expression zeros = pd::expandTo(e.constant(0, wide), pd::dimSizesOf(x));
    Type element = x.type().getElementType();
    double least = isa<FloatType>(element) ? 3e38 : 2147483647.0;
    Expression fill = pd::expandTo(e.constant(isMax ? -least : least, element), pd::dimSizesOf(x));
    for (int64_t by = 1; by < count; by *= 2) {
      Expression before = shifted(x, axis, by, false, fill),
                 beforeIndex = shifted(index, axis, by, false, zeros);
      Expression isOwn = isMax ? x >= before : x <= before;
      x = e.select(isOwn, x, before);
      index = e.select(isOwn, index, beforeIndex);
    }
    index = e.cast(index, pd::tensorType(op.getIndices()).getElementType());
    if (pd::tensorType(op.getX()).getRank() == 0)
      return Values{e.reshape(x, {}), e.reshape(index, {})};
    return Values{x, index};
  });
}

void exportCummax(NodeExporter &node) { exportExtremeScan<pd::CummaxOp>(node, true); }
void exportCummin(NodeExporter &node) { exportExtremeScan<pd::CumminOp>(node, false); }

/// ArgMax and ArgMin of the first extreme.
template <class Op> static void exportArg(NodeExporter &node, llvm::StringRef type) {
  auto op = node.get<Op>();
  if (op.getAxisTensor())
    return node.report("its axis is computed, expected a constant");
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16}, DType::Int32))
    return;
  auto out = pd::tensorType(op.getOut());
  int64_t rank = pd::tensorType(op.getX()).getRank(), axis = static_cast<int64_t>(op.getAxis());
  bool isFlat = op.getFlatten() || rank == 0;
  std::string x = isFlat ? node.reshape(node.of(op.getX()), {-1}) : node.of(op.getX());
  std::string index = node.node(
      type, {x}, {{"axis", isFlat ? int64_t(0) : axis}, {"keepdims", int64_t(op.getKeepdims() && !isFlat)}});
  if (isFlat && out.getRank() > 0)
    index = node.reshape(index, llvm::SmallVector<int64_t>(out.getRank(), 1));
  bool isWide = out.getElementType().isInteger(64);
  node.setResult(0, isWide ? index : node.cast(index, out.getElementType()));
}

void exportArgmax(NodeExporter &node) { exportArg<pd::ArgmaxOp>(node, "ArgMax"); }
void exportArgmin(NodeExporter &node) { exportArg<pd::ArgminOp>(node, "ArgMin"); }

/// The number of elements along an axis as a vector of one element.
static std::string countOf(NodeExporter &node, std::string x, int64_t axis) {
  return node.node("Gather", {node.shapeOf(std::move(x)), node.ints({axis})});
}

/// A tensor with a dimension to sort along.
static std::string atLeastVector(NodeExporter &node, Value x) {
  return pd::tensorType(x).getRank() == 0 ? node.reshape(node.of(x), {1}) : node.of(x);
}

static void setSorted(NodeExporter &node, std::vector<std::string> sorted) {
  for (auto [i, name] : llvm::enumerate(sorted)) {
    bool isScalar = pd::tensorType(node.getOp()->getResult(i)).getRank() == 0;
    node.setResult(i, isScalar ? node.reshape(name, {}) : name);
  }
}

void exportArgsortToOnnx(NodeExporter &node) {
  auto op = node.get<pd::ArgsortOp>();
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16}, DType::Int32))
    return;
  int64_t rank = pd::tensorType(op.getX()).getRank(), axis = static_cast<int64_t>(op.getAxis());
  axis = rank == 0 ? 0 : axis < 0 ? axis + rank : axis;
  std::string x = atLeastVector(node, op.getX());
  setSorted(node, node.nodes(
                      "TopK", {x, countOf(node, x, axis)},
                      {{"axis", axis}, {"largest", int64_t(op.getDescending())}, {"sorted", int64_t(1)}}, 2));
}

void exportTopk(NodeExporter &node) {
  auto op = node.get<pd::TopkOp>();
  if (node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16}, DType::Int32))
    return;
  int64_t rank = pd::tensorType(op.getX()).getRank(), axis = static_cast<int64_t>(op.getAxis());
  std::string count = node.ints({static_cast<int64_t>(op.getK())});
  if (op.getKTensor())
    count = node.reshape(node.cast(node.of(op.getKTensor()), IntegerType::get(op.getContext(), 64)), {1});
  setSorted(node, node.nodes("TopK", {atLeastVector(node, op.getX()), count},
                             {{"axis", rank == 0 ? int64_t(0) : axis},
                              {"largest", int64_t(op.getLargest())},
                              {"sorted", int64_t(1)}},
                             2));
}

/// ONNX has one row for each dimension, pd one for each element.
void exportNonzero(NodeExporter &node) {
  auto op = node.get<pd::NonzeroOp>();
  std::string x = node.of(op.getCondition());
  if (pd::tensorType(op.getCondition()).getRank() == 0)
    x = node.reshape(x, {1});
  std::string rows =
      node.node("Transpose", {node.node("NonZero", {x})}, {{"perm", std::vector<int64_t>{1, 0}}});
  if (pd::tensorType(op.getCondition()).getRank() == 0)
    rows = node.node("Slice", {rows, node.ints({0}), node.ints({0}), node.ints({1})});
  node.setResult(0, rows);
}

void exportUnique(NodeExporter &node) {
  auto op = node.get<pd::UniqueOp>();
  if (node.widen({DType::Bool, DType::Int16, DType::Int32}, DType::Int64))
    return;
  std::vector<NodeExporter::Named> attributes;
  if (!op.getAxis().empty())
    attributes.push_back({"axis", op.getAxis().front()});
  std::vector<std::string> results = node.nodes("Unique", {node.of(op.getX())}, attributes, 4);
  node.setResult(0, results[0]);
  for (unsigned i = 1; i < 4; ++i)
    node.setResult(i, node.cast(results[i], pd::tensorType(op->getResult(i)).getElementType()));
}

void exportUniqueWithCounts(NodeExporter &node) {
  auto op = node.get<pd::UniqueWithCountsOp>();
  if (node.widen({DType::Bool, DType::Int16, DType::Int32}, DType::Int64))
    return;
  std::vector<std::string> results = node.nodes("Unique", {node.of(op.getX())}, {{"sorted", int64_t(0)}}, 4);
  node.setResult(0, results[0]);
  for (unsigned i : {1U, 2U})
    node.setResult(i, node.cast(results[i + 1], pd::tensorType(op->getResult(i)).getElementType()));
}

/// For each number how often it occurs, or the sum of the weights there.
void exportBincount(NodeExporter &node) {
  auto op = node.get<pd::BincountOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type wide = e.getBuilder().getI64Type(), element = pd::tensorType(op.getOut()).getElementType();
    Expression x = e.cast(e.wrap(op.getX()), wide);
    // The maximum of no elements does not exist in ONNX.
    Expression none = e.reshape(e.constant(static_cast<double>(op.getMinlength()) - 1, wide), {1});
    Expression count = e.max(pd::concat({x, none}, 0), {0}, /*keepdim=*/false) + 1.0;
    Expression indices =
        e.wrap(e.create<pd::ArangeOp>(e.constant(0, wide), count, e.constant(1, wide), TypeAttr::get(wide)));
    Value isEqual = e.create<pd::EqualOp>(pd::insertDim(indices, 1), pd::insertDim(x, 0));
    Expression addends = e.cast(e.wrap(isEqual), element);
    if (op.getWeights())
      addends = addends * pd::insertDim(e.cast(e.wrap(op.getWeights()), element), 0);
    return Values{
        e.wrap(e.create<pd::SumOp>(addends, llvm::ArrayRef<int64_t>{1}, false, TypeAttr::get(element)))};
  });
}

/// An element begins a run if it differs from the one before.
void exportUniqueConsecutive(NodeExporter &node) {
  auto op = node.get<pd::UniqueConsecutiveOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type wide = e.getBuilder().getI64Type();
    Expression x = e.reshape(e.wrap(op.getX()), {-1});
    Value differs = e.create<pd::NotEqualOp>(pd::slice(x, 0, 1, pd::toTheEnd), pd::slice(x, 0, 0, -1));
    Expression first = pd::slice(x, 0, 0, 1);
    Expression begins = pd::concat({e.wrap(e.create<pd::EqualOp>(first, first)), e.wrap(differs)}, 0);
    Expression starts = pd::dropDim(e.wrap(e.create<pd::NonzeroOp>(begins)), 1);
    Expression run =
        e.wrap(e.create<pd::CumsumOp>(e.cast(begins, wide), Value(), uint64_t(0), false, false, false));
    Expression out = e.wrap(e.create<pd::GatherOp>(x, starts, Value(), uint64_t(0)));
    Expression size = e.reshape(e.wrap(pd::DimSize(x, 0).getValue(e)), {1});
    Expression ends = pd::concat({pd::slice(starts, 0, 1, pd::toTheEnd), e.cast(size, wide)}, 0);
    auto elementOf = [&](unsigned i) { return pd::tensorType(op->getResult(i)).getElementType(); };
    return Values{out, e.cast(run - 1.0, elementOf(1)), e.cast(ends - starts, elementOf(2))};
  });
}

/// The values as they are: the barrier keeps passes from reusing others.
void exportBarrier(NodeExporter &node) {
  for (auto [i, value] : llvm::enumerate(node.getOp()->getOperands()))
    if (i < node.getOp()->getNumResults())
      node.setResult(i, node.of(value));
}

} // namespace proa::exporter::onnxhooks
