#include "dialects/pd/reference/HostScalar.h"

#include "lib/base/support/Numbers.h"

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

void storeSmallFloat(Tensor &tensor, int64_t index, double scalar) {
  // Rounded to f32 first, as in kernels, which accumulate in 32 bits.
  llvm::APFloat value(static_cast<float>(scalar));
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
  return x.isInteger() ? static_cast<Int>(x.integer) : proa::toInteger<Int>(x.value.real());
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

Complex toComplex(const HostScalar &x) { return x.isInteger() ? Complex(x.real()) : x.value; }

/// An integer of the kind of `like`; bools become integers.
HostScalar integerLike(const HostScalar &like, uint64_t bits) {
  return like.isUnsigned() ? HostScalar::of(bits) : HostScalar::of(static_cast<int64_t>(bits));
}

/// Applies `f` to a complex or real value.
template <class F> HostScalar apply(const HostScalar &x, F f) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(Complex(f(x.value)));
  return HostScalar::of(std::real(Complex(f(x.real()))));
}

/// Applies `f` to the real component.
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
    return HostScalar::of(t.as<uint64_t>()[i]);
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
    t.as<uint8_t>()[i] = x.isInteger() ? x.integer != 0 : x.value != Complex(0);
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

// Integers are computed unsigned, so that they wrap around.
#define PROA_ARITHMETIC(name, op)                                                                            \
  HostScalar HostScalarBuilder::name(HostScalar x, HostScalar y) {                                           \
    if (x.isInteger())                                                                                       \
      return integerLike(x, static_cast<uint64_t>(x.integer) op static_cast<uint64_t>(y.integer));           \
    if (x.kind == Kind::Complex)                                                                             \
      return HostScalar::of(x.value op y.value);                                                             \
    return HostScalar::of(x.real() op y.real());                                                             \
  }
PROA_ARITHMETIC(subtract, -)
#undef PROA_ARITHMETIC

HostScalar HostScalarBuilder::add(HostScalar x, HostScalar y) {
  if (x.kind == Kind::Bool)
    return HostScalar::of((x.integer | y.integer) != 0);
  if (x.isInteger())
    return integerLike(x, static_cast<uint64_t>(x.integer) + static_cast<uint64_t>(y.integer));
  return x.kind == Kind::Complex ? HostScalar::of(x.value + y.value) : HostScalar::of(x.real() + y.real());
}

HostScalar HostScalarBuilder::multiply(HostScalar x, HostScalar y) {
  if (x.kind == Kind::Bool)
    return HostScalar::of((x.integer & y.integer) != 0);
  if (x.isInteger())
    return integerLike(x, static_cast<uint64_t>(x.integer) * static_cast<uint64_t>(y.integer));
  return x.kind == Kind::Complex ? HostScalar::of(x.value * y.value) : HostScalar::of(x.real() * y.real());
}

HostScalar HostScalarBuilder::divide(HostScalar x, HostScalar y) {
  if (x.isInteger()) {
    if (y.integer == 0)
      return integerLike(x, 0);
    if (x.isUnsigned())
      return HostScalar::of(static_cast<uint64_t>(x.integer) / static_cast<uint64_t>(y.integer));
    return y.integer == -1 ? subtract(HostScalar::of(int64_t(0)), x) : HostScalar::of(x.integer / y.integer);
  }
  return x.kind == Kind::Complex ? HostScalar::of(x.value / y.value) : HostScalar::of(x.real() / y.real());
}

HostScalar HostScalarBuilder::maximum(HostScalar x, HostScalar y) {
  if (x.isInteger())
    return y.isLessInteger(x) ? x : y;
  return std::isnan(x.real()) || x.real() > y.real() ? x : y;
}

HostScalar HostScalarBuilder::minimum(HostScalar x, HostScalar y) {
  if (x.isInteger())
    return x.isLessInteger(y) ? x : y;
  return std::isnan(x.real()) || x.real() < y.real() ? x : y;
}

HostScalar HostScalarBuilder::fmax(HostScalar x, HostScalar y) {
  return x.isInteger() ? maximum(x, y) : HostScalar::of(std::fmax(x.real(), y.real()));
}

HostScalar HostScalarBuilder::fmin(HostScalar x, HostScalar y) {
  return x.isInteger() ? minimum(x, y) : HostScalar::of(std::fmin(x.real(), y.real()));
}

HostScalar HostScalarBuilder::floorDivide(HostScalar x, HostScalar y) {
  if (!x.isInteger())
    return HostScalar::of(std::floor(x.real() / y.real()));
  HostScalar quotient = divide(x, y);
  if (x.isUnsigned())
    return quotient;
  bool inexact = y.integer != 0 && y.integer != -1 && x.integer % y.integer != 0;
  return inexact && ((x.integer < 0) != (y.integer < 0)) ? HostScalar::of(quotient.integer - 1) : quotient;
}

HostScalar HostScalarBuilder::remainder(HostScalar x, HostScalar y) {
  if (x.isUnsigned())
    return y.integer == 0 ? integerLike(x, 0) : subtract(x, multiply(divide(x, y), y));
  if (x.isInteger()) {
    if (y.integer == 0 || y.integer == -1)
      return HostScalar::of(int64_t(0));
    int64_t rest = x.integer % y.integer;
    return HostScalar::of(rest != 0 && (rest < 0) != (y.integer < 0) ? rest + y.integer : rest);
  }
  double rest = std::fmod(x.real(), y.real());
  return HostScalar::of(rest != 0 && (rest < 0) != (y.real() < 0) ? rest + y.real() : rest);
}

HostScalar HostScalarBuilder::pow(HostScalar x, HostScalar y) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(std::pow(x.value, y.value));
  if (!x.isInteger())
    return HostScalar::of(std::pow(x.real(), y.real()));
  // Integers are rounded from doubles, as in Paddle.
  double power = std::nearbyint(std::pow(x.real(), y.real()));
  return x.isUnsigned() ? HostScalar::of(proa::toInteger<uint64_t>(power))
                        : HostScalar::of(proa::toInteger<int64_t>(power));
}

HostScalar HostScalarBuilder::atan2(HostScalar x, HostScalar y) {
  return HostScalar::of(std::atan2(x.real(), y.real()));
}

HostScalar HostScalarBuilder::equal(HostScalar x, HostScalar y) {
  if (x.isInteger())
    return HostScalar::of(x.integer == y.integer);
  return HostScalar::of(x.value == y.value);
}
HostScalar HostScalarBuilder::notEqual(HostScalar x, HostScalar y) {
  return HostScalar::of(equal(x, y).integer == 0);
}
HostScalar HostScalarBuilder::lessThan(HostScalar x, HostScalar y) {
  return HostScalar::of(x.isInteger() ? x.isLessInteger(y) : x.real() < y.real());
}
HostScalar HostScalarBuilder::lessEqual(HostScalar x, HostScalar y) {
  return HostScalar::of(x.isInteger() ? !y.isLessInteger(x) : x.real() <= y.real());
}

HostScalar HostScalarBuilder::bitAnd(HostScalar x, HostScalar y) {
  return {x.kind, x.integer & y.integer, {}};
}
HostScalar HostScalarBuilder::bitOr(HostScalar x, HostScalar y) {
  return {x.kind, x.integer | y.integer, {}};
}
HostScalar HostScalarBuilder::bitXor(HostScalar x, HostScalar y) {
  return {x.kind, x.integer ^ y.integer, {}};
}
HostScalar HostScalarBuilder::bitNot(HostScalar x) {
  return x.kind == Kind::Bool ? HostScalar::of(x.integer == 0)
                              : integerLike(x, ~static_cast<uint64_t>(x.integer));
}
HostScalar HostScalarBuilder::toBool(HostScalar x) {
  return HostScalar::of(x.isInteger() ? x.integer != 0 : x.value != Complex(0));
}
HostScalar HostScalarBuilder::select(HostScalar condition, HostScalar x, HostScalar y) {
  return condition.integer ? x : y;
}

HostScalar HostScalarBuilder::exp(HostScalar x) {
  return apply(x, [](auto v) { return std::exp(v); });
}
HostScalar HostScalarBuilder::expm1(HostScalar x) {
  return x.kind == Kind::Complex ? HostScalar::of(std::exp(x.value) - 1.0)
                                 : HostScalar::of(std::expm1(x.real()));
}
HostScalar HostScalarBuilder::log(HostScalar x) {
  return apply(x, [](auto v) { return std::log(v); });
}
HostScalar HostScalarBuilder::log1p(HostScalar x) {
  return x.kind == Kind::Complex ? HostScalar::of(std::log(1.0 + x.value))
                                 : HostScalar::of(std::log1p(x.real()));
}
HostScalar HostScalarBuilder::log2(HostScalar x) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(std::log(x.value) / std::log(2.0));
  return applyReal(x, [](double v) { return std::log2(v); });
}
HostScalar HostScalarBuilder::log10(HostScalar x) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(std::log(x.value) / std::log(10.0));
  return applyReal(x, [](double v) { return std::log10(v); });
}
HostScalar HostScalarBuilder::sqrt(HostScalar x) {
  return apply(x, [](auto v) { return std::sqrt(v); });
}
HostScalar HostScalarBuilder::rsqrt(HostScalar x) {
  return apply(x, [](auto v) { return 1.0 / std::sqrt(v); });
}
HostScalar HostScalarBuilder::sin(HostScalar x) {
  return apply(x, [](auto v) { return std::sin(v); });
}
HostScalar HostScalarBuilder::cos(HostScalar x) {
  return apply(x, [](auto v) { return std::cos(v); });
}
HostScalar HostScalarBuilder::tan(HostScalar x) {
  return apply(x, [](auto v) { return std::tan(v); });
}
HostScalar HostScalarBuilder::tanh(HostScalar x) {
  return apply(x, [](auto v) { return std::tanh(v); });
}

#define PROA_FUNCTION(name)                                                                                  \
  HostScalar HostScalarBuilder::name(HostScalar x) {                                                         \
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
  HostScalar HostScalarBuilder::name(HostScalar x) {                                                         \
    return applyReal(x, [](double v) { return std::name(v); });                                              \
  }
PROA_REAL_FUNCTION(erf)
PROA_REAL_FUNCTION(ceil)
PROA_REAL_FUNCTION(floor)
PROA_REAL_FUNCTION(round)
HostScalar HostScalarBuilder::roundEven(HostScalar x) {
  return x.isInteger() ? x : HostScalar::of(std::nearbyint(x.real()));
}
#undef PROA_REAL_FUNCTION

HostScalar HostScalarBuilder::trunc(HostScalar x) {
  return x.isInteger() ? x : HostScalar::of(std::trunc(x.real()));
}

HostScalar HostScalarBuilder::sign(HostScalar x) {
  if (x.isInteger())
    return integerLike(x, x.isUnsigned() ? x.integer != 0 : uint64_t((x.integer > 0) - (x.integer < 0)));
  if (x.kind == Kind::Complex)
    return x.value == Complex(0) ? x : HostScalar::of(x.value / std::abs(x.value));
  double v = x.real();
  return HostScalar::of(std::isnan(v) ? v : double((v > 0) - (v < 0)));
}

HostScalar HostScalarBuilder::negate(HostScalar x) {
  if (x.isInteger())
    return subtract(integerLike(x, 0), x);
  return x.kind == Kind::Complex ? HostScalar::of(-x.value) : HostScalar::of(-x.real());
}

HostScalar HostScalarBuilder::abs(HostScalar x) {
  if (x.isInteger())
    return x.integer < 0 && !x.isUnsigned() ? negate(x) : x;
  return HostScalar::of(x.kind == Kind::Complex ? std::abs(x.value) : std::abs(x.real()));
}

HostScalar HostScalarBuilder::isnan(HostScalar x) {
  return HostScalar::of(!x.isInteger() && (std::isnan(x.value.real()) || std::isnan(x.value.imag())));
}
HostScalar HostScalarBuilder::isinf(HostScalar x) {
  return HostScalar::of(!x.isInteger() && (std::isinf(x.value.real()) || std::isinf(x.value.imag())));
}
HostScalar HostScalarBuilder::isfinite(HostScalar x) {
  return HostScalar::of(!isnan(x).integer && !isinf(x).integer);
}

HostScalar HostScalarBuilder::real(HostScalar x) {
  return x.kind == Kind::Complex ? HostScalar::of(x.value.real()) : x;
}
HostScalar HostScalarBuilder::imag(HostScalar x) {
  return x.kind == Kind::Complex ? HostScalar::of(x.value.imag()) : number(0, x);
}
HostScalar HostScalarBuilder::complex(HostScalar re, HostScalar im) {
  return HostScalar::of(Complex(re.real(), im.real()));
}
HostScalar HostScalarBuilder::conj(HostScalar x) {
  return x.kind == Kind::Complex ? HostScalar::of(std::conj(x.value)) : x;
}
HostScalar HostScalarBuilder::angle(HostScalar x) {
  if (x.kind == Kind::Complex)
    return HostScalar::of(std::arg(x.value));
  return HostScalar::of(x.real() < 0 ? std::numbers::pi : 0.0);
}

HostScalar HostScalarBuilder::copysign(HostScalar x, HostScalar y) {
  return HostScalar::of(std::copysign(x.real(), y.real()));
}

HostScalar HostScalarBuilder::shiftLeft(HostScalar x, HostScalar y) {
  int64_t width = 8 * static_cast<int64_t>(sizeOf(resultType));
  bool isInside = y.integer >= 0 && y.integer < width;
  return integerLike(x, isInside ? static_cast<uint64_t>(x.integer) << y.integer : 0);
}

HostScalar HostScalarBuilder::shiftRight(HostScalar x, HostScalar y, bool isArithmetic) {
  int64_t width = 8 * static_cast<int64_t>(sizeOf(resultType));
  bool isInside = y.integer >= 0 && y.integer < width;
  bool hasSign = resultType != DType::UInt8 && resultType != DType::UInt16 && resultType != DType::UInt32 &&
                 resultType != DType::UInt64;
  if (isArithmetic && hasSign)
    return HostScalar::of(x.integer >> (isInside ? y.integer : width - 1));
  uint64_t bits = static_cast<uint64_t>(x.integer) & (width < 64 ? (uint64_t{1} << width) - 1 : ~uint64_t{0});
  return integerLike(x, isInside ? bits >> y.integer : 0);
}

HostScalar HostScalarBuilder::nextafter(HostScalar x, HostScalar y) {
  if (resultType == DType::Float32)
    return HostScalar::of(double(std::nextafter(static_cast<float>(x.real()), static_cast<float>(y.real()))));
  return HostScalar::of(std::nextafter(x.real(), y.real()));
}

HostScalar HostScalarBuilder::widen(HostScalar x) { return x; }

HostScalar HostScalarBuilder::number(double value, HostScalar like) {
  if (like.isUnsigned() && value > 0)
    return HostScalar::of(proa::toInteger<uint64_t>(value));
  if (like.isInteger())
    return {like.kind, proa::toInteger<int64_t>(value), {}};
  return {like.kind, 0, value};
}

HostScalar HostScalarBuilder::cast(HostScalar x) {
  if (std::optional<int64_t> integer = integerOf(resultType, x))
    return resultType == DType::UInt64 ? HostScalar::of(static_cast<uint64_t>(*integer))
                                       : HostScalar::of(*integer);
  switch (resultType) {
  case DType::Bool:
    return toBool(x);
  case DType::Complex64:
  case DType::Complex128:
    return HostScalar::of(toComplex(x));
  default:
    return HostScalar::of(x.real());
  }
}

HostScalar HostScalarBuilder::castTowardZero(HostScalar x) {
  bool isF16 = resultType == DType::Float16;
  if (!isF16 && resultType != DType::BFloat16)
    return cast(x);
  auto single = static_cast<float>(x.real());
  if (isF16 && std::abs(single) > 65504)
    return HostScalar::of(std::copysign(std::numeric_limits<double>::infinity(), single));
  llvm::APFloat value(single);
  bool lossy = false;
  value.convert(semanticsOf(resultType), llvm::APFloat::rmTowardZero, &lossy);
  return HostScalar::of(value.convertToDouble());
}

} // namespace proa::pd
