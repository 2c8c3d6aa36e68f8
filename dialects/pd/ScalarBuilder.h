/// Elementwise functions on scalars in IR. A record's field `scalar` is an expression on this class.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace proa::pd {

/// Emits arith, math and complex ops for one element. The operand types choose the op: signed integers,
/// unsigned integers (ui8 comes in as i8 with `isUnsigned`), floats or complex numbers. Bools are i1.
class ScalarBuilder {
public:
  using Value = mlir::Value;
  using Values = mlir::ValueRange;

  /// `resultType` is the element type of the op's result; `operandUnsigned` says whether operands are
  /// unsigned.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::Type resultType,
                bool operandUnsigned, bool resultUnsigned)
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
  /// |x| with the sign of y.
  Value copysign(Value x, Value y);
  /// x times 2^y without the bits that leave the type; by as many places as it has bits or more, and by fewer
  /// than 0, gives 0.
  Value shiftLeft(Value x, Value y);
  /// The bits of x moved down; those that come in are its sign's where `isArithmetic`, else 0. A shift by too
  /// many or fewer than 0 places leaves those alone.
  Value shiftRight(Value x, Value y, bool isArithmetic);
  /// The float next to x in the direction of y.
  Value nextafter(Value x, Value y);

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
  Value roundEven(Value x);
  Value trunc(Value x);
  Value sign(Value x);
  Value negate(Value x);
  Value abs(Value x);
  Value isnan(Value x);
  Value isinf(Value x);
  Value isfinite(Value x);
  /// Parts of a complex number; a real one is its own real part.
  Value real(Value x);
  Value imag(Value x);
  /// re + im i.
  Value complex(Value re, Value im);
  Value conj(Value x);
  /// The argument of a complex number; of a real one pi where x < 0, else 0 (of NaN too, as Paddle does).
  Value angle(Value x);
  /// Converts to resultType.
  Value cast(Value x);
  /// The same, but a number between two values of 16 bits becomes the one nearer to zero; one beyond the
  /// greatest of f16 an infinity.
  Value castTowardZero(Value x);
  /// A float in f64, for functions that lose digits on their way; `cast` brings the result back.
  Value widen(Value x);

  /// A constant of the type of `like`.
  Value number(double value, Value like) { return constant(value, like.getType()); }
  Value constant(double value, mlir::Type type);

private:
  // Functions of complex numbers that the complex dialect lacks (ScalarComplex.cpp).
  Value complexLog(Value x, double base);
  Value complexSinh(Value x);
  Value complexCosh(Value x);
  Value complexAsin(Value x);
  Value complexAcos(Value x);
  Value complexAcosh(Value x);
  Value complexAtanh(Value x);
  Value complexSign(Value x);
  /// `f` at ix, as a function of x: f(ix) / i.
  Value throughImaginary(Value x, Value (ScalarBuilder::*f)(Value));

  Value compare(Value x, Value y, int floatPredicate, int signedPredicate, int unsignedPredicate);
  template <class Float, class Complex = void> Value unary(Value x);

  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::Type resultType;
  bool operandUnsigned;
  bool resultUnsigned;
};

} // namespace proa::pd
