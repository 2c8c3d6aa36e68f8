//! Elements of poolings and of their gradients.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/PoolOps.h"

#include <cfloat>

using namespace mlir;

namespace proa::pd {
namespace {

/// Elements of a window up to which a gradient of a maximum searches it again for each of its elements.
constexpr int64_t largestSearch = 1024;

/// A maximum starts with the same value as in the library kernel.
double lowestOf(Type element) {
  if (element.isF16())
    return -65504;
  return element.isF32() ? -FLT_MAX : element.isF64() ? -DBL_MAX : -INFINITY;
}

/// The range of a window along one axis: the places origin + i for i in `range`.
struct AxisWindow {
  IndexValue origin;
  IndexRange range;
};

/// The windows of a pooling of static spatial dims.
class PoolElement {
public:
  template <class Op>
  PoolElement(Op op, RankedTensorType x, RankedTensorType out)
      : pool(poolWindow(op, x.getRank() - 2)), isMax(op.getPoolingType() == PoolingType::Max),
        isExclusive(op.getExclusive()), element(x.getElementType()),
        in(spatialDims(x.getShape(), pool.dataFormat)), outDims(spatialDims(out.getShape(), pool.dataFormat)),
        hasKernelTensor(op.getKernelSizeTensor()) {
    Window &window = pool.window;
    kernel = window.kernel;
    before.assign(in.size(), 0);
    if (pool.isGlobal)
      kernel = in;
    if (pool.isGlobal || pool.isAdaptive || !isStatic())
      return;
    SmallVector<int64_t> paddings = window.resolvedPaddings(in);
    for (size_t axis = 0; axis < in.size(); ++axis)
      before[axis] = paddings[2 * axis];
  }

  const char *whyNoElement() const {
    if (hasKernelTensor)
      return "its kernel size is an operand";
    if (!isStatic())
      return "it pools over dimensions that are known only at run time";
    return pool.isGlobal && llvm::is_contained(in, 0) ? "it pools over no elements" : nullptr;
  }

  int64_t windowSize() const {
    int64_t size = 1;
    for (size_t axis = 0; axis < in.size(); ++axis)
      size *= pool.isAdaptive ? in[axis] / std::max<int64_t>(outDims[axis], 1) + 2 : kernel[axis];
    return size;
  }

  /// The result of one window.
  Value buildOut(ElementBuilder &b, ValueRange at) const {
    ElementBuilder::Indices out = b.indices(at);
    SmallVector<AxisWindow> window = windowAt(b, out);
    Type sum = ElementBuilder::sumType(element);
    ScalarBuilder s = b.scalar(sum);
    auto step = [&](ArrayRef<IndexValue> offsets, ValueRange state) -> ElementBuilder::Values {
      ScalarBuilder inner = b.scalar(sum);
      Value value = inner.cast(b.load(0, positionIn(out, window, offsets)));
      if (!isMax)
        return {inner.add(state[0], value)};
      // Of values that do not compare the later one wins, as in Paddle.
      return {inner.select(inner.lessThan(value, state[0]), state[0], value)};
    };
    Value start = s.constant(isMax ? lowestOf(element) : 0, sum);
    Value total = b.loops(rangesOf(window), {start}, step)[0];
    if (!isMax)
      total = s.divide(total, countOf(b, out, window, sum));
    return b.scalar(element).cast(total);
  }

  /// The gradient of one element of x, from all windows that have it.
  Value buildGradient(ElementBuilder &b, ValueRange at) const {
    ElementBuilder::Indices own = b.indices(at);
    Type sum = ElementBuilder::sumType(element);
    SmallVector<IndexRange> windows;
    for (size_t axis = 0; axis < in.size(); ++axis)
      windows.push_back(windowsWith(own[dimOf(axis)], axis));
    auto step = [&](ArrayRef<IndexValue> outPosition, ValueRange state) -> ElementBuilder::Values {
      ElementBuilder::Indices out = own;
      for (size_t axis = 0; axis < in.size(); ++axis)
        out[dimOf(axis)] = outPosition[axis];
      ScalarBuilder s = b.scalar(sum);
      Value given = s.cast(b.load(1, out));
      SmallVector<AxisWindow> window = windowAt(b, out);
      Value share = isMax ? s.select(isFirstGreatest(b, own, out, window), given, s.constant(0, sum))
                          : s.divide(given, countOf(b, out, window, sum));
      return {s.add(state[0], share)};
    };
    Value total = b.loops(windows, {b.scalar(sum).constant(0, sum)}, step)[0];
    return b.scalar(element).cast(total);
  }

private:
  PoolWindow pool;
  bool isMax, isExclusive;
  Type element;
  SmallVector<int64_t> in, outDims, kernel, before;
  bool hasKernelTensor;

  bool isStatic() const {
    return !llvm::is_contained(in, ShapedType::kDynamic) &&
           !llvm::is_contained(outDims, ShapedType::kDynamic) &&
           !llvm::is_contained(pool.window.kernel, ShapedType::kDynamic);
  }

  size_t dimOf(size_t axis) const { return axis + (channelsAreLast(pool.dataFormat) ? 1 : 2); }

  AxisWindow windowAt(ElementBuilder &b, IndexValue at, size_t axis) const {
    if (pool.isAdaptive) {
      IndexValue begin = at * in[axis] / outDims[axis],
                 end = (at * in[axis] + (in[axis] + outDims[axis] - 1)) / outDims[axis];
      return {b.index(0), {begin, end}};
    }
    IndexValue first = at * strideOf(axis) - before[axis];
    bool isWhole = before[axis] == 0 && (outDims[axis] - 1) * strideOf(axis) + kernel[axis] <= in[axis];
    if (isWhole)
      return {first, {b.index(0), b.index(kernel[axis])}};
    return {b.index(0), {max(first, 0), min(first + kernel[axis], b.index(in[axis]))}};
  }

  int64_t strideOf(size_t axis) const { return pool.isGlobal ? 1 : pool.window.strides[axis]; }

  SmallVector<AxisWindow> windowAt(ElementBuilder &b, ArrayRef<IndexValue> out) const {
    SmallVector<AxisWindow> window;
    for (size_t axis = 0; axis < in.size(); ++axis)
      window.push_back(windowAt(b, out[dimOf(axis)], axis));
    return window;
  }

  static SmallVector<IndexRange> rangesOf(ArrayRef<AxisWindow> window) {
    SmallVector<IndexRange> ranges;
    for (const AxisWindow &axis : window)
      ranges.push_back(axis.range);
    return ranges;
  }

  /// The place in x of an element of a window.
  ElementBuilder::Indices positionIn(ArrayRef<IndexValue> out, ArrayRef<AxisWindow> window,
                                     ArrayRef<IndexValue> offsets) const {
    ElementBuilder::Indices position(out);
    for (size_t axis = 0; axis < in.size(); ++axis)
      position[dimOf(axis)] = window[axis].origin + offsets[axis];
    return position;
  }

  /// The divisor of a mean.
  Value countOf(ElementBuilder &b, ArrayRef<IndexValue> out, ArrayRef<AxisWindow> window, Type sum) const {
    IndexValue count = b.index(1);
    for (size_t axis = 0; axis < in.size(); ++axis) {
      if (isExclusive || pool.isAdaptive) {
        count = count * max(window[axis].range.end - window[axis].range.begin, 0);
        continue;
      }
      // As Paddle, with as much padding after the input as before it.
      IndexValue first = out[dimOf(axis)] * strideOf(axis) - before[axis];
      count = count * (min(first + kernel[axis], b.index(in[axis] + before[axis])) - first);
    }
    return b.toElement(count, sum);
  }

  /// The outputs along one axis whose windows have the place.
  IndexRange windowsWith(IndexValue position, size_t axis) const {
    ElementBuilder &b = position.getOwner();
    if (pool.isAdaptive)
      return {position * outDims[axis] / in[axis], ceilDivide((position + 1) * outDims[axis], in[axis])};
    return {ceilDivide(position + (before[axis] - kernel[axis] + 1), strideOf(axis)),
            min((position + before[axis]) / strideOf(axis) + 1, b.index(outDims[axis]))};
  }

  /// Whether `own` is the place of the first greatest element of the window.
  Value isFirstGreatest(ElementBuilder &b, ArrayRef<IndexValue> own, ArrayRef<IndexValue> out,
                        ArrayRef<AxisWindow> window) const {
    auto linear = [&](ArrayRef<IndexValue> position) {
      IndexValue row = b.index(0);
      for (size_t axis = 0; axis < in.size(); ++axis)
        row = row * in[axis] + position[dimOf(axis)];
      return row;
    };
    Type sum = ElementBuilder::sumType(element);
    auto step = [&](ArrayRef<IndexValue> offsets, ValueRange state) -> ElementBuilder::Values {
      ElementBuilder::Indices position = positionIn(out, window, offsets);
      ScalarBuilder s = b.scalar(sum);
      Value value = s.cast(b.load(0, position));
      IndexValue none(b, state[1]);
      Value wins = s.bitOr(isLess(none, b.index(0)), s.lessThan(state[0], value));
      return {s.select(wins, value, state[0]), b.select(wins, linear(position), none)};
    };
    Value lowest = b.scalar(sum).constant(lowestOf(element), sum);
    IndexValue found(b, b.loops(rangesOf(window), {lowest, b.index(-1)}, step)[1]);
    return b.scalar(sum).equal(found, linear(own));
  }
};

template <class Op> PoolElement poolElementOf(Op op) {
  return {op, tensorType(op.getX()), tensorType(op.getOut())};
}

template <class Op> PoolElement gradientOf(Op op) {
  return {op, tensorType(op.getX()), tensorType(op.getOutGradient())};
}

template <class Op> const char *whyNoGradient(Op op) {
  PoolElement pool = gradientOf(op);
  if (const char *why = pool.whyNoElement())
    return why;
  if (!tensorType(op.getX()).hasStaticShape() || !tensorType(op.getOutGradient()).hasStaticShape())
    return "whether its operands have equal dims is known only at run time";
  bool isSearched = op.getPoolingType() == PoolingType::Max && pool.windowSize() > largestSearch;
  return isSearched ? "its windows are too large to be searched for each element" : nullptr;
}

} // namespace

const char *Pool2dOp::whyNoElement() { return poolElementOf(*this).whyNoElement(); }
const char *Pool3dOp::whyNoElement() { return poolElementOf(*this).whyNoElement(); }
Value Pool2dOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }
Value Pool3dOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }
Value Pool2dOp::buildElement(ElementBuilder &b, ValueRange at) {
  return poolElementOf(*this).buildOut(b, at);
}
Value Pool3dOp::buildElement(ElementBuilder &b, ValueRange at) {
  return poolElementOf(*this).buildOut(b, at);
}

const char *Pool2dGradientOp::whyNoElement() { return whyNoGradient(*this); }
const char *Pool3dGradientOp::whyNoElement() { return whyNoGradient(*this); }
Value Pool2dGradientOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }
Value Pool3dGradientOp::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }
Value Pool2dGradientOp::buildElement(ElementBuilder &b, ValueRange at) {
  return gradientOf(*this).buildGradient(b, at);
}
Value Pool3dGradientOp::buildElement(ElementBuilder &b, ValueRange at) {
  return gradientOf(*this).buildGradient(b, at);
}

} // namespace proa::pd
