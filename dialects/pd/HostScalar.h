/// Elementwise functions on host numbers: the reference evaluator's half of the field `scalar` of op records.
#pragma once

#include "proa/Tensor.h"

#include "llvm/ADT/ArrayRef.h"

#include <complex>
#include <cstdint>

namespace proa::pd {

/// One element of a tensor, wide enough for every dtype: integers and bools in `integer`, floats in `number`
/// (real part), complex numbers in `number`.
struct HostScalar {
  enum class Kind : uint8_t { Bool, Integer, Real, Complex };
  Kind kind = Kind::Real;
  int64_t integer = 0;
  std::complex<double> number;

  static HostScalar of(bool value) { return {Kind::Bool, value, {}}; }
  static HostScalar of(int64_t value) { return {Kind::Integer, value, {}}; }
  static HostScalar of(double value) { return {Kind::Real, 0, value}; }
  static HostScalar of(std::complex<double> value) { return {Kind::Complex, 0, value}; }
  bool isInteger() const { return kind == Kind::Bool || kind == Kind::Integer; }
  double real() const { return isInteger() ? static_cast<double>(integer) : number.real(); }
};

/// Element `index` of a tensor, and the inverse (rounded to the tensor's dtype).
HostScalar loadScalar(const Tensor &tensor, int64_t index);
void storeScalar(Tensor &tensor, int64_t index, const HostScalar &value);

/// The same methods as ScalarBuilder, computed in double (integers in 64 bits).
class HostScalarBuilder {
public:
  using Value = HostScalar;
  using Values = llvm::ArrayRef<HostScalar>;

  explicit HostScalarBuilder(DType resultType) : resultType(resultType) {}

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
  Value copysign(Value x, Value y);
  Value shiftLeft(Value x, Value y);
  Value shiftRight(Value x, Value y, bool isArithmetic);
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
  Value real(Value x);
  Value imag(Value x);
  Value complex(Value re, Value im);
  Value conj(Value x);
  Value angle(Value x);
  Value cast(Value x);
  Value castTowardZero(Value x);
  Value widen(Value x);
  Value number(double value, Value like);

private:
  DType resultType;
};

} // namespace proa::pd
