//! Gradients of gathers and scatters, which are transpositions of each other.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

Gradients noGradientOf(Operation *op, llvm::StringRef reduce) {
  op->emitOpError() << "has no gradient with reduce = " << reduce;
  return failure();
}

Expression zerosOf(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, Type element) {
  return expandTo(e.constant(0, element), shape);
}

/// A scatter that adds or assigns is linear in the tensor (operand 0) and in the values (operand 2) together.
llvm::SmallVector<llvm::SmallVector<unsigned>> linearGroupsOfScatter(ScatterReduce reduce) {
  if (reduce == ScatterReduce::Add || reduce == ScatterReduce::Assign)
    return {{0, 2}};
  return {};
}

} // namespace

Gradients GatherOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), index = e.wrap(getIndex());
  auto given = constantOr(getLoc(), "axis", getAxisTensor(), getAxis(), "C2");
  if (failed(given))
    return failure();
  int64_t axis = *normalizeAxis(*given, x.rank());
  // Flattens the dimensions of the index.
  DimSize count = 1;
  for (const DimSize &dimSize : dimSizesOf(index))
    count = multiply(e, count, dimSize);
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape[axis] = count;
  Value zeros = zerosLike(builder, getLoc(), getX());
  llvm::SmallVector<Value> gradients(getOperation()->getNumOperands());
  gradients[0] =
      e.create<IndexAddOp>(zeros, reshapeTo(index, {count}), reshapeTo(e.wrap(cotangents[0]), shape),
                           builder.getI64IntegerAttr(axis));
  return gradients;
}

Gradients GatherNdOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Value zeros = zerosLike(builder, getLoc(), getX());
  return llvm::SmallVector<Value>{e.create<ScatterNdOp>(zeros, getIndex(), cotangents[0], ScatterReduce::Add),
                                  Value()};
}

Gradients TakeAlongAxisOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), out = e.wrap(cotangents[0]);
  int64_t axis = *normalizeAxis(getAxis(), x.rank());
  // Broadcast dimensions of x are summed afterwards, broadcast dimensions of the indices are expanded.
  // Elements of x beyond the indices have gradient zero.
  llvm::SmallVector<DimSize> shape = dimSizesOf(out), own = dimSizesOf(x);
  Expression indices = expandTo(e.wrap(getIndices()), shape);
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!own[d].isNumber(1) || d == axis)
      shape[d] = d == axis || own[d].isKnown() ? own[d] : maximum(e, own[d], shape[d]);
  Expression zeros = zerosOf(e, shape, out.type().getElementType());
  return llvm::SmallVector<Value>{
      e.create<PutAlongAxisOp>(zeros, indices, out, builder.getI64IntegerAttr(axis),
                               ScatterReduceAttr::get(getContext(), ScatterReduce::Add)),
      Value()};
}

/// Whether two updates may address the same element.
static bool mayRepeat(ScatterNdOp op) {
  llvm::ArrayRef<int64_t> rows = tensorType(op.getIndex()).getShape().drop_back();
  return llvm::any_of(rows, [](int64_t dimSize) { return dimSize != 1; });
}

/// Of several updates of an element the last one is kept: the one whose index is found in the result of
/// scattering the indices. In the dimensions of `updates`.
static Expression isLastUpdate(TensorBuilder &e, ScatterNdOp op) {
  Type integer = e.getBuilder().getI64Type();
  Expression index = e.wrap(op.getIndex()), x = e.wrap(op.getX());
  llvm::SmallVector<DimSize> rows = dimSizesOf(index), addressed = dimSizesOf(x);
  rows.pop_back();
  int64_t depth = index.type().getShape().back(), others = x.rank() - depth;
  addressed.truncate(static_cast<size_t>(depth));
  DimSize count = 1;
  for (const DimSize &dimSize : rows)
    count = multiply(e, count, dimSize);
  Expression indices = reshapeTo(iota(e, count, integer), rows);
  Value last = e.create<ScatterNdOp>(expandTo(e.constant(-1, integer), addressed), index, indices,
                                     ScatterReduce::Assign);
  Expression isLast = e.wrap(e.create<EqualOp>(e.create<GatherNdOp>(last, index), indices));
  rows.append(static_cast<size_t>(others), DimSize(1));
  return reshapeTo(isLast, rows);
}

llvm::SmallVector<llvm::SmallVector<unsigned>> ScatterNdOp::getLinearGroups() {
  return linearGroupsOfScatter(getReduce());
}

Gradients ScatterNdOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  if (getReduce() == ScatterReduce::Amax || getReduce() == ScatterReduce::Amin) {
    // To the element that the extremum is taken from; to all of several equal ones, as in Paddle.
    auto where = [&](Value x, Value out, Value cotangent) {
      return e.select(e.wrap(e.create<EqualOp>(x, out)), e.wrap(cotangent), 0.0);
    };
    Value out = e.create<GatherNdOp>(getOut(), getIndex()),
          cotangent = e.create<GatherNdOp>(cotangents[0], getIndex());
    return llvm::SmallVector<Value>{where(getX(), getOut(), cotangents[0]), Value(),
                                    where(getUpdates(), out, cotangent)};
  }
  if (getReduce() != ScatterReduce::Assign && getReduce() != ScatterReduce::Add)
    return noGradientOf(getOperation(), stringifyScatterReduce(getReduce()));
  Value updates = e.create<GatherNdOp>(cotangents[0], getIndex()), kept = cotangents[0];
  if (getReduce() == ScatterReduce::Assign) {
    kept = e.create<ScatterNdOp>(kept, getIndex(), zerosLike(builder, getLoc(), getUpdates()),
                                 ScatterReduce::Assign);
    if (!getPaddleGradient() && mayRepeat(*this))
      updates = e.select(isLastUpdate(e, *this), e.wrap(updates), 0.0);
  }
  return llvm::SmallVector<Value>{kept, Value(), updates};
}

/// Of minimum and maximum updates: elements equal to the result share its cotangent, including x, as in
/// Paddle.
static Gradients gradientOfExtremes(TensorBuilder &e, PutAlongAxisOp op, Expression cotangent) {
  Expression x = e.wrap(op.getX()), out = e.wrap(op.getOut()), values = e.wrap(op.getValues());
  Type element = x.type().getElementType();
  auto atIndices = [&](Value value) {
    return e.wrap(e.create<TakeAlongAxisOp>(value, op.getIndices(), op.getAxisAttr()));
  };
  Expression isX = e.cast(e.wrap(e.create<EqualOp>(x, out)), element),
             isValue = e.cast(e.wrap(e.create<EqualOp>(values, atIndices(out))), element);
  Expression count =
      e.wrap(e.create<PutAlongAxisOp>(isX, op.getIndices(), isValue, op.getAxisAttr(),
                                      ScatterReduceAttr::get(op.getContext(), ScatterReduce::Add)));
  Expression share = cotangent / count;
  return llvm::SmallVector<Value>{share * isX, Value(), atIndices(share) * isValue};
}

/// Whether two updates may address the same element: along the axis, or along a dimension that x broadcasts.
static bool mayRepeat(PutAlongAxisOp op) {
  RankedTensorType x = tensorType(op.getX()), indices = tensorType(op.getIndices());
  int64_t axis = *normalizeAxis(op.getAxis(), x.getRank());
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (indices.getDimSize(d) != 1 && (d == axis || x.getDimSize(d) == 1 || x.isDynamicDim(d)))
      return true;
  return false;
}

/// Of several updates of an element the last one is kept: the one whose index is found in the result of
/// scattering the indices.
static Expression isLastUpdate(TensorBuilder &e, PutAlongAxisOp op) {
  Type integer = e.getBuilder().getI64Type();
  llvm::SmallVector<DimSize> shape = dimSizesOf(e.wrap(op.getIndices()));
  DimSize count = 1;
  for (const DimSize &dimSize : shape)
    count = multiply(e, count, dimSize);
  Expression indices = reshapeTo(iota(e, count, integer), shape);
  Expression none = expandTo(e.constant(-1, integer), dimSizesOf(e.wrap(op.getX())));
  Value last = e.create<PutAlongAxisOp>(none, op.getIndices(), indices, op.getAxisAttr(), op.getReduceAttr());
  return e.wrap(
      e.create<EqualOp>(e.create<TakeAlongAxisOp>(last, op.getIndices(), op.getAxisAttr()), indices));
}

llvm::SmallVector<llvm::SmallVector<unsigned>> PutAlongAxisOp::getLinearGroups() {
  return linearGroupsOfScatter(getReduce());
}

Gradients PutAlongAxisOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  if (getReduce() == ScatterReduce::Multiply) {
    TensorBuilder e(builder, getOperation());
    Expression x = e.wrap(getX()), values = e.wrap(getValues()), cotangent = e.wrap(cotangents[0]);
    Expression ones = expandTo(e.constant(1, x.type().getElementType()), dimSizesOf(x));
    Expression factors =
        e.wrap(e.create<PutAlongAxisOp>(ones, getIndices(), getValues(), getAxisAttr(), getReduceAttr()));
    // The product of the others is the whole product divided by the value, as in Paddle.
    Value whole = e.create<TakeAlongAxisOp>(cotangent * e.wrap(getOut()), getIndices(), getAxisAttr());
    return llvm::SmallVector<Value>{cotangent * factors, Value(), e.wrap(whole) / values};
  }
  TensorBuilder e(builder, getOperation());
  if (getReduce() == ScatterReduce::Amax || getReduce() == ScatterReduce::Amin)
    return gradientOfExtremes(e, *this, e.wrap(cotangents[0]));
  Value values = e.create<TakeAlongAxisOp>(cotangents[0], getIndices(), getAxisAttr()), kept = cotangents[0];
  if (getReduce() == ScatterReduce::Assign) {
    kept = e.create<PutAlongAxisOp>(kept, getIndices(), zerosLike(builder, getLoc(), values), getAxisAttr(),
                                    ScatterReduceAttr::get(getContext(), ScatterReduce::Assign));
    if (mayRepeat(*this))
      values = e.select(isLastUpdate(e, *this), e.wrap(values), 0.0);
  }
  return llvm::SmallVector<Value>{kept, Value(), values};
}

Gradients SetValueOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Value zero = e.constant(0, tensorType(getX()).getElementType());
  llvm::SmallVector<Value> gradients(getOperation()->getNumOperands());
  gradients[0] = e.create<SetValueOp>(cotangents[0], zero, getStartsTensor(), getEndsTensor(),
                                      getStepsTensor(), getAxes(), getStarts(), getEnds(), getSteps());
  gradients[1] = e.create<SliceOp>(cotangents[0], getStartsTensor(), getEndsTensor(), getStepsTensor(),
                                   getAxes(), getStarts(), getEnds(), getSteps());
  return gradients;
}

} // namespace proa::pd
