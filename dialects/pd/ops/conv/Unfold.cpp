#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/builders/ScalarBuilder.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "dialects/pd/ops/conv/UnfoldOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

FailureOr<Window> foldWindow(std::optional<Location> location, llvm::ArrayRef<int64_t> kernel,
                             llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> paddings,
                             llvm::ArrayRef<int64_t> dilations) {
  bool isKernelGood = kernel.size() == 2 && llvm::all_of(kernel, [](int64_t dimSize) { return dimSize > 0; });
  if (!isKernelGood)
    return inferenceError(location, "C2: kernel_sizes must be two positive numbers");
  // Paddings in pairs, before and after, for each dimension.
  llvm::SmallVector<int64_t> pairs(paddings);
  if (paddings.size() == 1)
    pairs.assign(4, paddings[0]);
  else if (paddings.size() == 2)
    pairs = {paddings[0], paddings[0], paddings[1], paddings[1]};
  else if (paddings.size() == 4)
    pairs = {paddings[0], paddings[2], paddings[1], paddings[3]};
  Window window{2, llvm::SmallVector<int64_t>(kernel), llvm::SmallVector<int64_t>(strides), pairs,
                llvm::SmallVector<int64_t>(dilations)};
  if (failed(checkWindow(location, window, "C2")))
    return failure();
  return window;
}

LogicalResult inferUnfoldOf(std::optional<Location> location, RankedTensorType x, const Window &window,
                            Results &results) {
  if (x.getRank() != 4)
    return inferenceError(location, "C1: x must have rank 4, found rank " + llvm::Twine(x.getRank()));
  auto counts = windowCounts(location, window, x.getShape().drop_front(2), false, "C3");
  if (failed(counts))
    return failure();
  int64_t channels = x.getDimSize(1), rows = window.kernel[0] * window.kernel[1];
  bool isKnown = !llvm::is_contained(*counts, ShapedType::kDynamic);
  results.push_back(
      RankedTensorType::get({x.getDimSize(0), ShapedType::isDynamic(channels) ? channels : channels * rows,
                             isKnown ? (*counts)[0] * (*counts)[1] : ShapedType::kDynamic},
                            x.getElementType()));
  return success();
}

LogicalResult inferFoldOf(std::optional<Location> location, RankedTensorType x,
                          llvm::ArrayRef<int64_t> output, const Window &window, Results &results) {
  if (x.getRank() != 3)
    return inferenceError(location, "C1: x must have rank 3, found rank " + llvm::Twine(x.getRank()));
  if (output.size() != 2 || llvm::any_of(output, [](int64_t dimSize) { return dimSize <= 0; }))
    return inferenceError(location, "C2: output_sizes must be two positive numbers");
  auto counts = windowCounts(location, window, output, false, "C3");
  if (failed(counts))
    return failure();
  int64_t windows = (*counts)[0] * (*counts)[1], elements = window.kernel[0] * window.kernel[1];
  bool isValid = (x.isDynamicDim(2) || x.getDimSize(2) == windows) &&
                 (x.isDynamicDim(1) || x.getDimSize(1) % elements == 0);
  if (!isValid)
    return inferenceError(location, "C4: x must have " + llvm::Twine(windows) +
                                        " columns and a multiple of " + llvm::Twine(elements) +
                                        " rows, found " + llvm::Twine(x.getDimSize(2)) + " and " +
                                        llvm::Twine(x.getDimSize(1)));
  results.push_back(RankedTensorType::get(
      {x.getDimSize(0), x.isDynamicDim(1) ? ShapedType::kDynamic : x.getDimSize(1) / elements, output[0],
       output[1]},
      x.getElementType()));
  return success();
}

namespace {

llvm::SmallVector<int64_t> paddedDims(llvm::ArrayRef<int64_t> dimSizes, const Window &window) {
  llvm::SmallVector<int64_t> out;
  for (size_t i = 0; i < dimSizes.size(); ++i)
    out.push_back(dimSizes[i] + window.paddings[2 * i] + window.paddings[2 * i + 1]);
  return out;
}

/// A table of positions with more entries is not put into the program.
constexpr double maxTable = 1 << 20;

/// Whether the table of windowPositions has at most maxTable entries.
bool isSmallTable(llvm::ArrayRef<int64_t> padded, const Window &window) {
  double entries = 1;
  for (size_t i = 0; i < 2; ++i)
    entries *= static_cast<double>(window.kernel[i]) * static_cast<double>(padded[i]) /
               static_cast<double>(window.strides[i]);
  return entries <= maxTable;
}

/// For each kernel element and each window its index in the padded plane, as one vector.
Expression windowPositions(TensorBuilder &e, llvm::ArrayRef<int64_t> padded, const Window &window) {
  llvm::SmallVector<int64_t> counts, values;
  for (size_t i = 0; i < 2; ++i)
    counts.push_back((padded[i] - window.dilations[i] * (window.kernel[i] - 1) - 1) / window.strides[i] + 1);
  for (int64_t i = 0; i < window.kernel[0]; ++i)
    for (int64_t j = 0; j < window.kernel[1]; ++j)
      for (int64_t p = 0; p < counts[0]; ++p)
        for (int64_t q = 0; q < counts[1]; ++q)
          values.push_back((i * window.dilations[0] + p * window.strides[0]) * padded[1] +
                           j * window.dilations[1] + q * window.strides[1]);
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, e.getBuilder().getI64Type());
  return e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(values))));
}

/// As above for a plane with dynamic dims, and the number of windows.
std::pair<Expression, DimSize> openWindowPositions(Expression plane, const Window &window) {
  TensorBuilder &e = plane.owner();
  Type i64 = e.getBuilder().getI64Type();
  DimSize windows = 1;
  Expression position = e.constant(0, i64);
  for (int64_t i = 0; i < 2; ++i) {
    DimSize dimSize(plane, i + 2),
        beyond = add(e, dimSize, -window.dilations[i] * (window.kernel[i] - 1) - 1),
        count = add(e, divide(e, beyond, window.strides[i]), 1);
    windows = multiply(e, windows, count);
    // Dimensions: kernel row, kernel column, window row, window column.
    llvm::SmallVector<DimSize> ofKernel(4, DimSize(1)), ofWindow(4, DimSize(1));
    ofKernel[i] = window.kernel[i];
    ofWindow[i + 2] = count;
    Expression inKernel = reshapeTo(iota(e, window.kernel[i], i64), ofKernel),
               inPlane = reshapeTo(iota(e, count, i64), ofWindow);
    Expression along = inKernel * static_cast<double>(window.dilations[i]) +
                       inPlane * static_cast<double>(window.strides[i]);
    position = position * e.wrap(dimSize.getValue(e)) + along;
  }
  return {e.reshape(position, {-1}), windows};
}

} // namespace

FailureOr<SmallVector<Value>> UnfoldOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  llvm::ArrayRef<int64_t> space = x.type().getShape().drop_front(2);
  Window window = *foldWindow(std::nullopt, getKernelSizes(), getStrides(), getPaddings(), getDilations());
  llvm::SmallVector<int64_t> paddings(4, 0);
  llvm::append_range(paddings, window.paddings);
  Expression plane = e.wrap(e.create<PadOp>(x, llvm::ArrayRef<int64_t>(paddings), llvm::APFloat(0.0)));
  DimSize batch(x, 0), channels(x, 1), size = multiply(e, DimSize(plane, 2), DimSize(plane, 3));
  Expression flat = reshapeTo(plane, {batch, channels, size});
  int64_t elements = window.kernel[0] * window.kernel[1];
  bool isOpen = llvm::is_contained(space, ShapedType::kDynamic);
  bool isComputed = isOpen || !isSmallTable(paddedDims(space, window), window);
  auto [positions, windows] = isComputed ? openWindowPositions(plane, window)
                                         : std::pair(windowPositions(e, paddedDims(space, window), window),
                                                     DimSize(tensorType(getOut()).getShape().back()));
  Expression columns = e.wrap(e.create<GatherOp>(flat, positions, Value(), uint64_t(2)));
  return SmallVector<Value>{reshapeTo(columns, {batch, multiply(e, channels, elements), windows})};
}

FailureOr<SmallVector<Value>> FoldOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Window window = *foldWindow(std::nullopt, getKernelSizes(), getStrides(), getPaddings(), getDilations());
  llvm::SmallVector<int64_t> padded = paddedDims(getOutputSizes(), window);
  if (!isSmallTable(padded, window))
    return notifyDecompositionFailure(builder, *this, "the table of its positions is too large");
  Expression positions = windowPositions(e, padded, window);
  DimSize batch(x, 0), channels = divide(e, DimSize(x, 1), window.kernel[0] * window.kernel[1]);
  Expression columns = reshapeTo(x, {batch, channels, positions.type().getNumElements()});
  Expression zeros =
      expandTo(e.constant(0, x.type().getElementType()), {batch, channels, padded[0] * padded[1]});
  Expression sums = e.wrap(e.create<IndexAddOp>(zeros, positions, columns, uint64_t(2)));
  Expression plane = reshapeTo(sums, {batch, channels, padded[0], padded[1]});
  for (int64_t i = 0; i < 2; ++i)
    if (window.paddings[2 * i] + window.paddings[2 * i + 1] > 0)
      plane = slice(plane, i + 2, window.paddings[2 * i], window.paddings[2 * i] + getOutputSizes()[i]);
  return e.results({plane});
}

namespace {

/// A window along one dimension of which element `k` is element `at` of the image, if `isInside`.
CheckedIndex windowWith(ElementBuilder &b, const Window &window, size_t axis, int64_t size, IndexValue at,
                        IndexValue k) {
  int64_t stride = window.strides[axis], before = window.paddings[2 * axis],
          padded = size + before + window.paddings[2 * axis + 1];
  int64_t count = (padded - window.dilations[axis] * (window.kernel[axis] - 1) - 1) / stride + 1;
  IndexValue begin = at + before - k * window.dilations[axis], begins = max(begin, 0);
  Value isWindow = b.logicalAnd(b.isEqual(begin, begins), b.isEqual(begins % stride, b.index(0)));
  IndexValue found = begins / stride;
  return {found, b.logicalAnd(isWindow, isLess(found, b.index(count)))};
}

} // namespace

const char *FoldOp::whyNoElement() { return nullptr; }

Value FoldOp::buildDim(ElementBuilder &b, int64_t dim) {
  return dim == 0 ? b.dim(0, 0).value() : (b.dim(0, 1) / (getKernelSizes()[0] * getKernelSizes()[1])).value();
}

Value FoldOp::buildElement(ElementBuilder &b, ValueRange at) {
  Window window = *foldWindow(std::nullopt, getKernelSizes(), getStrides(), getPaddings(), getDilations());
  ElementBuilder::Indices own = b.indices(at);
  Type element = tensorType(getX()).getElementType(), sum = ElementBuilder::sumType(element);
  int64_t width = getOutputSizes()[1] + window.paddings[2] + window.paddings[3];
  int64_t columns = (width - window.dilations[1] * (window.kernel[1] - 1) - 1) / window.strides[1] + 1;
  auto step = [&](ArrayRef<IndexValue> k, ValueRange state) -> ElementBuilder::Values {
    CheckedIndex row = windowWith(b, window, 0, getOutputSizes()[0], own[2], k[0]),
                 column = windowWith(b, window, 1, getOutputSizes()[1], own[3], k[1]);
    auto added = [&] {
      ElementBuilder::Indices position{own[0], (own[1] * window.kernel[0] + k[0]) * window.kernel[1] + k[1],
                                       row.index * columns + column.index};
      ScalarBuilder s = b.scalar(sum);
      return s.add(state[0], s.cast(b.load(0, position)));
    };
    return {b.choose(b.logicalAnd(row.isInside, column.isInside), added, [&] { return state[0]; })};
  };
  SmallVector<IndexRange> ranges;
  for (int64_t size : window.kernel)
    ranges.push_back({b.index(0), b.index(size)});
  Value total = b.loops(ranges, {b.scalar(sum).constant(0, sum)}, step)[0];
  return b.scalar(element).cast(total);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/conv/Unfold.cpp.inc"
#include "dialects/pd/ops/conv/Unfold.methods.inc"
#include "dialects/pd/ops/conv/Unfold.scalar.inc"
