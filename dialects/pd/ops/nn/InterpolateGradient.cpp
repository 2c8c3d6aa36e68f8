//! The gradient of an interpolation as products with its weights. An interpolation is a linear map along each
//! spatial axis; its weights are the interpolation of the unit vectors.
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

class TransposedInterpolation {
public:
  TransposedInterpolation(TensorBuilder &e, InterpolateGradientOp op)
      : e(e), op(op), in(spatialDims(tensorType(op.getX()).getShape(), op.getDataFormat())),
        out(spatialDims(tensorType(op.getOutGradient()).getShape(), op.getDataFormat())),
        scale(op.getScale().begin(), op.getScale().end()) {
    if (scale.size() == 1)
      scale.assign(in.size(), scale.front());
    if (llvm::equal(in, out)) // a copy, whatever the scale
      scale.clear();
  }

  /// Null if there is a formula.
  const char *whyNot() const {
    if (op.getScaleTensor())
      return "its scale is an operand";
    if (llvm::is_contained(in, ShapedType::kDynamic) || llvm::is_contained(out, ShapedType::kDynamic))
      return "it resamples dynamic dims";
    // Along such an axis alone the interpolation would be a copy.
    for (size_t axis = 0; axis < scale.size(); ++axis)
      if (in[axis] == out[axis] && scale[axis] != 1)
        return "it has a scale along an axis whose size stays";
    return nullptr;
  }

  Expression compute() const {
    Expression gradient = e.operand(1);
    int64_t first = channelsAreLast(op.getDataFormat()) ? 1 : 2;
    for (size_t axis = 0; axis < in.size(); ++axis)
      gradient = transposedAlong(gradient, axis, first + static_cast<int64_t>(axis));
    return gradient;
  }

private:
  Expression transposedAlong(Expression gradient, size_t axis, int64_t dim) const {
    SmallVector<int64_t> exchange = llvm::to_vector(llvm::seq<int64_t>(gradient.rank()));
    std::swap(exchange[dim], exchange.back());
    Expression weights = weightsOf(axis, gradient.type().getElementType());
    Expression sums =
        e.matmul(e.transpose(gradient, exchange), weights, /*transposeX=*/false, /*transposeY=*/true);
    return e.transpose(sums, exchange);
  }

  /// The weight of each input in each output along an axis, [in, out].
  Expression weightsOf(size_t axis, Type element) const {
    Expression unit = e.wrap(e.create<EyeOp>(in[axis], int64_t(-1), element));
    SmallVector<int64_t> shape(in.size() + 2, 1);
    shape[0] = shape[axis + 2] = in[axis];
    return e.reshape(interpolated(e.reshape(unit, shape), axis), {in[axis], out[axis]});
  }

  Expression interpolated(Expression x, size_t axis) const {
    switch (op.getInterpMethod()) {
    case Interpolation::Linear:
      return create<LinearInterpOp>(x, axis);
    case Interpolation::Bilinear:
      return create<BilinearInterpOp>(x, axis);
    case Interpolation::Trilinear:
      return create<TrilinearInterpOp>(x, axis);
    case Interpolation::Bicubic:
      return create<BicubicInterpOp>(x, axis);
    case Interpolation::Nearest:
      return create<NearestInterpOp>(x, axis);
    }
    llvm_unreachable("unknown interpolation");
  }

  /// x resampled along one axis to the size of the result.
  template <class Op> Expression create(Expression x, size_t axis) const {
    OpBuilder &builder = e.getBuilder();
    SmallVector<int64_t> sizes(in.size(), 1);
    sizes[axis] = out[axis];
    SmallVector<double> factors;
    Value size;
    if (!scale.empty()) {
      factors.assign(in.size(), 1);
      factors[axis] = scale[axis];
      auto type = RankedTensorType::get({static_cast<int64_t>(sizes.size())}, builder.getI64Type());
      size = e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef(sizes)));
    }
    SmallVector<int64_t> outDims(3 - sizes.size(), 0);
    outDims.append(sizes);
    return e.wrap(e.create<Op>(x, size, ValueRange(), Value(), DataFormat::NCHW, outDims[0], outDims[1],
                               outDims[2], factors, op.getInterpMethod(), op.getAlignCorners(),
                               op.getAlignMode()));
  }

  TensorBuilder &e;
  mutable InterpolateGradientOp op; ///< getters are not const
  SmallVector<int64_t> in, out;
  SmallVector<double> scale;
};

} // namespace

FailureOr<SmallVector<Value>> InterpolateGradientOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  TransposedInterpolation map(e, *this);
  if (const char *reason = map.whyNot())
    return notifyDecompositionFailure(builder, *this, reason);
  return e.results({map.compute()});
}

} // namespace proa::pd
