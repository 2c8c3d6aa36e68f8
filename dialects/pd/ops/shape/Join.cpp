#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"

#include <array>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

/// Both dims must be equal (C4); returns the static one.
FailureOr<int64_t> sameSize(std::optional<Location> location, int64_t axis, int64_t x, int64_t y) {
  if (x == unknown || x == y)
    return y;
  if (y == unknown)
    return x;
  return inferenceError(location, "C4: dimension " + llvm::Twine(axis) + " is " + llvm::Twine(x) +
                                      " in one operand and " + llvm::Twine(y) + " in another");
}

/// The dims of an operand of concat: a scalar is a tensor of one element.
llvm::SmallVector<int64_t> atLeastOneDim(RankedTensorType type) {
  return type.getRank() == 0 ? llvm::SmallVector<int64_t>{1} : llvm::SmallVector<int64_t>(type.getShape());
}

LogicalResult sameRank(std::optional<Location> location, size_t x, size_t y) {
  return x == y ? success()
                : inferenceError(location, "C3: all tensors must have the same rank, found " +
                                               llvm::Twine(x) + " and " + llvm::Twine(y));
}

} // namespace

//===-- concat and stack --------------------------------------------------------------------------------===//

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  if (adaptor.getX().empty())
    return inferenceError(location, "C1: there must be at least one tensor");
  auto element = commonElementType(location, adaptor.getX(), "C2");
  auto entry =
      constantOr(location, "axis", adaptor.getAxisTensor(), static_cast<int64_t>(adaptor.getAxis()), "C5");
  if (failed(element) || failed(entry))
    return failure();
  llvm::SmallVector<int64_t> shape = atLeastOneDim(tensorType(adaptor.getX()[0]));
  auto axis = normalizeAxis(location, *entry, static_cast<int64_t>(shape.size()), "C3");
  if (failed(axis))
    return failure();
  for (Value operand : adaptor.getX().drop_front()) {
    llvm::SmallVector<int64_t> other = atLeastOneDim(tensorType(operand));
    if (failed(sameRank(location, shape.size(), other.size())))
      return failure();
    for (auto [d, dimSize] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(d) == *axis) {
        dimSize = dimSize == unknown || other[d] == unknown ? unknown : dimSize + other[d];
        continue;
      }
      auto same = sameSize(location, static_cast<int64_t>(d), dimSize, other[d]);
      if (failed(same))
        return failure();
      dimSize = *same;
    }
  }
  results.push_back(RankedTensorType::get(shape, *element));
  return success();
}

LogicalResult ConcatOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  auto rank = static_cast<int64_t>(results[0].dims().size());
  auto entry = constantOr(getAxisTensor(), static_cast<int64_t>(getAxis()));
  if (failed(entry))
    return failure();
  int64_t axis = *entry < 0 ? *entry + rank : *entry, start = 0;
  llvm::SmallVector<int64_t> strides = rowMajorStrides(results[0].dims());
  for (const Tensor &piece : operands.take_front(getX().size())) {
    std::vector<int64_t> dims = piece.dims().empty() ? std::vector<int64_t>{1} : piece.dims();
    forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
      int64_t at = start * strides[axis];
      for (size_t d = 0; d < index.size(); ++d)
        at += index[d] * strides[d];
      storeScalar(results[0], at, loadScalar(piece, position));
    });
    start += dims[axis];
  }
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getX().size() == 1 && getX()[0].getType() == getType())
    return getX()[0];
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getAxisTensorMutable(), [&](auto axis) { op.setAxis(axis.front()); });
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  if (adaptor.getX().empty())
    return inferenceError(location, "C1: there must be at least one tensor");
  auto element = commonElementType(location, adaptor.getX(), "C2");
  llvm::SmallVector<int64_t> shape(tensorType(adaptor.getX()[0]).getShape());
  auto axis = normalizeAxis(location, adaptor.getAxis(), static_cast<int64_t>(shape.size()) + 1, "C3");
  if (failed(element) || failed(axis))
    return failure();
  for (Value operand : adaptor.getX().drop_front()) {
    llvm::ArrayRef<int64_t> other = tensorType(operand).getShape();
    if (failed(sameRank(location, shape.size(), other.size())))
      return failure();
    for (auto [d, dimSize] : llvm::enumerate(shape)) {
      auto same = sameSize(location, static_cast<int64_t>(d), dimSize, other[d]);
      if (failed(same))
        return failure();
      dimSize = *same;
    }
  }
  shape.insert(shape.begin() + *axis, static_cast<int64_t>(adaptor.getX().size()));
  results.push_back(RankedTensorType::get(shape, *element));
  return success();
}

FailureOr<SmallVector<Value>> StackOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t axis = *normalizeAxis(getAxis(), tensorType(getOut()).getRank());
  llvm::SmallVector<Expression> pieces;
  for (Value operand : getX())
    pieces.push_back(insertDim(e.wrap(operand), axis));
  return SmallVector<Value>{concat(pieces, axis)};
}

//===-- Repetition --------------------------------------------------------------------------------------===//

LogicalResult TileOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  llvm::SmallVector<int64_t> times(adaptor.getRepeatTimes()), shape(type.getShape());
  if (adaptor.getRepeatTimesTensor()) {
    auto known = dimsFromTensor(location, adaptor.getRepeatTimesTensor(), "C2");
    if (failed(known))
      return failure();
    times = *known;
  }
  if (times.size() < shape.size())
    times.insert(times.begin(), shape.size() - times.size(), 1);
  if (shape.size() < times.size())
    shape.insert(shape.begin(), times.size() - shape.size(), 1);
  for (auto [dimSize, count] : llvm::zip(shape, times)) {
    if (count < 0 && count != unknown)
      return inferenceError(location, "C1: repeat_times must not be negative, found " + llvm::Twine(count));
    dimSize = dimSize == unknown || count == unknown ? (count == 1 ? dimSize : unknown) : dimSize * count;
  }
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> TileOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  llvm::SmallVector<DimSize> times(getRepeatTimes().begin(), getRepeatTimes().end());
  if (getRepeatTimesTensor()) {
    auto known = dimsFromTensor(std::nullopt, getRepeatTimesTensor(), "C2");
    if (failed(known))
      return notifyDecompositionFailure(builder, *this, "the number of repeat times is dynamic");
    times.clear();
    for (auto [i, count] : llvm::enumerate(*known))
      times.push_back(count == unknown
                          ? DimSize::element(e.wrap(getRepeatTimesTensor()), static_cast<int64_t>(i))
                          : count);
  }
  llvm::SmallVector<DimSize> shape = dimSizesOf(x), split, box, result;
  if (times.size() < shape.size())
    times.insert(times.begin(), shape.size() - times.size(), DimSize(1));
  if (shape.size() < times.size())
    shape.insert(shape.begin(), times.size() - shape.size(), DimSize(1));
  for (auto [dimSize, count] : llvm::zip(shape, times)) {
    if (!count.isNumber(1) && !dimSize.isNumber(1)) {
      split.push_back(1);
      box.push_back(count);
    }
    split.push_back(dimSize);
    box.push_back(dimSize.isNumber(1) ? count : dimSize);
    result.push_back(multiply(e, dimSize, count));
  }
  return SmallVector<Value>{reshapeTo(expandTo(reshapeTo(x, split), box), result)};
}

OpFoldResult TileOp::fold(FoldAdaptor) {
  bool once =
      !getRepeatTimesTensor() && llvm::all_of(getRepeatTimes(), [](int64_t count) { return count == 1; });
  return once && getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

LogicalResult TileOp::canonicalize(TileOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getRepeatTimesTensorMutable(),
                       [&](auto times) { op.setRepeatTimes(times); });
}

LogicalResult BroadcastTensorsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                   Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto shape = broadcastShapes(location, adaptor.getX().getTypes(), "C1");
  if (failed(shape))
    return failure();
  for (Value operand : adaptor.getX())
    results.push_back(tensorType(operand).clone(*shape));
  return success();
}

/// The common size of dimension d of the operands of rank `rank`: a size that is not 1.
static DimSize commonDim(TensorBuilder &e, ValueRange operands, int64_t rank, int64_t d) {
  DimSize common = 1;
  for (Value operand : operands) {
    int64_t axis = d + tensorType(operand).getRank() - rank;
    DimSize own = axis < 0 ? DimSize(1) : DimSize(e.wrap(operand), axis);
    if (own.isNumber(1) || (common.isKnown() && !common.isNumber(1)))
      continue;
    if (!common.isKnown() && !own.isKnown()) {
      Expression soFar = e.wrap(common.getValue(e));
      Expression either = e.select(e.equal(soFar, 1.0), e.wrap(own.getValue(e)), soFar);
      own = DimSize::element(e.reshape(either, {1}), 0);
    }
    common = own;
  }
  return common;
}

FailureOr<SmallVector<Value>> BroadcastTensorsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t rank = tensorType(getOut()[0]).getRank();
  llvm::SmallVector<DimSize> shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(commonDim(e, getX(), rank, d));
  SmallVector<Value> out;
  for (Value operand : getX())
    out.push_back(expandTo(e.wrap(operand), shape));
  return out;
}

LogicalResult MeshgridOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  llvm::SmallVector<int64_t> shape;
  for (Value operand : adaptor.getX()) {
    auto type = tensorType(operand);
    if (type.getRank() > 1)
      return inferenceError(location,
                            "C1: operands must have rank 0 or 1, found rank " + llvm::Twine(type.getRank()));
    shape.push_back(type.getRank() == 0 ? 1 : type.getDimSize(0));
  }
  for (Value operand : adaptor.getX())
    results.push_back(tensorType(operand).clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> MeshgridOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<DimSize> box;
  for (Value operand : getX())
    box.push_back(tensorType(operand).getRank() == 0 ? DimSize(1) : DimSize(e.wrap(operand), 0));
  SmallVector<Value> out;
  for (auto [i, operand] : llvm::enumerate(getX())) {
    llvm::SmallVector<DimSize> line(box.size(), DimSize(1));
    line[i] = box[i];
    Expression along = reshapeTo(e.wrap(operand), line);
    out.push_back(expandTo(along, box));
  }
  return out;
}

/// Repeat counts for an axis of that size: one for all, or one for each element.
static LogicalResult checkRepeats(std::optional<Location> location, llvm::ArrayRef<int64_t> times,
                                  int64_t dimSize) {
  for (auto [i, count] : llvm::enumerate(times))
    if (count < 0)
      return inferenceError(location, "C2: repeats must not be negative, found " + llvm::Twine(count) +
                                          " in element " + llvm::Twine(i));
  auto size = static_cast<int64_t>(times.size());
  if (size != 1 && dimSize != unknown && size != dimSize)
    return inferenceError(location, "C3: repeats_tensor must have 1 or " + llvm::Twine(dimSize) +
                                        " elements, found " + llvm::Twine(size));
  return success();
}

LogicalResult RepeatInterleaveOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                   Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = normalizeAxis(location, adaptor.getAxis(), type.getRank(), "C1");
  if (failed(axis))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  int64_t dimSize = shape[*axis], repeats = static_cast<int64_t>(adaptor.getRepeats());
  shape[*axis] = dimSize == unknown ? unknown : dimSize * repeats;
  if (adaptor.getRepeatsTensor()) {
    auto times = allKnownElements(adaptor.getRepeatsTensor());
    if (times && failed(checkRepeats(location, *times, dimSize)))
      return failure();
    if (times && times->size() == 1 && dimSize != unknown)
      shape[*axis] = dimSize * times->front();
    else
      shape[*axis] =
          times && times->size() != 1 ? std::accumulate(times->begin(), times->end(), int64_t(0)) : unknown;
  } else if (repeats < 0) {
    return inferenceError(location, "C2: repeats must not be negative, found " + llvm::Twine(repeats));
  }
  results.push_back(type.clone(shape));
  return success();
}

/// Dynamic repeat counts: one for all elements, or one for each.
static Expression repeatedByData(TensorBuilder &e, Expression x, int64_t axis, Expression repeats) {
  Expression times = expandTo(asInts(repeats), {DimSize(x, axis)});
  // Rows of one range per element: the range of a row is the index of the element.
  RangeRows rows = rangeRows(times * 0.0, times);
  Expression element = rowPositions(rows.rows, rows.offsets).sequence;
  return e.wrap(e.create<GatherOp>(x, element, Value(), static_cast<uint64_t>(axis)));
}

FailureOr<SmallVector<Value>> RepeatInterleaveOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  int64_t axis = *normalizeAxis(getAxis(), x.rank());
  llvm::SmallVector<int64_t> times = {static_cast<int64_t>(getRepeats())};
  if (getRepeatsTensor()) {
    auto known = allKnownElements(getRepeatsTensor());
    if (!known)
      return SmallVector<Value>{repeatedByData(e, x, axis, e.wrap(getRepeatsTensor()))};
    if (failed(checkRepeats(std::nullopt, *known, x.type().getDimSize(axis))))
      return notifyDecompositionFailure(builder, *this, "its repeats do not fit the dim that it repeats");
    times = *known;
  }
  if (times.size() == 1) {
    llvm::SmallVector<DimSize> shape = dimSizesOf(x), box = shape;
    box.insert(box.begin() + axis + 1, DimSize(times.front()));
    shape[axis] = multiply(e, shape[axis], times.front());
    return SmallVector<Value>{reshapeTo(expandTo(insertDim(x, axis + 1), box), shape)};
  }
  llvm::SmallVector<Expression> pieces;
  for (auto [i, count] : llvm::enumerate(times)) {
    if (count == 0)
      continue;
    Expression piece = slice(x, axis, static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
    llvm::SmallVector<DimSize> box = dimSizesOf(piece);
    box[axis] = count;
    pieces.push_back(expandTo(piece, box));
  }
  if (pieces.empty())
    return SmallVector<Value>{slice(x, axis, 0, 0)};
  return SmallVector<Value>{concat(pieces, axis)};
}

//===-- Padding -----------------------------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  llvm::ArrayRef<int64_t> paddings = adaptor.getPaddings();
  if (static_cast<int64_t>(paddings.size()) != 2 * type.getRank())
    return inferenceError(location, "C1: paddings must have " + llvm::Twine(2 * type.getRank()) +
                                        " entries, found " + llvm::Twine(paddings.size()));
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (auto [axis, dimSize] : llvm::enumerate(shape)) {
    if (paddings[2 * axis] < 0 || paddings[2 * axis + 1] < 0)
      return inferenceError(location,
                            "C2: paddings must not be negative, as in dimension " + llvm::Twine(axis));
    if (dimSize != unknown)
      dimSize += paddings[2 * axis] + paddings[2 * axis + 1];
  }
  results.push_back(type.clone(shape));
  return success();
}

LogicalResult PadOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  HostScalar fill =
      HostScalarBuilder(results[0].dtype()).cast(HostScalar::of(getPadValue().convertToDouble()));
  for (int64_t i = 0; i < results[0].size(); ++i)
    storeScalar(results[0], i, fill);
  llvm::SmallVector<int64_t> strides = rowMajorStrides(results[0].dims());
  forEachIndex(operands[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += (index[d] + getPaddings()[2 * d]) * strides[d];
    storeScalar(results[0], at, loadScalar(operands[0], position));
  });
  return success();
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (llvm::all_of(getPaddings(), [](int64_t count) { return count == 0; }) && getX().getType() == getType())
    return getX();
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

namespace {

/// padAxis in modes reflect and circular for dynamic dims: by indices.
Expression padOpenAxis(Expression x, int64_t axis, int64_t before, int64_t after, PadMode mode) {
  TensorBuilder &e = x.owner();
  Type index = e.getBuilder().getI64Type();
  Expression dimSize = e.wrap(DimSize(x, axis).getValue(e));
  auto take = [&](Expression positions) {
    // An index beyond x ends the run with an error; a negative one would count from the end.
    Expression from = mode == PadMode::Circular ? modulo(positions, DimSize(x, axis))
                                                : e.select(positions < 0.0, dimSize, positions);
    return e.wrap(e.create<GatherOp>(x, from, Value(), static_cast<uint64_t>(axis)));
  };
  llvm::SmallVector<Expression> pieces;
  if (before > 0) {
    Expression ascending = iota(e, before, index), shift = e.constant(static_cast<double>(before), index);
    pieces.push_back(take(mode == PadMode::Circular ? ascending - shift : shift - ascending));
  }
  pieces.push_back(x);
  if (after > 0) {
    Expression ascending = iota(e, after, index);
    pieces.push_back(
        take(mode == PadMode::Circular ? ascending : dimSize - e.constant(2, index) - ascending));
  }
  return concat(pieces, axis);
}

/// Elements of x before and after it along one axis, by the mode of pad3d.
Expression padAxis(Expression x, int64_t axis, int64_t before, int64_t after, PadMode mode) {
  if (x.type().isDynamicDim(axis) && before + after > 0 &&
      (mode == PadMode::Reflect || mode == PadMode::Circular))
    return padOpenAxis(x, axis, before, after, mode);
  auto edge = [&](int64_t start, int64_t end, int64_t count) {
    llvm::SmallVector<DimSize> box = dimSizesOf(x);
    box[axis] = 1;
    Expression one = reshapeTo(slice(x, axis, start, end), box);
    box[axis] = count;
    return expandTo(one, box);
  };
  auto flipped = [&](Expression piece) { return slice(piece, axis, toTheEnd, -1, -1); };
  llvm::SmallVector<Expression> pieces;
  int64_t dimSize = x.type().getDimSize(axis);
  if (mode == PadMode::Circular && dimSize > 0 &&
      std::max(before, after) > dimSize) { // more than once around
    int64_t first = llvm::divideCeil(before, dimSize) * dimSize - before;
    pieces.assign(llvm::divideCeil(before, dimSize) + 1 + llvm::divideCeil(after, dimSize), x);
    return slice(concat(pieces, axis), axis, first, first + before + dimSize + after);
  }
  if (before > 0)
    pieces.push_back(mode == PadMode::Reflect     ? flipped(slice(x, axis, 1, 1 + before))
                     : mode == PadMode::Replicate ? edge(0, 1, before)
                                                  : slice(x, axis, -before, toTheEnd));
  pieces.push_back(x);
  if (after > 0)
    pieces.push_back(mode == PadMode::Reflect     ? flipped(slice(x, axis, -1 - after, -1))
                     : mode == PadMode::Replicate ? edge(-1, toTheEnd, after)
                                                  : slice(x, axis, 0, after));
  return pieces.size() == 1 ? x : concat(pieces, axis);
}

/// The dimensions of width, height and depth of a volume.
std::array<int64_t, 3> volumeAxes(DataFormat format) {
  return format == DataFormat::NDHWC ? std::array<int64_t, 3>{3, 2, 1} : std::array<int64_t, 3>{4, 3, 2};
}

} // namespace

LogicalResult Pad3dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto paddings = constantOr(location, "paddings", adaptor.getPaddingsTensor(), adaptor.getPaddings(), "C1");
  if (failed(paddings))
    return failure();
  if (type.getRank() != 5 || paddings->size() != 6)
    return inferenceError(location, "C1: x must have rank 5 and paddings 6 entries, found rank " +
                                        llvm::Twine(type.getRank()) + " and " +
                                        llvm::Twine(paddings->size()));
  PadMode mode = adaptor.getMode();
  DataFormat format = adaptor.getDataFormat();
  if (format != DataFormat::NCDHW && format != DataFormat::NDHWC)
    return inferenceError(location,
                          "C2: data_format must be NCDHW or NDHWC, found " + stringifyDataFormat(format));
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (auto [i, axis] : llvm::enumerate(volumeAxes(format))) {
    int64_t before = (*paddings)[2 * i], after = (*paddings)[2 * i + 1], &dimSize = shape[axis];
    if (dimSize != unknown && dimSize + before + after < 0)
      return inferenceError(location, "C3: paddings must not remove more than the " + llvm::Twine(dimSize) +
                                          " elements of dimension " + llvm::Twine(axis));
    bool isTooFar = mode == PadMode::Reflect
                        ? std::max(before, after) >= dimSize
                        : mode == PadMode::Circular && dimSize == 0 && before + after > 0;
    if (dimSize != unknown && isTooFar)
      return inferenceError(location, "C4: dimension " + llvm::Twine(axis) + " of size " +
                                          llvm::Twine(dimSize) + " is too small for its padding in mode " +
                                          stringifyPadMode(mode));
    if (dimSize != unknown)
      dimSize += before + after;
  }
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> Pad3dOp::decompose(OpBuilder &builder) {
  auto paddings = constantOr(getPaddingsTensor(), getPaddings());
  if (failed(paddings))
    return notifyDecompositionFailure(builder, *this, "paddings_tensor is not a constant");
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  std::array<int64_t, 3> axes = volumeAxes(getDataFormat());
  // Elements are removed after others are added: what is added may depend on them.
  auto added = [&](size_t i) { return std::max<int64_t>((*paddings)[i], 0); };
  llvm::SmallVector<int64_t> all(10, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    all[2 * axis] = added(2 * i);
    all[2 * axis + 1] = added(2 * i + 1);
  }
  if (getMode() == PadMode::Constant)
    x = e.wrap(e.create<PadOp>(x, all, getPadValue()));
  else
    for (int64_t axis : axes)
      x = padAxis(x, axis, all[2 * axis], all[2 * axis + 1], getMode());
  for (auto [i, axis] : llvm::enumerate(axes))
    if (int64_t before = (*paddings)[2 * i], after = (*paddings)[2 * i + 1]; before < 0 || after < 0)
      x = slice(x, axis, std::max<int64_t>(-before, 0), after < 0 ? after : toTheEnd);
  return SmallVector<Value>{x};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Join.cpp.inc"
#include "dialects/pd/ops/shape/Join.methods.inc"
