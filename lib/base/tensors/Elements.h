/// Access to single elements of a tensor of any dtype.
#pragma once

#include "proa/Half.h"
#include "proa/Tensor.h"

#include <cmath>
#include <complex>
#include <limits>

namespace proa {

/// A stored bool, read as a byte: other values than 0 and 1 are errors to report, and undefined behavior as a
/// C++ bool.
struct Boolean {
  uint8_t byte = 0;
};

/// 8-bit floats, as storage that converts to float.
struct Float8E5M2 {
  uint8_t bits = 0;
  explicit operator float() const {
    Float16 wide;
    wide.bits = static_cast<uint16_t>(bits << 8); // the same exponent, fewer mantissa bits
    return static_cast<float>(wide);
  }
};

struct Float8E4M3FN {
  uint8_t bits = 0;
  explicit operator float() const {
    int exponent = (bits >> 3) & 15;
    int mantissa = bits & 7;
    float sign = (bits & 0x80) ? -1.0f : 1.0f;
    if (exponent == 15 && mantissa == 7)
      return std::numeric_limits<float>::quiet_NaN();
    if (exponent == 0)
      return sign * std::ldexp(static_cast<float>(mantissa), -9);
    return sign * std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
  }
};

/// Calls `visitor` with a const pointer to the elements in their C++ type.
template <class Visitor> auto visitElements(const Tensor &tensor, Visitor &&visitor) {
  switch (tensor.dtype()) {
  case DType::Bool:
    return visitor(tensor.as<Boolean>());
  case DType::UInt8:
    return visitor(tensor.as<uint8_t>());
  case DType::UInt16:
    return visitor(tensor.as<uint16_t>());
  case DType::UInt32:
    return visitor(tensor.as<uint32_t>());
  case DType::UInt64:
    return visitor(tensor.as<uint64_t>());
  case DType::Int8:
    return visitor(tensor.as<int8_t>());
  case DType::Int16:
    return visitor(tensor.as<int16_t>());
  case DType::Int32:
    return visitor(tensor.as<int32_t>());
  case DType::Int64:
    return visitor(tensor.as<int64_t>());
  case DType::Float8E4M3FN:
    return visitor(tensor.as<Float8E4M3FN>());
  case DType::Float8E5M2:
    return visitor(tensor.as<Float8E5M2>());
  case DType::Float16:
    return visitor(tensor.as<Float16>());
  case DType::BFloat16:
    return visitor(tensor.as<BFloat16>());
  case DType::Float32:
    return visitor(tensor.as<float>());
  case DType::Float64:
    return visitor(tensor.as<double>());
  case DType::Complex64:
    return visitor(tensor.as<std::complex<float>>());
  case DType::Complex128:
    return visitor(tensor.as<std::complex<double>>());
  }
  return visitor(tensor.as<uint8_t>());
}

/// The type in which elements are compared: int64 for integers and bools, double for floats,
/// std::complex<double> for complex numbers.
template <class T> auto widened(T value) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>)
    return value;
  else if constexpr (std::is_same_v<T, Boolean>)
    return value.byte;
  else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return std::complex<double>(value);
  else
    return static_cast<double>(static_cast<float>(value));
}

template <class T>
inline constexpr bool isComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

} // namespace proa
