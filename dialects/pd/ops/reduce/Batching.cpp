//! Batching rules of reductions and scans: axes move by one.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"

using namespace mlir;

namespace proa::pd {

/// The rule of reductions, which have the attribute `axis`.
BatchedResults batchReduction(Batcher &batcher, Operation *op) {
  Value x = op->getOperand(0);
  auto attribute = op->getAttrOfType<DenseI64ArrayAttr>("axis");
  SmallVector<int64_t> axes =
      reducedAxes(attribute ? attribute.asArrayRef() : ArrayRef<int64_t>(), tensorType(x).getRank());
  Value batched = batcher.batched(x);
  if (axes.empty()) { // rank 0: with an empty list the examples would be reduced
    Type element = tensorType(op->getResult(0)).getElementType();
    TensorBuilder e(batcher.builder, op);
    return one(e.cast(e.wrap(batched), element));
  }
  for (int64_t &axis : axes)
    ++axis;
  Operation *created = batcher.cloneOn(op, batched);
  created->setAttr("axis", batcher.builder.getDenseI64ArrayAttr(axes));
  return batcher.allOf(created);
}

/// Not with rank 0, where there are no axes.
BatchedResults ProductOfOthersOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getX()).getRank();
  SmallVector<int64_t> axes = batchedAxes(reducedAxes(getAxis(), rank), rank);
  if (axes.empty())
    return failure();
  auto created = cast<ProductOfOthersOp>(batcher.cloneOn(*this, batcher.batched(getX())));
  created.setAxis(axes);
  return batcher.allOf(created);
}

/// With `asvector` the elements of an example are a vector.
BatchedResults PNormOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getX()).getRank();
  if (rank == 0)
    return failure();
  bool isVector = getAsvector();
  TensorBuilder e(batcher.builder, getOperation());
  Expression x = e.wrap(batcher.batched(getX()));
  if (isVector)
    x = e.reshape(x, {0, -1});
  auto created = cast<PNormOp>(batcher.cloneOn(*this, Value(x)));
  created.setAsvector(false);
  created.setAxis(isVector ? 1 : batchedAxis(static_cast<int64_t>(getAxis()), rank));
  if (!isVector)
    return batcher.allOf(created);
  created.setKeepdim(false);
  SmallVector<DimSize> shape(static_cast<size_t>(tensorType(getOut()).getRank()), DimSize(1));
  shape.insert(shape.begin(), batcher.examples(e));
  created.getOut().setType(cast<RankedTensorType>(
      batcher.batchedType(RankedTensorType::get({}, tensorType(getOut()).getElementType()))));
  return one(reshapeTo(e.wrap(created.getOut()), shape));
}

/// The tensor that may give the axis must have been folded into the attribute.
BatchedResults CumsumOp::batch(Batcher &batcher) {
  return getAxisTensor() ? BatchedResults(failure()) : batchAlongAxis(batcher, *this);
}

/// Both operands have the same shape.
BatchedResults LinearRecurrenceOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getX()).getRank();
  auto operands = llvm::map_to_vector(getOperation()->getOperands(),
                                      [&](Value operand) { return batcher.batched(operand); });
  auto created = cast<LinearRecurrenceOp>(batcher.cloneOn(*this, operands));
  created.setAxis(batchedAxis(getAxis(), rank));
  return batcher.allOf(created);
}

/// Only the shape of the target counts. After the examples' dimension it gets as many dimensions as x has.
BatchedResults ReduceAsOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  int64_t rank = tensorType(getX()).getRank(), added = rank - tensorType(getTarget()).getRank();
  Expression target = e.wrap(batcher.aligned(getTarget(), rank));
  Expression out = e.wrap(e.create<ReduceAsOp>(batcher.batched(getX()), target));
  if (added == 0)
    return one(out);
  SmallVector<DimSize> shape = dimSizesOf(target);
  shape.erase(shape.begin() + 1, shape.begin() + 1 + added);
  return one(reshapeTo(out, shape));
}

} // namespace proa::pd
