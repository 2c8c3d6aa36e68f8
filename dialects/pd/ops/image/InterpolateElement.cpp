//! Elements of interpolations.
#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/InterpolateOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// An element along one axis that an output index combines.
struct Tap {
  IndexValue position;
  Value weight; ///< null: 1
};

/// One axis. Positions are computed in float32 as in Paddle, to take the same elements.
class InterpolatedAxis {
public:
  InterpolatedAxis(ElementBuilder &b, Type sum, int64_t in, float ratio, bool alignCorners, bool isCentered)
      : b(b), sum(sum), in(in), ratio(ratio), alignCorners(alignCorners), isCentered(isCentered) {}

  SmallVector<Tap> nearest(IndexValue at) const {
    ScalarBuilder s = b.scalar(f32());
    Value position = scaled(b.toElement(at, f32()));
    if (alignCorners)
      position = s.add(position, s.constant(0.5, f32()));
    return {{min(b.toIndex(position), b.index(in - 1)), Value()}};
  }

  SmallVector<Tap> linear(IndexValue at) const {
    ScalarBuilder s = b.scalar(f32());
    Value position = b.toElement(at, f32()), half = s.constant(0.5, f32());
    position = isCentered ? s.subtract(scaled(s.add(position, half)), half) : scaled(position);
    position = s.maximum(position, s.constant(0, f32()));
    IndexValue first = min(b.toIndex(position), b.index(in - 1)), second = min(first + 1, b.index(in - 1));
    Value fraction = s.subtract(position, b.toElement(first, f32()));
    Value rest = s.subtract(s.constant(1, f32()), fraction);
    return {{first, b.scalar(sum).cast(rest)}, {second, b.scalar(sum).cast(fraction)}};
  }

  /// The Keys kernel.
  SmallVector<Tap> cubic(IndexValue at) const {
    ScalarBuilder s = b.scalar(sum);
    auto constant = [&](double value) { return s.constant(value, sum); };
    // As the library kernel: the distance of far elements would be inexact in float32.
    ScalarBuilder exact = b.scalar(b.getBuilder().getF64Type());
    Value position = exact.cast(scaled(b.toElement(at, f32())));
    if (!alignCorners) {
      auto half = [&] { return exact.constant(0.5, b.getBuilder().getF64Type()); };
      Value center = exact.add(b.toElement(at, b.getBuilder().getF64Type()), half());
      Value factor = exact.constant(ratio, b.getBuilder().getF64Type());
      position = exact.subtract(exact.multiply(factor, center), half());
    }
    Value floor = exact.floor(position), t = s.cast(exact.subtract(position, floor));
    constexpr double a = -0.75;
    auto horner = [&](Value d, ArrayRef<double> coefficients) {
      Value value = constant(coefficients.front());
      for (double c : coefficients.drop_front())
        value = s.add(s.multiply(value, d), constant(c));
      return value;
    };
    auto near = [&](Value d) { return horner(d, {a + 2, -(a + 3), 0, 1}); };
    auto far = [&](Value d) { return horner(d, {a, -5 * a, 8 * a, -4 * a}); };
    Value other = s.subtract(constant(1), t);
    Value weights[] = {far(s.add(t, constant(1))), near(t), near(other), far(s.add(other, constant(1)))};
    IndexValue first = b.toIndex(floor);
    SmallVector<Tap> taps;
    for (int64_t k = 0; k < 4; ++k)
      taps.push_back({min(max(first + (k - 1), 0), b.index(in - 1)), weights[k]});
    return taps;
  }

private:
  ElementBuilder &b;
  Type sum;
  int64_t in;
  float ratio;
  bool alignCorners, isCentered;

  Type f32() const { return b.getBuilder().getF32Type(); }

  /// x times the ratio, rounded to float32. The maximum, which changes nothing, keeps the code generator from
  /// contracting the product with a sum, which would not round it.
  Value scaled(Value x) const {
    ScalarBuilder s = b.scalar(f32());
    return s.maximum(s.multiply(s.constant(ratio, f32()), x), s.constant(0, f32()));
  }
};

template <class Op> class InterpolateElement {
public:
  explicit InterpolateElement(Op op)
      : op(op), element(tensorType(op.getX()).getElementType()),
        in(spatialDims(tensorType(op.getX()).getShape(), op.getDataFormat())),
        out(spatialDims(tensorType(op.getOutput()).getShape(), op.getDataFormat())) {}

  const char *whyNoElement() const {
    if (op.getOutSize() || !op.getSizeTensor().empty() || op.getScaleTensor())
      return "its size is an operand";
    if (llvm::is_contained(in, ShapedType::kDynamic) || llvm::is_contained(out, ShapedType::kDynamic))
      return "it resamples dimensions that are known only at run time";
    if (llvm::is_contained(in, 0) || (op.getScale().size() > 1 && op.getScale().size() != in.size()))
      return "its library kernel reports an error";
    bool copies = op.getInterpMethod() == Interpolation::Nearest;
    return isa<FloatType>(element) || copies ? nullptr : "it combines integers";
  }

  Value build(ElementBuilder &b, ValueRange values) const {
    ElementBuilder::Indices at = b.indices(values);
    Type sum = ElementBuilder::sumType(element);
    SmallVector<SmallVector<Tap>> taps;
    for (size_t axis = 0; axis < in.size(); ++axis)
      taps.push_back(tapsOf(b, sum, axis, at[dimOf(axis)]));
    if (op.getInterpMethod() == Interpolation::Nearest) {
      for (size_t axis = 0; axis < in.size(); ++axis)
        at[dimOf(axis)] = taps[axis][0].position;
      return b.load(0, at);
    }
    ScalarBuilder s = b.scalar(sum);
    Value total = s.constant(0, sum);
    std::function<void(size_t, Value)> add = [&](size_t axis, Value weight) {
      if (axis == in.size()) {
        total = s.add(total, s.multiply(weight, s.cast(b.load(0, at))));
        return;
      }
      for (const Tap &tap : taps[axis]) {
        at[dimOf(axis)] = tap.position;
        add(axis + 1, weight ? s.multiply(weight, tap.weight) : tap.weight);
      }
    };
    add(0, Value());
    return b.scalar(element).cast(total);
  }

private:
  mutable Op op; ///< getters are not const
  Type element;
  SmallVector<int64_t> in, out;

  size_t dimOf(size_t axis) const { return axis + (channelsAreLast(op.getDataFormat()) ? 1 : 2); }

  float ratioOf(size_t axis) const {
    if (out[axis] <= 1)
      return 0;
    if (op.getAlignCorners())
      return static_cast<float>(in[axis] - 1) / static_cast<float>(out[axis] - 1);
    ArrayRef<double> scales = in == out ? ArrayRef<double>() : op.getScale(); // as Paddle: equal sizes copy
    double scale = scales.empty() ? 0 : scales[scales.size() == 1 ? 0 : axis];
    return scale > 0 ? 1 / static_cast<float>(scale)
                     : static_cast<float>(in[axis]) / static_cast<float>(out[axis]);
  }

  SmallVector<Tap> tapsOf(ElementBuilder &b, Type sum, size_t axis, IndexValue at) const {
    bool isCentered = !op.getAlignCorners() && op.getAlignMode() == 0;
    InterpolatedAxis rule(b, sum, in[axis], ratioOf(axis), op.getAlignCorners(), isCentered);
    switch (op.getInterpMethod()) {
    case Interpolation::Nearest:
      return rule.nearest(at);
    case Interpolation::Bicubic:
      return rule.cubic(at);
    default:
      return rule.linear(at);
    }
  }
};

template <class Op> InterpolateElement<Op> interpolateElementOf(Op op) { return InterpolateElement<Op>(op); }

} // namespace

#define PROA_ELEMENT(Op)                                                                                     \
  const char *Op::whyNoElement() { return interpolateElementOf(*this).whyNoElement(); }                      \
  Value Op::buildDim(ElementBuilder &b, int64_t dim) { return b.dim(0, dim); }                               \
  Value Op::buildElement(ElementBuilder &b, ValueRange at) {                                                 \
    return interpolateElementOf(*this).build(b, at);                                                         \
  }
PROA_ELEMENT(LinearInterpOp)
PROA_ELEMENT(BilinearInterpOp)
PROA_ELEMENT(TrilinearInterpOp)
PROA_ELEMENT(BicubicInterpOp)
PROA_ELEMENT(NearestInterpOp)
#undef PROA_ELEMENT

} // namespace proa::pd
