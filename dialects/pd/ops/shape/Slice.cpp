#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/ops/shape/SliceBox.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

SliceRange sliceRange(int64_t start, int64_t end, int64_t stride, int64_t dimSize) {
  bool downToTheFirst = stride < 0 && end == -1;
  if (start < 0)
    start = std::max<int64_t>(start + dimSize, 0);
  if (end < 0 && !downToTheFirst)
    end = std::max<int64_t>(end + dimSize, stride < 0 ? -1 : 0);
  if (stride > 0) {
    start = std::min(start, dimSize);
    end = std::min(end, dimSize);
    return {start, start < end ? (end - start - 1) / stride + 1 : 0};
  }
  start = std::min(start, dimSize - 1);
  return {start, start > end ? (start - end - 1) / -stride + 1 : 0};
}

namespace {

/// The starts, ends and strides of a slice, one entry for each axis; `unknown` for dynamic values.
struct SliceBounds {
  llvm::SmallVector<int64_t> axes, starts, ends, strides;

  /// The number of elements along axes[i], of which x has `dim`.
  int64_t count(size_t i, int64_t dimSize) const {
    if (starts[i] == 0 && strides[i] == 1 && ends[i] == toTheEnd)
      return dimSize;
    if (dimSize == unknown || starts[i] == unknown || ends[i] == unknown || strides[i] == unknown)
      return unknown;
    return sliceRange(starts[i], ends[i], strides[i], dimSize).count;
  }
};

FailureOr<llvm::SmallVector<int64_t>> boundList(std::optional<Location> location, llvm::StringRef name,
                                                Value tensor, llvm::ArrayRef<int64_t> attribute,
                                                size_t count) {
  llvm::SmallVector<int64_t> list(attribute);
  if (tensor) {
    auto known = knownElements(tensor);
    list = succeeded(known) ? *known : llvm::SmallVector<int64_t>(count, unknown);
  }
  if (list.size() != count)
    return inferenceError(location, "C2: " + name + " must have " + llvm::Twine(count) +
                                        " entries, as axes, found " + llvm::Twine(list.size()));
  return list;
}

FailureOr<SliceBounds> boundsOf(std::optional<Location> location, const SliceOperands &op) {
  SliceBounds out;
  for (int64_t entry : op.axes) {
    auto axis = normalizeAxis(location, entry, op.x.getRank(), "C1");
    if (failed(axis))
      return failure();
    if (llvm::is_contained(out.axes, *axis))
      return inferenceError(location, "C1: axes names dimension " + llvm::Twine(*axis) + " twice");
    out.axes.push_back(*axis);
  }
  size_t count = out.axes.size();
  auto starts = boundList(location, "starts", op.startsTensor, op.starts, count);
  auto ends = boundList(location, "ends", op.endsTensor, op.ends, count);
  llvm::SmallVector<int64_t> ones(count, 1);
  bool unit = !op.stridesTensor && op.strides.empty();
  auto strides =
      boundList(location, "strides", op.stridesTensor, unit ? llvm::ArrayRef(ones) : op.strides, count);
  if (failed(starts) || failed(ends) || failed(strides))
    return failure();
  if (llvm::is_contained(*strides, 0))
    return inferenceError(location, "C3: strides must not be 0");
  out.starts = *starts;
  out.ends = *ends;
  out.strides = *strides;
  // INT_MAX means "to the end"; no relevant dim is larger.
  for (int64_t &end : out.ends)
    if (end >= std::numeric_limits<int32_t>::max())
      end = toTheEnd;
  return out;
}

template <class Slice> SliceOperands operandsOf(Slice op) {
  return {tensorType(op.getX()), op.getAxes(),         op.getStarts(),     op.getEnds(),
          op.getStrides(),       op.getStartsTensor(), op.getEndsTensor(), op.getStridesTensor()};
}

} // namespace

FailureOr<llvm::SmallVector<int64_t>> slicedDims(std::optional<Location> location, const SliceOperands &op) {
  auto bounds = boundsOf(location, op);
  if (failed(bounds))
    return failure();
  llvm::SmallVector<int64_t> shape(op.x.getShape());
  for (auto [i, axis] : llvm::enumerate(bounds->axes))
    shape[axis] = bounds->count(i, shape[axis]);
  return shape;
}

int64_t SliceBox::flatIndex(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> dims) const {
  int64_t at = 0;
  for (size_t d = 0; d < dims.size(); ++d)
    at = at * dims[d] + firsts[d] + index[d] * strides[d];
  return at;
}

FailureOr<SliceBox> sliceBox(const SliceOperands &operands, llvm::ArrayRef<int64_t> dims) {
  auto bounds = boundsOf(std::nullopt, operands);
  if (failed(bounds))
    return failure();
  SliceBox box{llvm::SmallVector<int64_t>(dims.size(), 0), llvm::SmallVector<int64_t>(dims.size(), 1),
               llvm::SmallVector<int64_t>(dims)};
  for (auto [i, axis] : llvm::enumerate(bounds->axes)) {
    if (llvm::is_contained({bounds->starts[i], bounds->ends[i], bounds->strides[i]}, unknown))
      return failure();
    SliceRange range = sliceRange(bounds->starts[i], bounds->ends[i], bounds->strides[i], dims[axis]);
    box.firsts[axis] = range.first;
    box.strides[axis] = bounds->strides[i];
    box.counts[axis] = range.count;
  }
  return box;
}

//===-- slice -------------------------------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  auto shape = slicedDims(location, operandsOf(adaptor));
  if (failed(shape))
    return failure();
  results.push_back(tensorType(adaptor.getX()).clone(*shape));
  return success();
}

LogicalResult SliceOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const std::vector<int64_t> &dims = operands[0].dims();
  auto box = sliceBox(operandsOf(*this), dims);
  if (failed(box))
    return failure();
  forEachIndex(box->counts, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    storeScalar(results[0], position, loadScalar(operands[0], box->flatIndex(index, dims)));
  });
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  auto type = tensorType(getX());
  auto bounds = boundsOf(std::nullopt, operandsOf(*this));
  if (succeeded(bounds) && type == getType()) {
    bool whole = true;
    for (auto [i, axis] : llvm::enumerate(bounds->axes))
      whole &= bounds->strides[i] == 1 &&
               (type.isDynamicDim(axis) ? bounds->starts[i] == 0 && bounds->ends[i] == toTheEnd
                                        : bounds->count(i, type.getDimSize(axis)) == type.getDimSize(axis));
    if (whole)
      return getX();
  }
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  bool changed =
      succeeded(absorbOperand(rewriter, op, op.getStartsTensorMutable(), [&](auto v) { op.setStarts(v); }));
  changed |=
      succeeded(absorbOperand(rewriter, op, op.getEndsTensorMutable(), [&](auto v) { op.setEnds(v); }));
  changed |=
      succeeded(absorbOperand(rewriter, op, op.getStridesTensorMutable(), [&](auto v) { op.setStrides(v); }));
  return success(changed);
}

//===-- Composites --------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> FlipOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  for (int64_t axis : getAxis())
    x = slice(x, axis < 0 ? axis + x.rank() : axis, toTheEnd, -1, -1);
  return SmallVector<Value>{x};
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  for (int64_t axis : adaptor.getAxis())
    if (failed(normalizeAxis(location, axis, type.getRank(), "C1")))
      return failure();
  auto expected = static_cast<int64_t>(std::max<size_t>(adaptor.getAxis().size(), 1));
  auto given = static_cast<int64_t>(adaptor.getShifts().size());
  if (Value tensor = adaptor.getShiftsTensor())
    given = tensorType(tensor).hasStaticShape() ? tensorType(tensor).getNumElements() : expected;
  if (given != expected)
    return inferenceError(location, "C2: shifts must have " + llvm::Twine(expected) + " entries, found " +
                                        llvm::Twine(given));
  results.push_back(type);
  return success();
}

/// For any dim and shift: element i comes from i - shift.
static Expression rolled(Expression x, int64_t axis, Expression shift) {
  TensorBuilder &e = x.owner();
  DimSize dimSize(x, axis);
  Expression from = modulo(iota(e, dimSize, e.getBuilder().getI64Type()) - shift, dimSize);
  return e.wrap(e.create<GatherOp>(x, from, Value(), static_cast<uint64_t>(axis)));
}

static Expression rolled(Expression x, int64_t axis, int64_t shift) {
  int64_t dimSize = x.type().getDimSize(axis);
  int64_t distance = dimSize == 0 ? 0 : ((shift % dimSize) + dimSize) % dimSize;
  if (distance == 0)
    return x;
  return concat({slice(x, axis, dimSize - distance, toTheEnd), slice(x, axis, 0, dimSize - distance)}, axis);
}

FailureOr<SmallVector<Value>> RollOp::decompose(OpBuilder &builder) {
  auto shifts = constantOr(getShiftsTensor(), getShifts());
  size_t count = std::max<size_t>(getAxis().size(), 1);
  TensorBuilder e(builder, getOperation());
  auto roll = [&](Expression x, int64_t axis, size_t i) {
    if (succeeded(shifts) && !x.type().isDynamicDim(axis))
      return rolled(x, axis, (*shifts)[i]);
    if (succeeded(shifts))
      return rolled(x, axis, e.constant(static_cast<double>((*shifts)[i]), builder.getI64Type()));
    return rolled(x, axis,
                  e.wrap(DimSize::element(e.wrap(getShiftsTensor()), static_cast<int64_t>(i)).getValue(e)));
  };
  Expression x = e.wrap(getX());
  if (getAxis().empty())
    return SmallVector<Value>{reshapeTo(roll(reshapeTo(x, {elementsOf(x)}), 0, 0), dimSizesOf(x))};
  for (size_t i = 0; i < count; ++i)
    x = roll(x, *normalizeAxis(getAxis()[i], x.rank()), i);
  return SmallVector<Value>{x};
}

LogicalResult RollOp::canonicalize(RollOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getShiftsTensorMutable(), [&](auto shifts) { op.setShifts(shifts); });
}

//===-- split and unbind --------------------------------------------------------------------------------===//

namespace {

/// The axis and the sizes of the pieces; `unknown` for dynamic values.
struct Sections {
  int64_t axis = 0;
  llvm::SmallVector<int64_t> dimSizes;
};

LogicalResult fillOpenSection(std::optional<Location> location, llvm::SmallVectorImpl<int64_t> &dimSizes,
                              int64_t whole) {
  int64_t open = -1, sum = 0;
  for (auto [i, dimSize] : llvm::enumerate(dimSizes)) {
    if (dimSize == -1 && open >= 0)
      return inferenceError(location, "C3: at most one section may be -1");
    if (dimSize == -1)
      open = static_cast<int64_t>(i);
    else if (dimSize == unknown)
      whole = unknown;
    else
      sum += dimSize;
  }
  if (open >= 0)
    dimSizes[open] = whole == unknown ? unknown : whole - sum;
  bool fits = whole == unknown || (open >= 0 ? dimSizes[open] >= 0 : sum == whole);
  return fits ? success()
              : inferenceError(location, "C3: the sections add up to " + llvm::Twine(sum) +
                                             ", the dimension has size " + llvm::Twine(whole));
}

template <class Split> FailureOr<Sections> sectionsOf(std::optional<Location> location, Split op) {
  auto type = tensorType(op.getX());
  auto entry = constantOr(location, "axis", op.getAxisTensor(), static_cast<int64_t>(op.getAxis()), "C1");
  auto axis =
      failed(entry) ? FailureOr<int64_t>(failure()) : normalizeAxis(location, *entry, type.getRank(), "C1");
  if (failed(axis))
    return failure();
  int64_t whole = type.getDimSize(*axis);
  auto num = static_cast<int64_t>(op.getNum());
  Sections out;
  out.axis = *axis;
  if (num > 0) {
    if (whole != unknown && whole % num != 0)
      return inferenceError(location, "C2: cannot split dim " + llvm::Twine(whole) + " into " +
                                          llvm::Twine(num) + " equal pieces");
    out.dimSizes.assign(num, whole == unknown ? unknown : whole / num);
    return out;
  }
  if (!op.getSectionsTensor()) {
    out.dimSizes.assign(op.getSections().begin(), op.getSections().end());
  } else if (auto known = knownElements(op.getSectionsTensor()); succeeded(known)) {
    out.dimSizes = *known;
  } else {
    return inferenceError(location, "C4: sections_tensor must have a static number of elements");
  }
  if (out.dimSizes.empty())
    return inferenceError(location, "C4: num or sections must be given");
  if (failed(fillOpenSection(location, out.dimSizes, whole)))
    return failure();
  return out;
}

template <class Unbind>
FailureOr<std::pair<int64_t, int64_t>> unbindAxis(std::optional<Location> location, Unbind op) {
  auto type = tensorType(op.getX());
  auto axis = normalizeAxis(location, op.getAxis(), type.getRank(), "C1");
  if (failed(axis))
    return failure();
  int64_t dimSize = type.getDimSize(*axis);
  auto num = static_cast<int64_t>(op.getNum());
  if (dimSize == unknown && num <= 0)
    return inferenceError(location, "C2: num must be given for a dynamic dim");
  if (dimSize != unknown && num > 0 && num != dimSize)
    return inferenceError(location, "C2: num must be the dim " + llvm::Twine(dimSize) +
                                        " of the axis, found " + llvm::Twine(num));
  return std::pair(*axis, dimSize == unknown ? num : dimSize);
}

} // namespace

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  auto sections = sectionsOf(location, adaptor);
  if (failed(sections))
    return failure();
  auto type = tensorType(adaptor.getX());
  for (int64_t dimSize : sections->dimSizes) {
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[sections->axis] = dimSize;
    results.push_back(type.clone(shape));
  }
  return success();
}

/// The pieces of an axis, one of which is inferred; those after it are counted from the end.
static llvm::SmallVector<Value> splitAround(Expression x, int64_t axis, llvm::ArrayRef<int64_t> dimSizes) {
  llvm::SmallVector<Value> pieces;
  int64_t start = 0, behind = 0;
  bool isBehind = false;
  for (int64_t dimSize : dimSizes)
    behind += std::exchange(isBehind, isBehind || dimSize == unknown) ? dimSize : 0;
  for (int64_t dimSize : dimSizes) {
    bool isOpen = dimSize == unknown;
    int64_t end = isOpen ? -behind : start + dimSize;
    pieces.push_back(slice(x, axis, start, end == 0 && (isOpen || start < 0) ? toTheEnd : end));
    start = end;
  }
  return pieces;
}

FailureOr<SmallVector<Value>> SplitOp::decompose(OpBuilder &builder) {
  auto sections = sectionsOf(std::nullopt, *this);
  if (failed(sections))
    return notifyDecompositionFailure(builder, *this,
                                      "axis_tensor is not a constant, or its sections do not fit x");
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  llvm::SmallVector<Value> pieces;
  if (!llvm::is_contained(sections->dimSizes, unknown)) {
    int64_t start = 0;
    for (int64_t dimSize : sections->dimSizes) {
      pieces.push_back(slice(x, sections->axis, start, start + dimSize));
      start += dimSize;
    }
    return pieces;
  }
  if (getNum() <= 0) {
    if (llvm::count(sections->dimSizes, unknown) != 1)
      return notifyDecompositionFailure(builder, *this, "several of its sections are dynamic");
    return splitAround(x, sections->axis, sections->dimSizes);
  }
  // Equal pieces of a dynamic dim: an additional dimension, and a slice of it for each.
  llvm::SmallVector<DimSize> shape = dimSizesOf(x), split = shape;
  shape[sections->axis] = divide(e, shape[sections->axis], getNum());
  split[sections->axis] = shape[sections->axis];
  split.insert(split.begin() + sections->axis, DimSize(static_cast<int64_t>(getNum())));
  Expression whole = reshapeTo(x, split);
  for (int64_t i = 0; i < static_cast<int64_t>(getNum()); ++i)
    pieces.push_back(reshapeTo(slice(whole, sections->axis, i, i + 1), shape));
  return pieces;
}

LogicalResult SplitOp::canonicalize(SplitOp op, PatternRewriter &rewriter) {
  bool changed = succeeded(
      absorbOperand(rewriter, op, op.getSectionsTensorMutable(), [&](auto v) { op.setSections(v); }));
  changed |= succeeded(
      absorbOperand(rewriter, op, op.getAxisTensorMutable(), [&](auto v) { op.setAxis(v.front()); }));
  return success(changed);
}

LogicalResult UnbindOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  auto at = unbindAxis(location, adaptor);
  if (failed(at))
    return failure();
  auto type = tensorType(adaptor.getX());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + at->first);
  results.append(at->second, type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> UnbindOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  auto [axis, count] = *unbindAxis(std::nullopt, *this);
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape.erase(shape.begin() + axis);
  llvm::SmallVector<Value> pieces;
  for (int64_t i = 0; i < count; ++i)
    pieces.push_back(reshapeTo(slice(x, axis, i, i + 1), shape));
  return pieces;
}

//===-- crop --------------------------------------------------------------------------------------------===//

LogicalResult CropOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto shape = shapeOperand(location, adaptor, "C1");
  if (failed(shape))
    return failure();
  if (shape->empty())
    shape->assign(type.getShape().begin(), type.getShape().end());
  if (static_cast<int64_t>(shape->size()) != type.getRank())
    return inferenceError(location, "C1: shape must have one entry for each of the " +
                                        llvm::Twine(type.getRank()) + " dimensions of x, found " +
                                        llvm::Twine(shape->size()));
  for (auto [axis, dimSize] : llvm::enumerate(*shape)) {
    int64_t whole = type.getDimSize(axis);
    bool toEnd = dimSize == -1 && !adaptor.getOffsetsTensor() && whole != unknown;
    int64_t offset = axis < adaptor.getOffsets().size() ? adaptor.getOffsets()[axis] : 0;
    if (dimSize < 0)
      dimSize = toEnd ? whole - offset : unknown;
    if (dimSize != unknown && whole != unknown && !adaptor.getOffsetsTensor() &&
        (offset < 0 || offset + dimSize > whole))
      return inferenceError(location, "C2: the box reaches to " + llvm::Twine(offset + dimSize) +
                                          " in dimension " + llvm::Twine(axis) + " of size " +
                                          llvm::Twine(whole));
  }
  results.push_back(type.clone(*shape));
  return success();
}

/// `list` as a constant, if `tensor` is not given.
static Expression integersOf(TensorBuilder &e, Value tensor, llvm::ArrayRef<int64_t> list, int64_t rank) {
  Type i64 = e.getBuilder().getI64Type();
  if (tensor)
    return e.cast(e.wrap(tensor), i64);
  llvm::SmallVector<int64_t> all(list);
  all.resize(rank, 0);
  auto type = RankedTensorType::get({rank}, i64);
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(all))));
}

/// The box with dynamic offset or dims; a negative size extends to the end.
static SmallVector<Value> cropAt(TensorBuilder &e, CropOp op) {
  Expression x = e.wrap(op.getX());
  int64_t rank = x.rank();
  llvm::SmallVector<int64_t> axes, zeros(rank, 0);
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back(axis);
  Expression dimSizes = integersOf(e, op.getShapeTensor(), op.getShape(), rank),
             starts = integersOf(e, op.getOffsetsTensor(), op.getOffsets(), rank);
  Expression ends = e.select(dimSizes < 0.0, e.wrap(shapeTensor(e, dimSizesOf(x))), starts + dimSizes);
  Expression box = e.wrap(e.create<SliceOp>(x, starts, ends, Value(), llvm::ArrayRef<int64_t>(axes),
                                            llvm::ArrayRef<int64_t>(zeros), llvm::ArrayRef<int64_t>(zeros),
                                            llvm::ArrayRef<int64_t>()));
  // The static dims of the result.
  llvm::SmallVector<int64_t> known(tensorType(op.getOut()).getShape());
  for (int64_t &dimSize : known)
    dimSize = ShapedType::isDynamic(dimSize) ? 0 : dimSize; // 0: unchanged
  return {e.reshape(box, known)};
}

FailureOr<SmallVector<Value>> CropOp::decompose(OpBuilder &builder) {
  auto shape = constantOr(getShapeTensor(), getShape());
  auto offsets = constantOr(getOffsetsTensor(), getOffsets());
  TensorBuilder e(builder, getOperation());
  if (failed(shape) || failed(offsets))
    return cropAt(e, *this);
  llvm::SmallVector<int64_t> axes, starts, ends;
  for (auto [axis, dimSize] : llvm::enumerate(*shape)) {
    int64_t start = axis < offsets->size() ? (*offsets)[axis] : 0;
    axes.push_back(static_cast<int64_t>(axis));
    starts.push_back(start);
    ends.push_back(dimSize < 0 ? toTheEnd : start + dimSize);
  }
  return SmallVector<Value>{e.create<SliceOp>(getX(), Value(), Value(), Value(), llvm::ArrayRef(axes),
                                              llvm::ArrayRef(starts), llvm::ArrayRef(ends),
                                              llvm::ArrayRef<int64_t>())};
}

LogicalResult CropOp::canonicalize(CropOp op, PatternRewriter &rewriter) {
  bool changed =
      succeeded(absorbOperand(rewriter, op, op.getShapeTensorMutable(), [&](auto v) { op.setShape(v); }));
  changed |=
      succeeded(absorbOperand(rewriter, op, op.getOffsetsTensorMutable(), [&](auto v) { op.setOffsets(v); }));
  return success(changed);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Slice.cpp.inc"
#include "dialects/pd/ops/shape/Slice.methods.inc"
