#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::pd {

TensorBuilder::TensorBuilder(OpBuilder &builder, Operation *op) : builder(builder), op(op) {}

Expression TensorBuilder::computed(Value value) {
  Type element = mlir::cast<RankedTensorType>(value.getType()).getElementType();
  Expression expression(*this, value);
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? cast(expression, builder.getF32Type()) : expression;
}

llvm::SmallVector<Value> TensorBuilder::results(llvm::ArrayRef<Expression> values) {
  llvm::SmallVector<Value> out;
  for (auto [value, result] : llvm::zip(values, op->getResults()))
    out.push_back(cast(value, mlir::cast<RankedTensorType>(result.getType()).getElementType()));
  return out;
}

Expression TensorBuilder::chain(Expression cotangent, Expression partial) {
  return cotangent * conj(partial);
}

Expression TensorBuilder::chain(Expression cotangent, double partial) {
  if (partial == 1.0)
    return cotangent;
  return partial == -1.0 ? -cotangent : cotangent * partial;
}

Value TensorBuilder::gradient(Expression value, Value operand) {
  Type element = mlir::cast<RankedTensorType>(operand.getType()).getElementType();
  // An integer operand has integer gradients only (isIntegerTensor).
  bool isOnIntegers =
      element.isInteger() && !element.isInteger(1) && value.type().getElementType().isInteger();
  return isOnIntegers || isa<FloatType, ComplexType>(element) ? Value(cast(value, element)) : Value();
}

Expression TensorBuilder::conj(Expression x) {
  return isa<ComplexType>(x.type().getElementType()) ? wrap(create<ConjOp>(x)) : x;
}

Expression TensorBuilder::constant(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute element;
  if (auto complexType = dyn_cast<ComplexType>(elementType)) {
    auto component = mlir::cast<FloatType>(complexType.getElementType());
    element =
        builder.getArrayAttr({builder.getFloatAttr(component, value), builder.getFloatAttr(component, 0)});
    llvm::APFloat re = builder.getFloatAttr(component, value).getValue();
    llvm::APFloat im = builder.getFloatAttr(component, 0).getValue();
    return wrap(create<ConstantOp>(type, DenseElementsAttr::get(type, std::complex<llvm::APFloat>(re, im))));
  }
  if (isa<FloatType>(elementType))
    element = builder.getFloatAttr(elementType, value);
  else
    element = builder.getIntegerAttr(elementType, static_cast<int64_t>(value));
  return wrap(create<ConstantOp>(type, DenseElementsAttr::get(type, element)));
}

Expression TensorBuilder::exp(Expression x) { return wrap(create<ExpOp>(x)); }
Expression TensorBuilder::expm1(Expression x) { return wrap(create<Expm1Op>(x)); }
Expression TensorBuilder::log(Expression x) { return wrap(create<LogOp>(x)); }
Expression TensorBuilder::log1p(Expression x) { return wrap(create<Log1pOp>(x)); }
Expression TensorBuilder::sqrt(Expression x) { return wrap(create<SqrtOp>(x)); }
Expression TensorBuilder::rsqrt(Expression x) { return wrap(create<RsqrtOp>(x)); }
Expression TensorBuilder::sin(Expression x) { return wrap(create<SinOp>(x)); }
Expression TensorBuilder::cos(Expression x) { return wrap(create<CosOp>(x)); }
Expression TensorBuilder::tanh(Expression x) { return wrap(create<TanhOp>(x)); }
Expression TensorBuilder::erf(Expression x) { return wrap(create<ErfOp>(x)); }
Expression TensorBuilder::abs(Expression x) { return wrap(create<AbsOp>(x)); }
// The op pd.sigmoid, because its derivative uses its result: exp(-x) overflows for x far below zero.
Expression TensorBuilder::sigmoid(Expression x) { return wrap(create<SigmoidOp>(x)); }
Expression TensorBuilder::floor(Expression x) { return wrap(create<FloorOp>(x)); }
Expression TensorBuilder::isnan(Expression x) { return wrap(create<IsnanOp>(x)); }
Expression TensorBuilder::equal(Expression x, double y) {
  return wrap(create<EqualOp>(x, constant(y, x.type().getElementType())));
}
Expression TensorBuilder::maximum(Expression x, Expression y) { return wrap(create<MaximumOp>(x, y)); }
Expression TensorBuilder::maximum(Expression x, double y) {
  return maximum(x, constant(y, x.type().getElementType()));
}
Expression TensorBuilder::minimum(Expression x, Expression y) { return wrap(create<MinimumOp>(x, y)); }
Expression TensorBuilder::minimum(Expression x, double y) {
  return minimum(x, constant(y, x.type().getElementType()));
}
Expression TensorBuilder::maximum(double x, Expression y) {
  return maximum(constant(x, y.type().getElementType()), y);
}
Expression TensorBuilder::minimum(double x, Expression y) {
  return minimum(constant(x, y.type().getElementType()), y);
}
Expression TensorBuilder::pow(Expression x, Expression y) { return wrap(create<ElementwisePowOp>(x, y)); }
Expression TensorBuilder::select(Expression condition, Expression x, Expression y) {
  return wrap(create<WhereOp>(condition, x, y));
}
Expression TensorBuilder::select(Expression condition, Expression x, double y) {
  return select(condition, x, constant(y, x.type().getElementType()));
}
Expression TensorBuilder::select(Expression condition, double x, Expression y) {
  return select(condition, constant(x, y.type().getElementType()), y);
}
Expression TensorBuilder::cast(Expression x, Type elementType) {
  return x.type().getElementType() == elementType ? x : wrap(create<CastOp>(x, TypeAttr::get(elementType)));
}

Expression TensorBuilder::sum(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim) {
  return wrap(create<SumOp>(x, axes, keepdim, TypeAttr()));
}

Expression TensorBuilder::max(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim) {
  return wrap(create<MaxOp>(x, axes, keepdim));
}

Expression TensorBuilder::countAlong(Expression x, llvm::ArrayRef<int64_t> axes) {
  Type element = x.type().getElementType();
  double count = 1;
  llvm::SmallVector<int64_t> dynamic;
  for (int64_t axis : axes) {
    int64_t dim = x.type().getDimSize(axis);
    if (ShapedType::isDynamic(dim))
      dynamic.push_back(axis);
    else
      count *= static_cast<double>(dim);
  }
  Expression out = constant(count, element);
  for (int64_t axis : dynamic)
    out = out * cast(wrap(create<DimOp>(x, axis)), element);
  return out;
}

Expression TensorBuilder::mean(Expression x, llvm::ArrayRef<int64_t> axes, bool keepdim) {
  return sum(x, axes, keepdim) / countAlong(x, axes);
}

Expression TensorBuilder::reshape(Expression x, llvm::ArrayRef<int64_t> shape) {
  return wrap(create<ReshapeOp>(x, Value(), builder.getDenseI64ArrayAttr(shape)));
}

Expression TensorBuilder::transpose(Expression x, llvm::ArrayRef<int64_t> permutation) {
  return wrap(create<TransposeOp>(x, permutation));
}

Expression TensorBuilder::matmul(Expression x, Expression y, bool transposeX, bool transposeY) {
  return wrap(create<MatmulOp>(x, y, transposeX, transposeY));
}

#define PROA_OPERATOR(symbol, Op)                                                                            \
  Expression operator symbol(Expression x, Expression y) {                                                   \
    return x.owner().wrap(x.owner().create<Op>(x, y));                                                       \
  }                                                                                                          \
  Expression operator symbol(Expression x, double y) {                                                       \
    return x symbol x.owner().constant(y, x.type().getElementType());                                        \
  }                                                                                                          \
  Expression operator symbol(double x, Expression y) {                                                       \
    return y.owner().constant(x, y.type().getElementType()) symbol y;                                        \
  }
PROA_OPERATOR(+, AddOp)
PROA_OPERATOR(-, SubtractOp)
PROA_OPERATOR(*, MultiplyOp)
PROA_OPERATOR(/, DivideOp)
#undef PROA_OPERATOR

#define PROA_COMPARISON(symbol, Op)                                                                          \
  Expression operator symbol(Expression x, double y) {                                                       \
    TensorBuilder &e = x.owner();                                                                            \
    return e.wrap(e.create<Op>(x, e.constant(y, x.type().getElementType())));                                \
  }
PROA_COMPARISON(<, LessThanOp)
PROA_COMPARISON(>, GreaterThanOp)
PROA_COMPARISON(<=, LessEqualOp)
PROA_COMPARISON(>=, GreaterEqualOp)
#undef PROA_COMPARISON

Expression operator<(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LessThanOp>(x, y));
}
Expression operator>(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<GreaterThanOp>(x, y));
}
Expression operator<=(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LessEqualOp>(x, y));
}
Expression operator>=(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<GreaterEqualOp>(x, y));
}
Expression operator==(Expression x, Expression y) { return x.owner().wrap(x.owner().create<EqualOp>(x, y)); }
Expression operator-(Expression x) { return x.owner().wrap(x.owner().create<NegateOp>(x)); }

} // namespace proa::pd
