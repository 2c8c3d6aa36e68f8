#include "dialects/pd/ops/graph/Graph.h"
#include "dialects/pd/ops/graph/Sampling.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

using Values = FailureOr<SmallVector<Value>>;

//===-- Types -------------------------------------------------------------------------------------------===//

LogicalResult checkEdges(std::optional<Location> location, Value source, Value target) {
  RankedTensorType from = tensorType(source), to = tensorType(target);
  auto isVector = [](RankedTensorType type) {
    return type.getRank() == 1 || (type.getRank() == 2 && (type.getDimSize(1) == 1 || type.isDynamicDim(1)));
  };
  if (isVector(from) && isVector(to) &&
      succeeded(verifyCompatibleShape(from.getShape().take_front(), to.getShape().take_front())))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: src_index and dst_index must be vectors of one dim, found " << from
                                 << " and " << to;
  return inferenceError(location, text);
}

namespace {

/// The dimensions after the first, with leading ones up to rank `rank`.
llvm::SmallVector<int64_t> rowShape(RankedTensorType type, int64_t rank) {
  llvm::SmallVector<int64_t> shape(rank - type.getRank(), 1);
  llvm::append_range(shape, type.getShape().drop_front());
  return shape;
}

} // namespace

FailureOr<RankedTensorType> messageType(std::optional<Location> location, RankedTensorType x,
                                        RankedTensorType y, int64_t edges) {
  if (x.getRank() == 0 || y.getRank() == 0 || x.getElementType() != y.getElementType())
    return inferenceError(location, "C3: x and y must have rows of one element type");
  int64_t rank = std::max(x.getRank(), y.getRank());
  auto shape =
      broadcastShapes(location, TypeRange{x.clone(rowShape(x, rank)), y.clone(rowShape(y, rank))}, "C4");
  if (failed(shape))
    return failure();
  shape->insert(shape->begin(), edges);
  return x.clone(*shape);
}

LogicalResult inferReceived(std::optional<Location> location, RankedTensorType message, Value x,
                            Value sizeTensor, llvm::ArrayRef<int64_t> size, Results &results) {
  if (message.getRank() == 0 || tensorType(x).getRank() == 0)
    return inferenceError(location, "C3: x must have rows, found rank 0");
  llvm::SmallVector<int64_t> shape(message.getShape());
  shape[0] = sizeTensor                     ? ShapedType::kDynamic
             : !size.empty() && size[0] > 0 ? size[0]
                                            : tensorType(x).getDimSize(0);
  results.push_back(message.clone(shape));
  results.push_back(RankedTensorType::get({shape[0]}, IntegerType::get(x.getContext(), 32)));
  return success();
}

LogicalResult inferSegmentPoolOf(std::optional<Location> location, RankedTensorType x, RankedTensorType ids,
                                 Results &results) {
  if (x.getRank() == 0 || ids.getRank() != 1 ||
      failed(verifyCompatibleShape(x.getShape().take_front(), ids.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C1: segment_ids must be a vector with an element for each row of x, found " << ids << " for "
        << x;
    return inferenceError(location, text);
  }
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape[0] = ShapedType::kDynamic;
  results.push_back(x.clone(shape));
  results.push_back(x.clone({shape[0], 1}));
  return success();
}

//===-- Decompositions ----------------------------------------------------------------------------------===//

namespace {

struct Reduced {
  Expression rows, counts;
};

/// The messages reduced by target; rows without messages are 0. `counts` is an int64 vector.
Reduced reduceMessages(Expression messages, Expression targets, const DimSize &count, SegmentReduce kind) {
  TensorBuilder &e = messages.owner();
  Expression ones = targets * 0.0 + 1.0;
  Expression counts = reduceRows(ones, targets, count, ScatterReduce::Add, 0.0);
  if (kind == SegmentReduce::Sum || kind == SegmentReduce::Mean) {
    Expression sum = reduceRows(messages, targets, count, ScatterReduce::Add, 0.0);
    if (kind == SegmentReduce::Sum)
      return {sum, counts};
    Expression divisor = e.cast(e.maximum(counts, 1.0), messages.type().getElementType());
    return {sum / asColumn(divisor, sum.rank()), counts};
  }
  Type type = messages.type().getElementType();
  double bound = isa<FloatType>(type) ? std::numeric_limits<double>::infinity()
                                      : std::ldexp(1.0, static_cast<int>(type.getIntOrFloatBitWidth()) - 2);
  bool isMax = kind == SegmentReduce::Max;
  Expression extreme = reduceRows(messages, targets, count, isMax ? ScatterReduce::Amax : ScatterReduce::Amin,
                                  isMax ? -bound : bound);
  Expression isEmpty = e.wrap(e.create<EqualOp>(counts, e.constant(0, e.getBuilder().getI64Type())));
  return {e.select(asColumn(isEmpty, extreme.rank()), 0.0, extreme), counts};
}

Expression edgeIndex(TensorBuilder &e, Value index) { return asInts(asVector(e.wrap(index))); }

DimSize receivers(TensorBuilder &e, Value x, Value sizeTensor, llvm::ArrayRef<int64_t> size) {
  if (sizeTensor) {
    Expression given = e.reshape(e.cast(e.wrap(sizeTensor), e.getBuilder().getI64Type()), {1});
    Expression rows = e.reshape(e.wrap(DimSize(e.wrap(x), 0).getValue(e)), {1});
    return DimSize::element(e.select(given > 0.0, given, rows), 0);
  }
  return !size.empty() && size[0] > 0 ? DimSize(size[0]) : DimSize(e.wrap(x), 0);
}

/// Rows with leading dimensions of size 1, up to rank `rank`.
Expression alignRows(Expression x, int64_t rank) {
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape.insert(shape.begin() + 1, rank - x.rank(), DimSize(1));
  return reshapeTo(x, shape);
}

Expression combine(Expression x, Expression y, MessageOp message) {
  int64_t rank = std::max(x.rank(), y.rank());
  x = alignRows(x, rank);
  y = alignRows(y, rank);
  return message == MessageOp::Add ? x + y : x * y;
}

} // namespace

Values SegmentPoolOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression ids = asInts(e.wrap(getSegmentIds()));
  DimSize count = DimSize::element(slice(ids, 0, -1, toTheEnd) + 1.0, 0);
  Expression x = e.computed(getX());
  Reduced reduced = reduceMessages(x, ids, count, getPooltype());
  return e.results({reduced.rows, asColumn(e.cast(reduced.counts, x.type().getElementType()), 2)});
}

Values SendURecvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression messages = gatherRows(e.computed(getX()), edgeIndex(e, getSrcIndex()));
  Reduced reduced = reduceMessages(messages, edgeIndex(e, getDstIndex()),
                                   receivers(e, getX(), getOutSizeTensor(), getOutSize()), getReduceOp());
  return e.results({reduced.rows, e.cast(reduced.counts, builder.getI32Type())});
}

Values SendUeRecvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression sent = gatherRows(e.computed(getX()), edgeIndex(e, getSrcIndex()));
  Reduced reduced =
      reduceMessages(combine(sent, e.computed(getY()), getMessageOp()), edgeIndex(e, getDstIndex()),
                     receivers(e, getX(), getOutSizeTensor(), getOutSize()), getReduceOp());
  return e.results({reduced.rows, e.cast(reduced.counts, builder.getI32Type())});
}

Values SendUvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({combine(gatherRows(e.computed(getX()), edgeIndex(e, getSrcIndex())),
                            gatherRows(e.computed(getY()), edgeIndex(e, getDstIndex())), getMessageOp())});
}

/// The first places of all nodes are numbered in their order.
Values ReindexGraphOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = asVector(e.wrap(getX())), neighbors = asVector(e.wrap(getNeighbors()));
  Expression nodes = concat({x, neighbors}, 0), counts = asInts(asVector(e.wrap(getCount())));
  auto distinct = UniqueOp::create(builder, getLoc(), nodes, builder.getDenseI64ArrayAttr({}),
                                   TypeAttr::get(builder.getI64Type()));
  Expression first = gatherRows(e.wrap(distinct.getIndices()), e.wrap(distinct.getInverse()));
  Expression isFirst = first == iota(e, DimSize(nodes, 0), builder.getI64Type());
  Expression value = e.wrap(e.create<CumsumOp>(asInts(isFirst), Value(), int64_t(0))) - 1.0;
  value = gatherRows(value, first);
  Expression positions = asVector(e.wrap(e.create<NonzeroOp>(isFirst)));
  auto elementOf = [&](unsigned i) { return tensorType(getOperation()->getResult(i)).getElementType(); };
  Expression sources = sliceBetween(value, 0, DimSize(x, 0), DimSize(nodes, 0));
  Expression targets = rowPositions(neighbors, offsetsOfLengths(counts)).sequence;
  return e.results(
      {e.cast(sources, elementOf(0)), e.cast(targets, elementOf(1)), gatherRows(nodes, positions)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/graph/Graph.cpp.inc"
#include "dialects/pd/ops/graph/Graph.methods.inc"
#include "dialects/pd/ops/graph/Graph.scalar.inc"
