#include "lib/runtime/emulator/MatrixNumbers.h"

#include "proa/Half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace proa::emulator {
namespace {

/// A float of 8 bits. E4M3 has no infinities.
double decodeByte(uint8_t bits, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1, exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1), largest = (1 << exponentBits) - 1;
  double sign = bits & 0x80 ? -1 : 1;
  bool hasInfinities = exponentBits == 5;
  if (exponent == largest && hasInfinities)
    return mantissa ? NAN : sign * INFINITY;
  if (exponent == largest && mantissa == (1 << mantissaBits) - 1)
    return NAN;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

template <class T> T elementAt(const void *memory, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte *>(memory) + index * sizeof(T), sizeof(T));
  return value;
}

template <class T> void store(void *memory, size_t index, T value) {
  std::memcpy(static_cast<std::byte *>(memory) + index * sizeof(T), &value, sizeof(T));
}

/// The 19 upper bits of a float; the processor ignores the others.
float asTensorFloat32(uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }

} // namespace

double numberAt(MatrixElement type, const void *memory, size_t index) {
  switch (type) {
  case MatrixElement::F16:
    return static_cast<float>(elementAt<Float16>(memory, index));
  case MatrixElement::BF16:
    return static_cast<float>(elementAt<BFloat16>(memory, index));
  case MatrixElement::TF32:
    return asTensorFloat32(elementAt<uint32_t>(memory, index));
  case MatrixElement::F32:
    return elementAt<float>(memory, index);
  case MatrixElement::F64:
    return elementAt<double>(memory, index);
  case MatrixElement::S8:
    return elementAt<int8_t>(memory, index);
  case MatrixElement::U8:
    return elementAt<uint8_t>(memory, index);
  case MatrixElement::S32:
    return elementAt<int32_t>(memory, index);
  case MatrixElement::E4M3:
    return decodeByte(elementAt<uint8_t>(memory, index), 4, 3);
  case MatrixElement::E5M2:
    return decodeByte(elementAt<uint8_t>(memory, index), 5, 2);
  }
  return 0;
}

/// Integer sums of some products are exact in double.
void storeNumber(MatrixElement type, void *memory, size_t index, double value, bool saturates) {
  switch (type) {
  case MatrixElement::F16:
    return store(memory, index, Float16(static_cast<float>(value)));
  case MatrixElement::F64:
    return store(memory, index, value);
  case MatrixElement::S32: {
    auto sum = static_cast<int64_t>(value);
    if (saturates)
      sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
    return store(memory, index, static_cast<int32_t>(sum));
  }
  default:
    return store(memory, index, static_cast<float>(value));
  }
}

} // namespace proa::emulator
