#include "proa/Half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace proa {
namespace {

// Definition of a binary16 value, without any bit tricks.
double valueOfHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 31;
  double mantissa = bits & 1023;
  double magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(Float16, DecodesEveryFiniteValue) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (((bits >> 10) & 31) == 31)
      continue;
    Float16 half;
    half.bits = static_cast<uint16_t>(bits);
    EXPECT_EQ(static_cast<double>(static_cast<float>(half)), valueOfHalf(half.bits)) << bits;
  }
}

TEST(Float16, RoundsToNearestEven) {
  // Between neighbors a and b (b = a + 1 unit): the midpoint rounds to the even one, other values to the
  // nearest.
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    float low = static_cast<float>(valueOfHalf(bits)), high = static_cast<float>(valueOfHalf(bits + 1));
    float middle = (low + high) / 2;
    EXPECT_EQ(Float16(middle).bits, bits % 2 == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(Float16(std::nextafter(middle, low)).bits, bits);
    EXPECT_EQ(Float16(std::nextafter(middle, high)).bits, bits + 1);
    EXPECT_EQ(Float16(-low).bits, bits | 0x8000);
  }
}

TEST(Float16, InfinityAndNan) {
  EXPECT_EQ(Float16(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Float16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Float16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
  EXPECT_EQ(Float16(-std::numeric_limits<float>::infinity()).bits, 0xfc00);
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(std::nanf("")))));
  Float16 infinity;
  infinity.bits = 0x7c00;
  EXPECT_EQ(static_cast<float>(infinity), std::numeric_limits<float>::infinity());
}

TEST(BFloat16, RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).bits, 0x3f80);           // the midpoint, even below
  EXPECT_EQ(BFloat16(1.0f + 0x1p-7f + 0x1p-8f).bits, 0x3f82); // the midpoint, even above
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f + 0x1p-20f).bits, 0x3f81);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  EXPECT_EQ(static_cast<float>(BFloat16(-2.5f)), -2.5f);
}

} // namespace
} // namespace proa
