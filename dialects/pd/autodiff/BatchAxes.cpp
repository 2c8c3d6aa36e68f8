//! Batching of ops along axes: reductions, scans, softmax, sorting, transforms. Axes move by one.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/signal/FftOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

BatchedResults reduction(Batcher &batcher, Operation *op) {
  Value x = op->getOperand(0);
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("axis");
  SmallVector<int64_t> axes =
      reducedAxes(given ? given.asArrayRef() : ArrayRef<int64_t>(), tensorType(x).getRank());
  Value batched = batcher.batched(x);
  if (axes.empty()) { // rank 0: an empty list would stand for the examples
    Type element = tensorType(op->getResult(0)).getElementType();
    TensorBuilder e(batcher.builder, op);
    return one(e.cast(e.wrap(batched), element));
  }
  for (int64_t &axis : axes)
    ++axis;
  Operation *made = batcher.cloneOn(op, batched);
  made->setAttr("axis", batcher.builder.getDenseI64ArrayAttr(axes));
  return batcher.allOf(made);
}

/// Ops with one axis, and perhaps the flag `flatten`.
BatchedResults alongAxis(Batcher &batcher, Operation *op) {
  auto operands = firstBatched(batcher, op);
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  if (failed(operands) || rank == 0)
    return failure();
  auto flatten = op->getAttrOfType<BoolAttr>("flatten"), keep = op->getAttrOfType<BoolAttr>("keepdims");
  bool isFlat = flatten && flatten.getValue();
  if (isFlat && keep && keep.getValue())
    return failure();
  if (isFlat) {
    TensorBuilder e(batcher.builder, op);
    operands->front() = e.reshape(e.wrap(operands->front()), {0, -1});
  }
  Operation *made = batcher.cloneOn(op, *operands);
  if (isFlat)
    made->setAttr("flatten", batcher.builder.getBoolAttr(false));
  auto given = op->getAttrOfType<IntegerAttr>("axis");
  int64_t axis = given ? given.getInt() : -1;
  made->setAttr("axis", batcher.builder.getI64IntegerAttr(isFlat ? 1 : batchedAxis(axis, rank)));
  return batcher.allOf(made);
}

/// Of no axes, on rank 0, there are no others.
BatchedResults others(Batcher &batcher, Operation *op) {
  auto others = cast<ProductOfOthersOp>(op);
  int64_t rank = tensorType(others.getX()).getRank();
  SmallVector<int64_t> axes = batchedAxes(reducedAxes(others.getAxis(), rank), rank);
  if (axes.empty())
    return failure();
  auto made = cast<ProductOfOthersOp>(batcher.cloneOn(op, batcher.batched(others.getX())));
  made.setAxis(axes);
  return batcher.allOf(made);
}

/// With `asvector` the elements of an example are a vector.
BatchedResults pNorm(Batcher &batcher, Operation *op) {
  auto norm = cast<PNormOp>(op);
  int64_t rank = tensorType(norm.getX()).getRank();
  if (rank == 0)
    return failure();
  bool isVector = norm.getAsvector();
  TensorBuilder e(batcher.builder, op);
  Expression x = e.wrap(batcher.batched(norm.getX()));
  if (isVector)
    x = e.reshape(x, {0, -1});
  auto made = cast<PNormOp>(batcher.cloneOn(op, Value(x)));
  made.setAsvector(false);
  made.setAxis(isVector ? 1 : batchedAxis(static_cast<int64_t>(norm.getAxis()), rank));
  if (!isVector)
    return batcher.allOf(made);
  made.setKeepdim(false);
  SmallVector<Extent> shape(static_cast<size_t>(tensorType(norm.getOut()).getRank()), Extent(1));
  shape.insert(shape.begin(), batcher.examples(e));
  made.getOut().setType(cast<RankedTensorType>(
      batcher.batchedType(RankedTensorType::get({}, tensorType(norm.getOut()).getElementType()))));
  return one(reshapeTo(e.wrap(made.getOut()), shape));
}

/// The tensor that may give the axis must have been folded into the attribute.
template <class Op> BatchedResults alongAxisAttribute(Batcher &batcher, Operation *op) {
  return cast<Op>(op).getAxisTensor() ? BatchedResults(failure()) : alongAxis(batcher, op);
}

/// Ops on several tensors of one shape, with one axis.
BatchedResults alongSharedAxis(Batcher &batcher, Operation *op) {
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(batcher.batched(operand));
  Operation *made = batcher.cloneOn(op, operands);
  int64_t axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  made->setAttr("axis", batcher.builder.getI64IntegerAttr(batchedAxis(axis, rank)));
  return batcher.allOf(made);
}

/// Of the target only the shape counts. Behind the examples' dimension it gets as many dimensions as x has.
BatchedResults reduceAs(Batcher &batcher, Operation *op) {
  auto reduce = cast<ReduceAsOp>(op);
  TensorBuilder e(batcher.builder, op);
  int64_t rank = tensorType(reduce.getX()).getRank(), added = rank - tensorType(reduce.getTarget()).getRank();
  Expression target = e.wrap(batcher.aligned(reduce.getTarget(), rank));
  Expression out = e.wrap(e.create<ReduceAsOp>(batcher.batched(reduce.getX()), target));
  if (added == 0)
    return one(out);
  SmallVector<Extent> shape = extentsOf(target);
  shape.erase(shape.begin() + 1, shape.begin() + 1 + added);
  return one(reshapeTo(out, shape));
}

BatchedResults transform(Batcher &batcher, Operation *op) {
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  Operation *made = batcher.cloneOn(op, batcher.batched(op->getOperand(0)));
  auto axes = batchedAxes(op->getAttrOfType<DenseI64ArrayAttr>("axes").asArrayRef(), rank);
  made->setAttr("axes", batcher.builder.getDenseI64ArrayAttr(axes));
  return batcher.allOf(made);
}

} // namespace

void addAxisBatching(BatchingRules &rules) {
  rules.add<SumOp, MaxOp, MinOp, AmaxOp, AminOp, ProdOp, AllOp, AnyOp>(reduction);
  rules.add<SoftmaxOp, LogSoftmaxOp, ArgsortOp, TopkOp, CumprodOp, LogcumsumexpOp, CummaxOp, CumminOp>(
      alongAxis);
  rules.add<ProductOfOthersOp>(others);
  rules.add<PNormOp>(pNorm);
  rules.add<CumsumOp>(alongAxisAttribute<CumsumOp>);
  rules.add<ArgmaxOp>(alongAxisAttribute<ArgmaxOp>);
  rules.add<ArgminOp>(alongAxisAttribute<ArgminOp>);
  rules.add<LinearRecurrenceOp>(alongSharedAxis);
  rules.add<ReduceAsOp>(reduceAs);
  rules.add<FftC2cOp, FftR2cOp, FftC2rOp>(transform);
}

} // namespace proa::pd
