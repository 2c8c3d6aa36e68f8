#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/PoolFormulasOps.h"
#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

template <class Op> PoolWindow lpPoolWindow(Op op) {
  PoolWindow pool = maxPoolWindow(op, 2);
  pool.window.paddingAlgorithm = op.getPaddingAlgorithm();
  pool.dataFormat = op.getDataFormat();
  return pool;
}

//===-- Fractional windows ------------------------------------------------------------------------------===//

/// The windows along one dimension.
struct FractionalWindows {
  int64_t dimSize = 0;
  /// The first element and the one after the last.
  llvm::SmallVector<std::pair<int64_t, int64_t>> ranges;

  FractionalWindows(int64_t dimSize, int64_t count, int64_t kernel, float random) : dimSize(dimSize) {
    float step = static_cast<float>(dimSize - kernel) / static_cast<float>(count - (kernel > 0 ? 1 : 0));
    auto least = static_cast<float>(dimSize / count);
    float most = std::min((least + 2) / step - 1,
                          (static_cast<float>(dimSize) + 1 - least) / step - static_cast<float>(count - 1));
    float shift = kernel > 0 ? random : random * most;
    auto at = [&](int64_t i) {
      return static_cast<int64_t>((static_cast<float>(i) + shift) * step) -
             static_cast<int64_t>(shift * step);
    };
    for (int64_t i = 0; i < count; ++i)
      ranges.emplace_back(std::max<int64_t>(at(i), 0),
                          std::min(kernel > 0 ? at(i) + kernel : at(i + 1), dimSize));
  }

  int64_t longest() const {
    int64_t out = 1;
    for (auto [first, end] : ranges)
      out = std::max(out, end - first);
    return out;
  }

  /// Element k of window i; shorter windows repeat their last element, which does not change the maximum.
  int64_t position(int64_t i, int64_t k) const {
    return std::min(ranges[i].first + k, std::max(ranges[i].second - 1, ranges[i].first));
  }
};

using AllWindows = llvm::SmallVector<FractionalWindows, 3>;

template <class Adaptor>
LogicalResult inferFractionalPool(std::optional<Location> location, Adaptor adaptor, int64_t spatial,
                                  llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  llvm::ArrayRef<int64_t> output = adaptor.getOutputSize(), kernel = adaptor.getKernelSize();
  if (type.getRank() != spatial + 2)
    return inferenceError(location, "C1: x must have rank " + llvm::Twine(spatial + 2) + ", found rank " +
                                        llvm::Twine(type.getRank()));
  llvm::ArrayRef<int64_t> space = type.getShape().drop_front(2);
  auto areWithin = [&](llvm::ArrayRef<int64_t> values, int64_t least) {
    return static_cast<int64_t>(values.size()) == spatial &&
           llvm::all_of(llvm::zip(values, space), [&](auto pair) {
             auto [i, dimSize] = pair;
             return i >= least && (ShapedType::isDynamic(dimSize) || i <= dimSize);
           });
  };
  if (!areWithin(output, 1))
    return inferenceError(location, "C2: output_size must be " + llvm::Twine(spatial) +
                                        " positive numbers, at most the dims of x");
  if (!kernel.empty() && !areWithin(kernel, 0))
    return inferenceError(location, "C3: kernel_size must be " + llvm::Twine(spatial) +
                                        " numbers, at most the dims of x");
  double random = adaptor.getRandomU().convertToDouble();
  if (!(random > 0 && random < 1))
    return inferenceError(location,
                          "C4: random_u must be above 0 and below 1, found " + std::to_string(random));
  llvm::SmallVector<int64_t> shape(type.getShape().take_front(2));
  shape.append(output.begin(), output.end());
  results.push_back(type.clone(shape));
  results.push_back(type.clone(shape).clone(IntegerType::get(type.getContext(), 32)));
  return success();
}

/// The windows of x [N, C, windows, elements of a window].
Expression gatherWindows(Expression x, const AllWindows &windows) {
  TensorBuilder &e = x.owner();
  llvm::SmallVector<DimSize> shape{DimSize(x, 0), DimSize(x, 1)};
  llvm::SmallVector<int64_t> order{0, 1}, inWindow;
  int64_t elements = 1, axis = 2;
  for (const FractionalWindows &along : windows) {
    llvm::SmallVector<int64_t> positions;
    auto count = static_cast<int64_t>(along.ranges.size()), longest = along.longest();
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < longest; ++k)
        positions.push_back(along.position(i, k));
    auto type = RankedTensorType::get({count, longest}, e.getBuilder().getI64Type());
    Value index = e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef(positions)));
    x = e.wrap(e.create<GatherOp>(x, index, Value(), static_cast<uint64_t>(axis)));
    order.push_back(axis);
    inWindow.push_back(axis + 1);
    axis += 2;
    shape.push_back(count);
    elements *= longest;
  }
  llvm::append_range(order, inWindow);
  shape.push_back(elements);
  return reshapeTo(e.transpose(x, order), shape);
}

/// For each window and each of its elements the index in the plane, as [1, 1, windows, elements].
Expression planePositions(TensorBuilder &e, const AllWindows &windows) {
  auto i64 = e.getBuilder().getI64Type();
  auto rank = static_cast<int64_t>(windows.size());
  Expression flat = e.constant(0, i64);
  llvm::SmallVector<int64_t> shape{1, 1};
  int64_t elements = 1;
  for (auto [d, along] : llvm::enumerate(windows)) {
    auto count = static_cast<int64_t>(along.ranges.size()), longest = along.longest();
    llvm::SmallVector<int64_t> positions, dims(2 * rank, 1);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < longest; ++k)
        positions.push_back(along.position(i, k));
    dims[d] = count;
    dims[rank + d] = longest;
    auto type = RankedTensorType::get(dims, i64);
    Expression own =
        e.wrap(e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef(positions))));
    flat = flat * static_cast<double>(along.dimSize) + own;
    shape.push_back(count);
    elements *= longest;
  }
  shape.push_back(elements);
  return e.reshape(flat, shape);
}

template <class Op> FailureOr<SmallVector<Value>> decomposeFractionalPool(Op op, OpBuilder &builder) {
  TensorBuilder e(builder, op);
  Expression x = e.operand(0);
  llvm::ArrayRef<int64_t> space = x.type().getShape().drop_front(2);
  if (llvm::is_contained(space, ShapedType::kDynamic))
    return notifyDecompositionFailure(builder, op, "its windows depend on dynamic dims");
  AllWindows windows;
  auto random = static_cast<float>(op.getRandomU().convertToDouble());
  for (auto [d, dimSize] : llvm::enumerate(space))
    windows.emplace_back(dimSize, op.getOutputSize()[d],
                         op.getKernelSize().empty() ? 0 : op.getKernelSize()[d], random);
  Expression gathered = gatherWindows(x, windows);
  auto last = static_cast<uint64_t>(gathered.rank() - 1);
  Expression first =
      e.wrap(e.create<ArgmaxOp>(gathered, Value(), last, /*keepdims=*/true, /*flatten=*/false, TypeAttr()));
  Expression out = e.wrap(e.create<TakeAlongAxisOp>(gathered, first, last));
  Expression mask = e.wrap(e.create<TakeAlongAxisOp>(planePositions(e, windows), first, last));
  auto axis = static_cast<int64_t>(last);
  return e.results({dropDim(out, axis), dropDim(mask, axis)});
}

} // namespace

//===-- lp_pool2d ---------------------------------------------------------------------------------------===//

LogicalResult LpPool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  if (adaptor.getAdaptive() || adaptor.getGlobalPooling())
    return inferenceError(location, "C6: adaptive and global_pooling must be false");
  return inferPoolOf(location, tensorType(adaptor.getX()), lpPoolWindow(adaptor), results);
}

FailureOr<SmallVector<Value>> LpPool2dOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  PoolWindow pool = lpPoolWindow(*this);
  llvm::SmallVector<int64_t> around =
      pool.window.resolvedPaddings(spatialDims(x.type().getShape(), pool.dataFormat));
  if (llvm::is_contained(around, ShapedType::kDynamic))
    return notifyDecompositionFailure(builder, *this, "its padding depends on dynamic dims");
  llvm::SmallVector<int64_t> paddings(8, 0);
  int64_t first = channelsAreLast(pool.dataFormat) ? 1 : 2, elements = 1;
  for (int64_t i = 0; i < 2; ++i) {
    paddings[2 * (first + i)] = around[2 * i];
    // Additional padding with which rounding the number of windows down equals rounding up.
    paddings[2 * (first + i) + 1] = around[2 * i + 1] + (getCeilMode() ? pool.window.strides[i] - 1 : 0);
    elements *= pool.window.kernel[i];
  }
  double power = getNormType().convertToDouble();
  Type element = x.type().getElementType();
  Expression padded = e.wrap(e.create<PadOp>(x, paddings, llvm::APFloat(0.0)));
  Expression powers = power == 1   ? padded
                      : power == 2 ? padded * padded
                                   : e.pow(padded, e.constant(power, element));
  llvm::SmallVector<int64_t> none(2, 0);
  Expression mean =
      e.wrap(e.create<Pool2dOp>(powers, Value(), pool.window.kernel, pool.window.strides, none,
                                /*ceil_mode=*/false, /*exclusive=*/true, pool.dataFormat, PoolingType::Avg,
                                /*global_pooling=*/false, /*adaptive=*/false, PaddingAlgorithm::Explicit));
  Expression sum = mean * static_cast<double>(elements);
  Expression norm = power == 1 ? sum : power == 2 ? e.sqrt(sum) : e.pow(sum, e.constant(1 / power, element));
  return e.results({norm});
}

//===-- fractional_max_pool -----------------------------------------------------------------------------===//

LogicalResult FractionalMaxPool2dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                      Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  return inferFractionalPool(location, adaptor, 2, results);
}
LogicalResult FractionalMaxPool3dOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                      Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  return inferFractionalPool(location, adaptor, 3, results);
}

FailureOr<SmallVector<Value>> FractionalMaxPool2dOp::decompose(OpBuilder &builder) {
  return decomposeFractionalPool(*this, builder);
}
FailureOr<SmallVector<Value>> FractionalMaxPool3dOp::decompose(OpBuilder &builder) {
  return decomposeFractionalPool(*this, builder);
}

//===-- Spatial pyramid pooling
//---------------------------------------------------------------------------===//

LogicalResult inferSppOf(std::optional<Location> location, RankedTensorType x, int64_t height,
                         Results &results) {
  if (x.getRank() != 4 || llvm::is_contained(x.getShape().drop_front(), ShapedType::kDynamic) ||
      llvm::is_contained(x.getShape().drop_front(2), 0)) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C1: x must have rank 4 and known channels, height and width, the last two not 0, found " << x;
    return inferenceError(location, text);
  }
  if (height < 1 || height > 16)
    return inferenceError(location, "C2: pyramid_height must be from 1 to 16, found " + llvm::Twine(height));
  int64_t cells = ((int64_t(1) << (2 * height)) - 1) / 3;
  results.push_back(x.clone({x.getDimSize(0), x.getDimSize(1) * cells}));
  return success();
}

FailureOr<SmallVector<Value>> SppOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  llvm::SmallVector<Expression> levels;
  for (int64_t level = 0; level < static_cast<int64_t>(getPyramidHeight()); ++level) {
    int64_t cells = int64_t(1) << level;
    llvm::SmallVector<int64_t> window, paddings, counts;
    for (int64_t axis : {2, 3}) {
      int64_t dimSize = x.type().getDimSize(axis);
      window.push_back((dimSize + cells - 1) / cells);
      paddings.push_back((window.back() * cells - dimSize + 1) / 2);
      counts.push_back((dimSize + 2 * paddings.back()) / window.back());
    }
    OperationState state(getLoc(), Pool2dOp::getOperationName());
    state.addOperands(getX());
    state.addAttribute("kernel_size", builder.getDenseI64ArrayAttr(window));
    state.addAttribute("strides", builder.getDenseI64ArrayAttr(window));
    state.addAttribute("paddings", builder.getDenseI64ArrayAttr(paddings));
    state.addAttribute("pooling_type", getPoolingTypeAttr());
    state.addTypes(x.type().clone({x.type().getDimSize(0), x.type().getDimSize(1), counts[0], counts[1]}));
    Expression pooled = e.wrap(builder.create(state)->getResult(0));
    // If the image has fewer rows than cells, the padding contains additional windows.
    for (int64_t i : {0, 1})
      if (counts[i] > cells)
        pooled = slice(pooled, 2 + i, 0, cells);
    levels.push_back(reshapeTo(pooled, {DimSize(x, 0), x.type().getDimSize(1) * cells * cells}));
  }
  return SmallVector<Value>{concat(levels, 1)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/PoolFormulas.cpp.inc"
#include "dialects/pd/ops/image/PoolFormulas.methods.inc"
