#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/math/Math.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

static LogicalResult checkComponent(std::optional<Location> location, Type type) {
  if (type.isF32() || type.isF64())
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: the components of complex numbers must be f32 or f64, found "
                                 << type;
  return inferenceError(location, text);
}

LogicalResult inferComplexOf(std::optional<Location> location, ValueRange components, Results &results) {
  auto element = commonElementType(location, components, "C1");
  if (failed(element) || failed(checkComponent(location, *element)))
    return failure();
  return inferBroadcastOf(location, components, ComplexType::get(*element), results);
}

LogicalResult inferAsComplexOf(std::optional<Location> location, RankedTensorType type, Results &results) {
  if (failed(checkComponent(location, type.getElementType())))
    return failure();
  if (type.getRank() == 0 || (!type.isDynamicDim(type.getRank() - 1) && type.getShape().back() != 2)) {
    std::string text;
    llvm::raw_string_ostream(text) << "C2: the last dimension must have size 2, found " << type;
    return inferenceError(location, text);
  }
  results.push_back(
      RankedTensorType::get(type.getShape().drop_back(), ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult inferAsRealOf(RankedTensorType type, Results &results) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  // Operands of other element types are refused by the op's constraint afterwards.
  auto element = dyn_cast<ComplexType>(type.getElementType());
  results.push_back(RankedTensorType::get(shape, element ? element.getElementType() : type.getElementType()));
  return success();
}

// Gradients follow Wirtinger, conjugated: dL/dRe + i dL/dIm.

static Expression zerosOf(TensorBuilder &e, Expression x) {
  return e.wrap(e.create<FullLikeOp>(x, Value(), e.getBuilder().getF64FloatAttr(0), TypeAttr()));
}

static Expression gradientOfImag(TensorBuilder &e, Expression x, Expression dout) {
  if (!isa<ComplexType>(x.type().getElementType()))
    return zerosOf(e, x);
  return e.wrap(e.create<ComplexOp>(e.constant(0, dout.type().getElementType()), dout));
}

/// dout * i x / |x|^2
static Expression gradientOfAngle(TensorBuilder &e, Expression x, Expression dout) {
  if (!isa<ComplexType>(x.type().getElementType()))
    return zerosOf(e, x);
  Expression re = e.wrap(e.create<RealOp>(x)), im = e.wrap(e.create<ImagOp>(x)), squares = re * re + im * im;
  Expression isZero = e.equal(squares, 0.0); // zero there, as in Paddle, and so are all derivatives
  Expression factor = e.select(isZero, 0.0, dout / e.select(isZero, 1.0, squares));
  return e.wrap(e.create<ComplexOp>(-im * factor, re * factor));
}

/// Element `which` of the last dimension, without that dimension.
static Expression component(Expression x, int64_t which) {
  return dropDim(slice(x, x.rank() - 1, which, which + 1), x.rank() - 1);
}

FailureOr<SmallVector<Value>> AsComplexOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  return e.results({e.wrap(e.create<ComplexOp>(component(x, 0), component(x, 1)))});
}

FailureOr<SmallVector<Value>> AsRealOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  Value components[] = {e.create<RealOp>(x), e.create<ImagOp>(x)};
  return e.results({e.wrap(e.create<StackOp>(ValueRange(components), x.rank()))});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/math/Complex.cpp.inc"
#include "dialects/pd/ops/math/Complex.methods.inc"
#include "dialects/pd/ops/math/Complex.scalar.inc"
