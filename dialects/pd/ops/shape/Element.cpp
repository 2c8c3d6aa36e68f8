//! Elements of slices, concatenations and paddings.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/SlicedAxis.h"

using namespace mlir;

namespace proa::pd {

//===-- slice -------------------------------------------------------------------------------------------===//

SlicedAxis slicedAxis(ElementBuilder &b, IndexValue size, int64_t begin, int64_t last, int64_t stride) {
  auto fromEnd = [&](int64_t bound, int64_t least) {
    return bound < 0 ? max(size + bound, least) : b.index(bound);
  };
  IndexValue start = fromEnd(begin, 0);
  if (stride > 0) {
    IndexValue first = min(start, size);
    return {first, ceilDivide(min(fromEnd(last, 0), size) - first, stride), stride};
  }
  IndexValue first = min(start, size - 1), end = last == -1 ? b.index(-1) : fromEnd(last, -1);
  return {first, ceilDivide(first - end, -stride), stride};
}

namespace {

SlicedAxis slicedAxis(ElementBuilder &b, SliceOp op, size_t i, int64_t axis) {
  return slicedAxis(b, b.dim(0, axis), op.getStarts()[i], op.getEnds()[i],
                    op.getStrides().empty() ? 1 : op.getStrides()[i]);
}

int64_t axisOf(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

} // namespace

const char *SliceOp::whyNoElement() {
  return getStartsTensor() || getEndsTensor() || getStridesTensor() ? "its bounds are known only at run time"
                                                                    : nullptr;
}

Value SliceOp::buildDim(ElementBuilder &b, int64_t dim) {
  for (auto [i, axis] : llvm::enumerate(getAxes()))
    if (axisOf(axis, b.rank(0)) == dim)
      return slicedAxis(b, *this, i, dim).count;
  return b.dim(0, dim);
}

Value SliceOp::buildElement(ElementBuilder &b, ValueRange at) {
  ElementBuilder::Indices position = b.indices(at);
  for (auto [i, entry] : llvm::enumerate(getAxes())) {
    int64_t axis = axisOf(entry, b.rank(0));
    SlicedAxis sliced = slicedAxis(b, *this, i, axis);
    position[axis] = sliced.first + position[axis] * sliced.stride;
  }
  return b.load(0, position);
}

//===-- roll --------------------------------------------------------------------------------------------===//

const char *RollOp::whyNoElement() {
  return getShiftsTensor() ? "its shifts are known only at run time" : nullptr;
}

Value RollOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }

/// The index that a circular shift moves to `at`, in a dimension that is not empty.
static IndexValue beforeShift(IndexValue at, int64_t shift, IndexValue size) {
  IndexValue positions = at.getOwner().index(shift < 0 ? -shift : shift) % size;
  return (shift < 0 ? at + positions : at + (size - positions)) % size;
}

Value RollOp::buildElement(ElementBuilder &b, ValueRange at) {
  ElementBuilder::Indices position = b.indices(at);
  for (auto [entry, shift] : llvm::zip(getAxis(), getShifts())) {
    int64_t axis = axisOf(entry, b.rank(0));
    position[axis] = beforeShift(position[axis], shift, b.dim(0, axis));
  }
  if (!getAxis().empty())
    return b.load(0, position);
  IndexValue total = b.index(1), row = b.index(0);
  for (unsigned d = 0; d < b.rank(0); ++d) {
    total = total * b.dim(0, d);
    row = row * b.dim(0, d) + position[d];
  }
  row = beforeShift(row, getShifts().front(), total);
  for (int64_t d = int64_t(b.rank(0)) - 1; d >= 0; --d) {
    position[d] = row % b.dim(0, d);
    row = row / b.dim(0, d);
  }
  return b.load(0, position);
}

//===-- concat ------------------------------------------------------------------------------------------===//

const char *ConcatOp::whyNoElement() {
  if (getAxisTensor())
    return "its axis is an operand";
  int64_t axis = axisOf(getAxis(), tensorType(getOut()).getRank());
  for (Value operand : getX())
    for (auto [d, size] : llvm::enumerate(tensorType(operand).getShape()))
      if (getX().size() > 1 && ShapedType::isDynamic(size) && int64_t(d) != axis)
        return "whether its operands have equal dims is known only at run time";
  return nullptr;
}

Value ConcatOp::buildDim(ElementBuilder &b, int64_t dim) {
  if (dim != axisOf(getAxis(), tensorType(getOut()).getRank()))
    return b.dim(0, dim);
  IndexValue sum = b.index(0);
  for (unsigned i = 0; i < getX().size(); ++i)
    sum = sum + (b.rank(i) == 0 ? b.index(1) : b.dim(i, dim));
  return sum;
}

Value ConcatOp::buildElement(ElementBuilder &b, ValueRange at) {
  int64_t axis = axisOf(getAxis(), at.size());
  ElementBuilder::Indices position = b.indices(at), starts{b.index(0)};
  for (unsigned i = 0; i + 1 < getX().size(); ++i)
    starts.push_back(starts[i] + (b.rank(i) == 0 ? b.index(1) : b.dim(i, axis)));
  // A binary search for the operand.
  std::function<Value(unsigned, unsigned)> find = [&](unsigned first, unsigned end) -> Value {
    if (end - first > 1) {
      unsigned middle = (first + end) / 2;
      return b.choose(
          isLess(position[axis], starts[middle]), [&] { return find(first, middle); },
          [&] { return find(middle, end); });
    }
    ElementBuilder::Indices own = position;
    own[axis] = position[axis] - starts[first];
    return b.load(first, b.rank(first) == 0 ? ArrayRef<IndexValue>() : ArrayRef<IndexValue>(own));
  };
  return find(0, getX().size());
}

//===-- pad ---------------------------------------------------------------------------------------------===//

const char *PadOp::whyNoElement() { return nullptr; }

Value PadOp::buildDim(ElementBuilder &b, int64_t dim) {
  return b.dim(0, dim) + (getPaddings()[2 * dim] + getPaddings()[2 * dim + 1]);
}

Value PadOp::buildElement(ElementBuilder &b, ValueRange at) {
  ElementBuilder::Indices position = b.indices(at);
  Value isInside;
  auto restrict = [&](Value condition) {
    isInside = isInside ? b.logicalAnd(isInside, condition) : condition;
  };
  for (unsigned d = 0; d < b.rank(0); ++d) {
    int64_t before = getPaddings()[2 * d], after = getPaddings()[2 * d + 1];
    position[d] = position[d] - before;
    if (before > 0)
      restrict(isLess(b.index(-1), position[d]));
    if (after > 0)
      restrict(isLess(position[d], b.dim(0, d)));
  }
  if (!isInside)
    return b.load(0, position);
  auto element = tensorType(getX()).getElementType();
  return b.choose(
      isInside, [&] { return b.load(0, position); },
      [&] { return b.constant(getPadValue().convertToDouble(), element); });
}

} // namespace proa::pd
