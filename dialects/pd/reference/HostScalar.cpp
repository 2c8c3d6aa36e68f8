#include "dialects/pd/reference/HostScalar.h"

#include "lib/support/Numbers.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace proa::pd {
namespace {

using Complex = std::complex<double>;
using Kind = HostScalar::Kind;

const llvm::fltSemantics &semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::Float8E4M3FN:
    return llvm::APFloat::Float8E4M3FN();
  case DType::Float8E5M2:
    return llvm::APFloat::Float8E5M2();
  case DType::BFloat16:
    return llvm::APFloat::BFloat();
  default:
    return llvm::APFloat::IEEEhalf();
  }
}

double loadSmallFloat(const Tensor &tensor, int64_t index) {
  unsigned bits = sizeOf(tensor.dtype()) * 8;
  uint64_t raw = bits == 8 ? tensor.as<uint8_t>()[index] : tensor.as<uint16_t>()[index];
  llvm::APFloat value(semanticsOf(tensor.dtype()), llvm::APInt(bits, raw));
  return value.convertToDouble();
}

void storeSmallFloat(Tensor &tensor, int64_t index, double number) {
  // Rounded to f32 first, as in kernels, which accumulate in 32 bits.
  llvm::APFloat value(static_cast<float>(number));
  bool lossy = false;
  value.convert(semanticsOf(tensor.dtype()), llvm::APFloat::rmNearestTiesToEven, &lossy);
  uint64_t raw = value.bitcastToAPInt().getZExtValue();
  if (sizeOf(tensor.dtype()) == 1)
    tensor.as<uint8_t>()[index] = static_cast<uint8_t>(raw);
  else
    tensor.as<uint16_t>()[index] = static_cast<uint16_t>(raw);
}

/// The integer that a tensor of type Int stores for x.
template <class Int> Int integerOf(const HostScalar &x) {
  return x.isInteger() ? static_cast<Int>(x.integer) : toInteger<Int>(x.number.real());
}

/// The integer that a tensor of the dtype stores for x; nullopt for other dtypes.
std::optional<int64_t> integerOf(DType dtype, const HostScalar &x) {
  switch (dtype) {
  case DType::UInt8:
    return integerOf<uint8_t>(x);
  case DType::UInt16:
    return integerOf<uint16_t>(x);
  case DType::UInt32:
    return integerOf<uint32_t>(x);
  case DType::UInt64:
    return static_cast<int64_t>(integerOf<uint64_t>(x));
  case DType::Int8:
    return integerOf<int8_t>(x);
  case DType::Int16:
    return integerOf<int16_t>(x);
  case DType::Int32:
    return integerOf<int32_t>(x);
  case DType::Int64:
    return integerOf<int64_t>(x);
  default:
    return std::nullopt;
  }
}

Complex toComplex(const HostScalar &x) {
  return x.isInteger() ? Complex(static_cast<double>(x.integer)) : x.number;
}

/// Applies `f` to a complex or real value.
template <class F> HostScalar apply(const HostScalar &x, F f) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(Complex(f(x.number)));
  return HostScalar::of(std::real(Complex(f(x.real()))));
}

/// Applies `f` to the real part.
template <class F> HostScalar applyReal(const HostScalar &x, F f) {
  return HostScalar::of(double(f(x.real())));
}

} // namespace

HostScalar loadScalar(const Tensor &t, int64_t i) {
  switch (t.dtype()) {
  case DType::Bool:
    return HostScalar::of(t.as<uint8_t>()[i] != 0);
  case DType::UInt8:
    return HostScalar::of(int64_t(t.as<uint8_t>()[i]));
  case DType::UInt16:
    return HostScalar::of(int64_t(t.as<uint16_t>()[i]));
  case DType::UInt32:
    return HostScalar::of(int64_t(t.as<uint32_t>()[i]));
  case DType::UInt64:
    return HostScalar::of(int64_t(t.as<uint64_t>()[i]));
  case DType::Int8:
    return HostScalar::of(int64_t(t.as<int8_t>()[i]));
  case DType::Int16:
    return HostScalar::of(int64_t(t.as<int16_t>()[i]));
  case DType::Int32:
    return HostScalar::of(int64_t(t.as<int32_t>()[i]));
  case DType::Int64:
    return HostScalar::of(t.as<int64_t>()[i]);
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
  case DType::Float16:
  case DType::BFloat16:
    return HostScalar::of(loadSmallFloat(t, i));
  case DType::Float32:
    return HostScalar::of(double(t.as<float>()[i]));
  case DType::Float64:
    return HostScalar::of(t.as<double>()[i]);
  case DType::Complex64:
    return HostScalar::of(Complex(t.as<std::complex<float>>()[i]));
  case DType::Complex128:
    return HostScalar::of(t.as<Complex>()[i]);
  }
  return {};
}

void storeScalar(Tensor &t, int64_t i, const HostScalar &x) {
  switch (t.dtype()) {
  case DType::Bool:
    t.as<uint8_t>()[i] = x.isInteger() ? x.integer != 0 : x.number != Complex(0);
    return;
  case DType::UInt8:
    t.as<uint8_t>()[i] = integerOf<uint8_t>(x);
    return;
  case DType::Int8:
    t.as<int8_t>()[i] = integerOf<int8_t>(x);
    return;
  case DType::UInt16:
    t.as<uint16_t>()[i] = integerOf<uint16_t>(x);
    return;
  case DType::Int16:
    t.as<int16_t>()[i] = integerOf<int16_t>(x);
    return;
  case DType::UInt32:
    t.as<uint32_t>()[i] = integerOf<uint32_t>(x);
    return;
  case DType::Int32:
    t.as<int32_t>()[i] = integerOf<int32_t>(x);
    return;
  case DType::UInt64:
    t.as<uint64_t>()[i] = integerOf<uint64_t>(x);
    return;
  case DType::Int64:
    t.as<int64_t>()[i] = integerOf<int64_t>(x);
    return;
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
  case DType::Float16:
  case DType::BFloat16:
    return storeSmallFloat(t, i, x.real());
  case DType::Float32:
    t.as<float>()[i] = static_cast<float>(x.real());
    return;
  case DType::Float64:
    t.as<double>()[i] = x.real();
    return;
  case DType::Complex64:
    t.as<std::complex<float>>()[i] = std::complex<float>(toComplex(x));
    return;
  case DType::Complex128:
    t.as<Complex>()[i] = toComplex(x);
    return;
  }
}

using Value = HostScalar;

// Integers are computed unsigned, so that they wrap around.
#define PROA_ARITHMETIC(name, op)                                                                            \
  Value HostScalarBuilder::name(Value x, Value y) {                                                          \
    if (x.isInteger())                                                                                       \
      return Value::of(                                                                                      \
          static_cast<int64_t>(static_cast<uint64_t>(x.integer) op static_cast<uint64_t>(y.integer)));       \
    if (x.kind == Kind::Complex)                                                                             \
      return Value::of(x.number op y.number);                                                                \
    return Value::of(x.real() op y.real());                                                                  \
  }
PROA_ARITHMETIC(subtract, -)
#undef PROA_ARITHMETIC

Value HostScalarBuilder::add(Value x, Value y) {
  if (x.kind == Kind::Bool)
    return Value::of((x.integer | y.integer) != 0);
  if (x.isInteger())
    return Value::of(
        static_cast<int64_t>(static_cast<uint64_t>(x.integer) + static_cast<uint64_t>(y.integer)));
  return x.kind == Kind::Complex ? Value::of(x.number + y.number) : Value::of(x.real() + y.real());
}

Value HostScalarBuilder::multiply(Value x, Value y) {
  if (x.kind == Kind::Bool)
    return Value::of((x.integer & y.integer) != 0);
  if (x.isInteger())
    return Value::of(
        static_cast<int64_t>(static_cast<uint64_t>(x.integer) * static_cast<uint64_t>(y.integer)));
  return x.kind == Kind::Complex ? Value::of(x.number * y.number) : Value::of(x.real() * y.real());
}

Value HostScalarBuilder::divide(Value x, Value y) {
  if (x.isInteger()) {
    if (y.integer == 0)
      return Value::of(int64_t(0));
    return y.integer == -1 ? subtract(Value::of(int64_t(0)), x) : Value::of(x.integer / y.integer);
  }
  return x.kind == Kind::Complex ? Value::of(x.number / y.number) : Value::of(x.real() / y.real());
}

Value HostScalarBuilder::maximum(Value x, Value y) {
  if (x.isInteger())
    return x.integer > y.integer ? x : y;
  return std::isnan(x.real()) || x.real() > y.real() ? x : y;
}

Value HostScalarBuilder::minimum(Value x, Value y) {
  if (x.isInteger())
    return x.integer < y.integer ? x : y;
  return std::isnan(x.real()) || x.real() < y.real() ? x : y;
}

Value HostScalarBuilder::fmax(Value x, Value y) {
  return x.isInteger() ? maximum(x, y) : Value::of(std::fmax(x.real(), y.real()));
}

Value HostScalarBuilder::fmin(Value x, Value y) {
  return x.isInteger() ? minimum(x, y) : Value::of(std::fmin(x.real(), y.real()));
}

Value HostScalarBuilder::floorDivide(Value x, Value y) {
  if (!x.isInteger())
    return Value::of(std::floor(x.real() / y.real()));
  Value quotient = divide(x, y);
  bool inexact = y.integer != 0 && y.integer != -1 && x.integer % y.integer != 0;
  return inexact && ((x.integer < 0) != (y.integer < 0)) ? Value::of(quotient.integer - 1) : quotient;
}

Value HostScalarBuilder::remainder(Value x, Value y) {
  if (x.isInteger()) {
    if (y.integer == 0 || y.integer == -1)
      return Value::of(int64_t(0));
    int64_t rest = x.integer % y.integer;
    return Value::of(rest != 0 && (rest < 0) != (y.integer < 0) ? rest + y.integer : rest);
  }
  double rest = std::fmod(x.real(), y.real());
  return Value::of(rest != 0 && (rest < 0) != (y.real() < 0) ? rest + y.real() : rest);
}

Value HostScalarBuilder::pow(Value x, Value y) {
  if (x.kind == Kind::Complex)
    return Value::of(std::pow(x.number, y.number));
  if (!x.isInteger())
    return Value::of(std::pow(x.real(), y.real()));
  // Integers are rounded from doubles, as in Paddle.
  return Value::of(toInteger<int64_t>(std::nearbyint(std::pow(double(x.integer), double(y.integer)))));
}

Value HostScalarBuilder::atan2(Value x, Value y) { return Value::of(std::atan2(x.real(), y.real())); }

Value HostScalarBuilder::equal(Value x, Value y) {
  if (x.isInteger())
    return Value::of(x.integer == y.integer);
  return Value::of(x.number == y.number);
}
Value HostScalarBuilder::notEqual(Value x, Value y) { return Value::of(equal(x, y).integer == 0); }
Value HostScalarBuilder::lessThan(Value x, Value y) {
  return Value::of(x.isInteger() ? x.integer < y.integer : x.real() < y.real());
}
Value HostScalarBuilder::lessEqual(Value x, Value y) {
  return Value::of(x.isInteger() ? x.integer <= y.integer : x.real() <= y.real());
}

Value HostScalarBuilder::bitAnd(Value x, Value y) { return {x.kind, x.integer & y.integer, {}}; }
Value HostScalarBuilder::bitOr(Value x, Value y) { return {x.kind, x.integer | y.integer, {}}; }
Value HostScalarBuilder::bitXor(Value x, Value y) { return {x.kind, x.integer ^ y.integer, {}}; }
Value HostScalarBuilder::bitNot(Value x) {
  return x.kind == Kind::Bool ? Value::of(x.integer == 0) : Value::of(~x.integer);
}
Value HostScalarBuilder::toBool(Value x) {
  return Value::of(x.isInteger() ? x.integer != 0 : x.number != Complex(0));
}
Value HostScalarBuilder::select(Value condition, Value x, Value y) { return condition.integer ? x : y; }

Value HostScalarBuilder::exp(Value x) {
  return apply(x, [](auto v) { return std::exp(v); });
}
Value HostScalarBuilder::expm1(Value x) {
  return x.kind == Kind::Complex ? Value::of(std::exp(x.number) - 1.0) : Value::of(std::expm1(x.real()));
}
Value HostScalarBuilder::log(Value x) {
  return apply(x, [](auto v) { return std::log(v); });
}
Value HostScalarBuilder::log1p(Value x) {
  return x.kind == Kind::Complex ? Value::of(std::log(1.0 + x.number)) : Value::of(std::log1p(x.real()));
}
Value HostScalarBuilder::log2(Value x) {
  if (x.kind == Kind::Complex)
    return Value::of(std::log(x.number) / std::log(2.0));
  return applyReal(x, [](double v) { return std::log2(v); });
}
Value HostScalarBuilder::log10(Value x) {
  if (x.kind == Kind::Complex)
    return Value::of(std::log(x.number) / std::log(10.0));
  return applyReal(x, [](double v) { return std::log10(v); });
}
Value HostScalarBuilder::sqrt(Value x) {
  return apply(x, [](auto v) { return std::sqrt(v); });
}
Value HostScalarBuilder::rsqrt(Value x) {
  return apply(x, [](auto v) { return 1.0 / std::sqrt(v); });
}
Value HostScalarBuilder::sin(Value x) {
  return apply(x, [](auto v) { return std::sin(v); });
}
Value HostScalarBuilder::cos(Value x) {
  return apply(x, [](auto v) { return std::cos(v); });
}
Value HostScalarBuilder::tan(Value x) {
  return apply(x, [](auto v) { return std::tan(v); });
}
Value HostScalarBuilder::tanh(Value x) {
  return apply(x, [](auto v) { return std::tanh(v); });
}

#define PROA_FUNCTION(name)                                                                                  \
  Value HostScalarBuilder::name(Value x) {                                                                   \
    return apply(x, [](auto v) { return std::name(v); });                                                    \
  }
PROA_FUNCTION(asin)
PROA_FUNCTION(acos)
PROA_FUNCTION(atan)
PROA_FUNCTION(sinh)
PROA_FUNCTION(cosh)
PROA_FUNCTION(asinh)
PROA_FUNCTION(acosh)
PROA_FUNCTION(atanh)
#undef PROA_FUNCTION

#define PROA_REAL_FUNCTION(name)                                                                             \
  Value HostScalarBuilder::name(Value x) {                                                                   \
    return applyReal(x, [](double v) { return std::name(v); });                                              \
  }
PROA_REAL_FUNCTION(erf)
PROA_REAL_FUNCTION(ceil)
PROA_REAL_FUNCTION(floor)
PROA_REAL_FUNCTION(round)
Value HostScalarBuilder::roundEven(Value x) {
  return x.isInteger() ? x : Value::of(std::nearbyint(x.real()));
}
#undef PROA_REAL_FUNCTION

Value HostScalarBuilder::trunc(Value x) { return x.isInteger() ? x : Value::of(std::trunc(x.real())); }

Value HostScalarBuilder::sign(Value x) {
  if (x.isInteger())
    return Value::of(int64_t((x.integer > 0) - (x.integer < 0)));
  if (x.kind == Kind::Complex)
    return x.number == Complex(0) ? x : Value::of(x.number / std::abs(x.number));
  double v = x.real();
  return Value::of(std::isnan(v) ? v : double((v > 0) - (v < 0)));
}

Value HostScalarBuilder::negate(Value x) {
  if (x.isInteger())
    return subtract(Value::of(int64_t(0)), x);
  return x.kind == Kind::Complex ? Value::of(-x.number) : Value::of(-x.real());
}

Value HostScalarBuilder::abs(Value x) {
  if (x.isInteger())
    return x.integer < 0 ? negate(x) : x;
  return Value::of(x.kind == Kind::Complex ? std::abs(x.number) : std::abs(x.real()));
}

Value HostScalarBuilder::isnan(Value x) {
  return Value::of(!x.isInteger() && (std::isnan(x.number.real()) || std::isnan(x.number.imag())));
}
Value HostScalarBuilder::isinf(Value x) {
  return Value::of(!x.isInteger() && (std::isinf(x.number.real()) || std::isinf(x.number.imag())));
}
Value HostScalarBuilder::isfinite(Value x) { return Value::of(!isnan(x).integer && !isinf(x).integer); }

Value HostScalarBuilder::real(Value x) { return x.kind == Kind::Complex ? Value::of(x.number.real()) : x; }
Value HostScalarBuilder::imag(Value x) {
  return x.kind == Kind::Complex ? Value::of(x.number.imag()) : number(0, x);
}
Value HostScalarBuilder::complex(Value re, Value im) { return Value::of(Complex(re.real(), im.real())); }
Value HostScalarBuilder::conj(Value x) {
  return x.kind == Kind::Complex ? Value::of(std::conj(x.number)) : x;
}
Value HostScalarBuilder::angle(Value x) {
  if (x.kind == Kind::Complex)
    return Value::of(std::arg(x.number));
  return Value::of(x.real() < 0 ? std::numbers::pi : 0.0);
}

Value HostScalarBuilder::copysign(Value x, Value y) { return Value::of(std::copysign(x.real(), y.real())); }

Value HostScalarBuilder::shiftLeft(Value x, Value y) {
  int64_t width = 8 * static_cast<int64_t>(sizeOf(resultType));
  bool isInside = y.integer >= 0 && y.integer < width;
  return Value::of(isInside ? static_cast<int64_t>(static_cast<uint64_t>(x.integer) << y.integer)
                            : int64_t{0});
}

Value HostScalarBuilder::shiftRight(Value x, Value y, bool isArithmetic) {
  int64_t width = 8 * static_cast<int64_t>(sizeOf(resultType));
  bool isInside = y.integer >= 0 && y.integer < width;
  bool hasSign = resultType != DType::UInt8 && resultType != DType::UInt16 && resultType != DType::UInt32 &&
                 resultType != DType::UInt64;
  if (isArithmetic && hasSign)
    return Value::of(x.integer >> (isInside ? y.integer : width - 1));
  uint64_t bits = static_cast<uint64_t>(x.integer) & (width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0});
  return Value::of(isInside ? static_cast<int64_t>(bits >> y.integer) : int64_t{0});
}

Value HostScalarBuilder::nextafter(Value x, Value y) {
  if (resultType == DType::Float32)
    return Value::of(double(std::nextafter(static_cast<float>(x.real()), static_cast<float>(y.real()))));
  return Value::of(std::nextafter(x.real(), y.real()));
}

Value HostScalarBuilder::widen(Value x) { return x; }

Value HostScalarBuilder::number(double value, Value like) {
  if (like.isInteger())
    return {like.kind, toInteger<int64_t>(value), {}};
  return {like.kind, 0, value};
}

Value HostScalarBuilder::cast(Value x) {
  if (std::optional<int64_t> integer = integerOf(resultType, x))
    return Value::of(*integer);
  switch (resultType) {
  case DType::Bool:
    return toBool(x);
  case DType::Complex64:
  case DType::Complex128:
    return Value::of(toComplex(x));
  default:
    return Value::of(x.real());
  }
}

Value HostScalarBuilder::castTowardZero(Value x) {
  bool isF16 = resultType == DType::Float16;
  if (!isF16 && resultType != DType::BFloat16)
    return cast(x);
  auto single = static_cast<float>(x.real());
  if (isF16 && std::abs(single) > 65504)
    return Value::of(std::copysign(std::numeric_limits<double>::infinity(), single));
  llvm::APFloat value(single);
  bool lossy = false;
  value.convert(semanticsOf(resultType), llvm::APFloat::rmTowardZero, &lossy);
  return Value::of(value.convertToDouble());
}

} // namespace proa::pd
