/// Elementwise functions on scalars in IR. A record's field `scalar` is an expression on this class.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace proa::pd {

/// Emits arith, math and complex ops for one element. The operand types choose the op: signed integers, unsigned integers
/// (ui8 comes in as i8 with `isUnsigned`), floats or complex numbers. Bools are i1.
class ScalarBuilder {
public:
  using Value = mlir::Value;
  using Values = mlir::ValueRange;

  /// `resultType` is the element type of the op's result; `operandUnsigned` says whether operands are unsigned.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type resultType, bool operandUnsigned,
                bool resultUnsigned)
      : builder(builder), location(location), resultType(resultType), operandUnsigned(operandUnsigned),
        resultUnsigned(resultUnsigned) {}

  Value add(Value x, Value y);
  Value subtract(Value x, Value y);
  Value multiply(Value x, Value y);
  Value divide(Value x, Value y);
  Value maximum(Value x, Value y);
  Value minimum(Value x, Value y);
  Value fmax(Value x, Value y);
  Value fmin(Value x, Value y);
  Value remainder(Value x, Value y);
  Value floorDivide(Value x, Value y);
  Value pow(Value x, Value y);
  Value atan2(Value x, Value y);

  Value equal(Value x, Value y);
  Value notEqual(Value x, Value y);
  Value lessThan(Value x, Value y);
  Value lessEqual(Value x, Value y);
  Value bitAnd(Value x, Value y);
  Value bitOr(Value x, Value y);
  Value bitXor(Value x, Value y);
  Value bitNot(Value x);
  Value toBool(Value x);
  Value select(Value condition, Value x, Value y);

  Value exp(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value sqrt(Value x);
  Value rsqrt(Value x);
  Value sin(Value x);
  Value cos(Value x);
  Value tan(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value tanh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value erf(Value x);
  Value ceil(Value x);
  Value floor(Value x);
  Value round(Value x);
  Value trunc(Value x);
  Value sign(Value x);
  Value negate(Value x);
  Value abs(Value x);
  Value isnan(Value x);
  Value isinf(Value x);
  Value isfinite(Value x);
  /// Converts to resultType.
  Value cast(Value x);

  /// A constant of the type of `like`.
  Value constant(double value, mlir::Type type);

private:
  Value compare(Value x, Value y, int floatPredicate, int signedPredicate, int unsignedPredicate);
  template <class Float, class Complex = void> Value unary(Value x);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type resultType;
  bool operandUnsigned;
  bool resultUnsigned;
};

} // namespace proa::pd
