//! Elements of tensors that are read at the elements of another one, and of tensors with a slice replaced.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/SlicedAxis.h"

using namespace mlir;

namespace proa::pd {

namespace {

using Indices = ElementBuilder::Indices;

int64_t axisOf(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

/// The element of an operand, or zero where its index is wrong.
Value loadIfInside(ElementBuilder &b, Value isInside, unsigned operand, const Indices &position,
                   Type element) {
  return b.choose(
      isInside, [&] { return b.load(operand, position); }, [&] { return b.constant(0, element); });
}

/// A type with signless integers, which kernels compute on.
Type elementOf(Value tensor) {
  Type element = tensorType(tensor).getElementType();
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? Type(IntegerType::get(element.getContext(), integer.getWidth())) : element;
}

} // namespace

//===-- gather ------------------------------------------------------------------------------------------===//

const char *GatherOp::whyNoElement() { return getAxisTensor() ? "its axis is an operand" : nullptr; }

Value GatherOp::buildDim(ElementBuilder &b, int64_t dim) {
  int64_t axis = axisOf(getAxis(), b.rank(0)), indexRank = b.rank(1);
  if (dim < axis)
    return b.dim(0, dim);
  return dim < axis + indexRank ? b.dim(1, dim - axis) : b.dim(0, dim - indexRank + 1);
}

Value GatherOp::buildElement(ElementBuilder &b, ValueRange at) {
  Indices all = b.indices(at);
  int64_t axis = axisOf(getAxis(), b.rank(0)), indexRank = b.rank(1);
  ArrayRef<IndexValue> before = ArrayRef(all).take_front(axis), own = ArrayRef(all).slice(axis, indexRank);
  CheckedIndex index = b.loadIndex(1, own, 0, axis, /*wraps=*/true);
  Indices position(before);
  position.push_back(index.index);
  position.append(all.begin() + axis + indexRank, all.end());
  return loadIfInside(b, index.isInside, 0, position, elementOf(getX()));
}

//===-- gather_nd ---------------------------------------------------------------------------------------===//

const char *GatherNdOp::whyNoElement() { return nullptr; }

Value GatherNdOp::buildDim(ElementBuilder &b, int64_t dim) {
  int64_t rows = b.rank(1) - 1, depth = tensorType(getIndex()).getShape().back();
  return dim < rows ? b.dim(1, dim) : b.dim(0, dim - rows + depth);
}

Value GatherNdOp::buildElement(ElementBuilder &b, ValueRange at) {
  Indices all = b.indices(at);
  int64_t rows = b.rank(1) - 1, depth = tensorType(getIndex()).getShape().back();
  Indices row(all.begin(), all.begin() + rows), position;
  Value isInside;
  for (int64_t axis = 0; axis < depth; ++axis) {
    row.push_back(b.index(axis));
    CheckedIndex index = b.loadIndex(1, row, 0, axis, /*wraps=*/true);
    row.pop_back();
    position.push_back(index.index);
    isInside = isInside ? b.logicalAnd(isInside, index.isInside) : index.isInside;
  }
  position.append(all.begin() + rows, all.end());
  return isInside ? loadIfInside(b, isInside, 0, position, elementOf(getX())) : b.load(0, position);
}

//===-- take_along_axis ---------------------------------------------------------------------------------===//

const char *TakeAlongAxisOp::whyNoElement() {
  int64_t axis = axisOf(getAxis(), tensorType(getX()).getRank());
  for (Value operand : {getX(), getIndices()})
    for (auto [d, size] : llvm::enumerate(tensorType(operand).getShape()))
      if (ShapedType::isDynamic(size) && int64_t(d) != axis)
        return "whether its operands have fitting dims is known only at run time";
  return nullptr;
}

Value TakeAlongAxisOp::buildDim(ElementBuilder &b, int64_t dim) {
  int64_t axis = axisOf(getAxis(), b.rank(0));
  return dim != axis && tensorType(getIndices()).getDimSize(dim) == 1 ? b.dim(0, dim) : b.dim(1, dim);
}

Value TakeAlongAxisOp::buildElement(ElementBuilder &b, ValueRange at) {
  int64_t axis = axisOf(getAxis(), b.rank(0));
  Indices position = b.indices(at), own = position;
  for (int64_t d = 0; d < int64_t(own.size()); ++d) {
    if (d != axis && tensorType(getIndices()).getDimSize(d) == 1)
      own[d] = b.index(0);
    if (d != axis && tensorType(getX()).getDimSize(d) == 1)
      position[d] = b.index(0);
  }
  CheckedIndex index = b.loadIndex(1, own, 0, axis, /*wraps=*/true);
  position[axis] = index.index;
  return loadIfInside(b, index.isInside, 0, position, elementOf(getX()));
}

//===-- set_value ---------------------------------------------------------------------------------------===//

const char *SetValueOp::whyNoElement() {
  if (getStartsTensor() || getEndsTensor() || getStepsTensor())
    return "its bounds are known only at run time";
  RankedTensorType values = tensorType(getValues());
  bool areStatic = values.hasStaticShape() && tensorType(getX()).hasStaticShape();
  bool isScalar = values.hasStaticShape() && values.getNumElements() == 1;
  return areStatic || isScalar ? nullptr : "whether its values fit the slice is known only at run time";
}

Value SetValueOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }

Value SetValueOp::buildElement(ElementBuilder &b, ValueRange at) {
  Indices position = b.indices(at), inSlice = position;
  Value isInside;
  for (auto [i, entry] : llvm::enumerate(getAxes())) {
    int64_t axis = axisOf(entry, b.rank(0)), stride = getSteps().empty() ? 1 : getSteps()[i];
    SlicedAxis sliced = slicedAxis(b, b.dim(0, axis), getStarts()[i], getEnds()[i], stride);
    IndexValue distance = stride > 0 ? position[axis] - sliced.first : sliced.first - position[axis];
    IndexValue steps = max(distance, 0) / std::abs(stride);
    inSlice[axis] = steps;
    Value isOwn = b.logicalAnd(isLess(b.index(-1), distance), isLess(steps, sliced.count));
    if (std::abs(stride) > 1)
      isOwn = b.logicalAnd(isOwn, b.isEqual(steps * std::abs(stride), distance));
    isInside = isInside ? b.logicalAnd(isInside, isOwn) : isOwn;
  }
  auto value = [&] {
    ArrayRef<int64_t> dims = tensorType(getValues()).getShape();
    Indices own;
    for (auto [d, size] : llvm::enumerate(dims)) {
      int64_t dim = int64_t(d) + int64_t(inSlice.size()) - int64_t(dims.size());
      own.push_back(size == 1 || dim < 0 ? b.index(0) : inSlice[dim]);
    }
    return b.load(1, own);
  };
  return isInside ? b.choose(isInside, value, [&] { return b.load(0, position); }) : value();
}

} // namespace proa::pd
