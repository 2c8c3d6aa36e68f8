/// Loops over elements of any dtype.
#pragma once

#include "lib/base/support/Numbers.h"
#include "proa/Half.h"
#include "proa/Tensor.h"

#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace proa::runtime {

/// Calls body(T()) with the C++ type of a dtype and returns true; false for the 8-bit float types.
template <class Body> bool dispatchAll(DType dtype, Body &&body) {
  switch (dtype) {
  case DType::Bool:
  case DType::UInt8:
    return body(uint8_t()), true;
  case DType::UInt16:
    return body(uint16_t()), true;
  case DType::UInt32:
    return body(uint32_t()), true;
  case DType::UInt64:
    return body(uint64_t()), true;
  case DType::Int8:
    return body(int8_t()), true;
  case DType::Int16:
    return body(int16_t()), true;
  case DType::Int32:
    return body(int32_t()), true;
  case DType::Int64:
    return body(int64_t()), true;
  case DType::Float16:
    return body(Float16()), true;
  case DType::BFloat16:
    return body(BFloat16()), true;
  case DType::Float32:
    return body(float()), true;
  case DType::Float64:
    return body(double()), true;
  case DType::Complex64:
    return body(std::complex<float>()), true;
  case DType::Complex128:
    return body(std::complex<double>()), true;
  case DType::Float8E4M3FN:
  case DType::Float8E5M2:
    return false;
  }
  return false;
}

/// The same without complex numbers: types with an order.
template <class Body> bool dispatchReal(DType dtype, Body &&body) {
  if (dtype == DType::Complex64 || dtype == DType::Complex128)
    return false;
  return dispatchAll(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>)
      body(zero);
  });
}

/// The dtype of elements of type T.
template <class T> inline constexpr DType dtypeOf = DType::Bool;
template <> inline constexpr DType dtypeOf<int32_t> = DType::Int32;
template <> inline constexpr DType dtypeOf<int64_t> = DType::Int64;
template <> inline constexpr DType dtypeOf<Float16> = DType::Float16;
template <> inline constexpr DType dtypeOf<BFloat16> = DType::BFloat16;
template <> inline constexpr DType dtypeOf<float> = DType::Float32;
template <> inline constexpr DType dtypeOf<double> = DType::Float64;
template <> inline constexpr DType dtypeOf<std::complex<float>> = DType::Complex64;
template <> inline constexpr DType dtypeOf<std::complex<double>> = DType::Complex128;

/// Calls body(T()) with the type T of `dtype` and returns true if T is one of `Types`.
template <class... Types, class Body> bool dispatchOneOf(DType dtype, Body &&body) {
  static_assert(((dtypeOf<Types> != DType::Bool) && ...));
  return ((dtypeOf<Types> == dtype && (body(Types()), true)) || ...);
}

/// Floating point types only.
template <class Body> bool dispatchFloat(DType dtype, Body &&body) {
  return dispatchOneOf<Float16, BFloat16, float, double>(dtype, body);
}

/// Calls body(U()) with an unsigned type of that size (16: a pair), for kernels that only move elements.
struct Bytes16 {
  uint64_t low, high;
};
template <class Body> void dispatchSize(size_t bytes, Body &&body) {
  switch (bytes) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(uint32_t());
  case 8:
    return body(uint64_t());
  default:
    return body(Bytes16());
  }
}

/// Calls body(T()) for int32 and int64; false for other dtypes.
template <class Body> bool dispatchIndex(DType dtype, Body &&body) {
  return dispatchOneOf<int32_t, int64_t>(dtype, body);
}

template <class T> inline constexpr bool isComplex = false;
template <class T> inline constexpr bool isComplex<std::complex<T>> = true;

/// The type in which a T is added and compared: float for the 16-bit floats, itself otherwise.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>, float, T>;

/// A number as an element of another dtype, by the rules of pd.cast: see toInteger for floats as integers.
template <class To, class From> To convertElement(From value) {
  auto wide = static_cast<Wide<From>>(value);
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<Wide<From>>)
    return toInteger<To>(static_cast<double>(wide));
  else
    return static_cast<To>(static_cast<Wide<To>>(wide));
}

/// The lowest finite number.
template <class T> T lowestOf() {
  if constexpr (std::is_same_v<T, Float16>)
    return Float16(-65504.0f);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return BFloat16(std::numeric_limits<float>::lowest());
  else
    return std::numeric_limits<T>::lowest();
}

} // namespace proa::runtime
