//! The gradient of an interpolation as products with its weights. An interpolation is a linear map along each
//! spatial axis; its weights are the interpolation of the unit vectors.
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

class TransposedInterpolation {
public:
  TransposedInterpolation(TensorBuilder &e, InterpolateGradientOp op)
      : e(e), op(op), first(channelsAreLast(op.getDataFormat()) ? 1 : 2),
        hasScale(op.getScaleTensor() || !op.getScale().empty()) {
    int64_t axes = tensorType(op.getX()).getRank() - 2;
    for (int64_t axis = 0; axis < axes; ++axis) {
      in.emplace_back(e.wrap(op.getX()), first + axis);
      out.emplace_back(e.wrap(op.getOutGradient()), first + axis);
    }
    findWhetherCopied();
  }

  Expression compute() {
    Expression gradient = e.operand(1);
    for (size_t axis = 0; axis < in.size(); ++axis)
      gradient = transposedAlong(gradient, axis);
    return gradient;
  }

private:
  /// An output as large as the input is a copy of it, whatever the scale.
  void findWhetherCopied() {
    bool areKnown = llvm::all_of(in, [](const DimSize &size) { return size.isKnown(); }) &&
                    llvm::all_of(out, [](const DimSize &size) { return size.isKnown(); });
    bool areEqual = areKnown && llvm::equal(in, out, [](const DimSize &x, const DimSize &y) {
                      return x.getNumber() == y.getNumber();
                    });
    if (!hasScale || in.size() == 1 || areEqual) { // one axis decides for itself
      hasScale &= !areEqual;
      return;
    }
    for (size_t axis = 0; !areKnown && axis < in.size(); ++axis) {
      Expression isEqual = e.wrap(in[axis].getValue(e)) == e.wrap(out[axis].getValue(e));
      isCopy = isCopy ? e.wrap(e.create<LogicalAndOp>(*isCopy, isEqual)) : isEqual;
    }
  }

  Expression transposedAlong(Expression gradient, size_t axis) {
    SmallVector<int64_t> exchange = llvm::to_vector(llvm::seq<int64_t>(gradient.rank()));
    std::swap(exchange[first + axis], exchange.back());
    Expression weights = weightsOf(axis, gradient.type().getElementType());
    Expression sums =
        e.matmul(e.transpose(gradient, exchange), weights, /*transposeX=*/false, /*transposeY=*/true);
    return e.transpose(sums, exchange);
  }

  /// 1 where row and column are equal.
  Expression identity(const DimSize &rows, const DimSize &columns, Type element) {
    Type i64 = e.getBuilder().getI64Type();
    return e.cast(insertDim(iota(e, rows, i64), 1) == insertDim(iota(e, columns, i64), 0), element);
  }

  /// The weight of each input in each output along an axis, [in, out].
  Expression weightsOf(size_t axis, Type element) {
    SmallVector<DimSize> dims(in.size() + 2, DimSize(1));
    dims[0] = dims[axis + 2] = in[axis];
    Expression unit = reshapeTo(identity(in[axis], in[axis], element), dims);
    Expression weights = interpolated(unit, axis);
    // Another axis with a scale has two equal elements.
    for (size_t other = 0; hasScale && other < in.size(); ++other)
      if (other != axis)
        weights = slice(weights, static_cast<int64_t>(other) + 2, 0, 1);
    weights = reshapeTo(weights, {in[axis], out[axis]});
    return isCopy ? e.select(*isCopy, identity(in[axis], out[axis], element), weights) : weights;
  }

  Expression interpolated(Expression x, size_t axis) {
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

  /// x resampled along one axis to the size of the result. With a scale all other axes get twice their size
  /// of 1: an image as large as before would be a copy.
  template <class Op> Expression create(Expression x, size_t axis) {
    SmallVector<DimSize> sizes(in.size(), DimSize(hasScale ? 2 : 1));
    sizes[axis] = out[axis];
    SmallVector<double> factors;
    Value scale;
    if (hasScale && op.getScaleTensor())
      scale = scaleTensor(axis);
    else if (hasScale) {
      factors.assign(in.size(), 2);
      ArrayRef<double> given = op.getScale();
      factors[axis] = given[given.size() == 1 ? 0 : axis];
    }
    Value size = sizeTensor(sizes);
    return e.wrap(e.create<Op>(x, size, ValueRange(), scale, DataFormat::NCHW, int64_t(0), int64_t(0),
                               int64_t(0), factors, op.getInterpMethod(), op.getAlignCorners(),
                               op.getAlignMode()));
  }

  /// The sizes as a tensor, a constant if they are static.
  Value sizeTensor(ArrayRef<DimSize> sizes) {
    if (llvm::any_of(sizes, [](const DimSize &size) { return !size.isKnown(); }))
      return shapeTensor(e, sizes);
    SmallVector<int64_t> values =
        llvm::map_to_vector(sizes, [](const DimSize &size) { return size.getNumber(); });
    auto type = RankedTensorType::get({static_cast<int64_t>(sizes.size())}, e.getBuilder().getI64Type());
    return e.create<ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef(values)));
  }

  Value scaleTensor(size_t axis) {
    Expression given = e.reshape(e.wrap(op.getScaleTensor()), {-1});
    int64_t position = given.type().getDimSize(0) == 1 ? 0 : static_cast<int64_t>(axis);
    Expression two = e.reshape(e.constant(2, given.type().getElementType()), {1});
    SmallVector<Expression> pieces(in.size(), two);
    pieces[axis] = slice(given, 0, position, position + 1);
    return concat(pieces, 0);
  }

  TensorBuilder &e;
  InterpolateGradientOp op;
  int64_t first; ///< the first spatial dimension
  bool hasScale;
  SmallVector<DimSize> in, out;
  /// Whether all sizes stay, if that is not known and there is a scale.
  std::optional<Expression> isCopy;
};

} // namespace

FailureOr<SmallVector<Value>> InterpolateGradientOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  if (auto type = getScaleTensor() ? tensorType(getScaleTensor()) : RankedTensorType();
      type && !type.hasStaticShape())
    return notifyDecompositionFailure(builder, *this, "the number of its scales is dynamic");
  return e.results({TransposedInterpolation(e, *this).compute()});
}

} // namespace proa::pd
