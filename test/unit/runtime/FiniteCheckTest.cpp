#include "lib/runtime/run/FiniteCheck.h"

#include "proa/Tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

using namespace proa;
using namespace proa::runtime;
using testing::HasSubstr;

namespace {

template <class T> Tensor tensorOf(DType dtype, const std::vector<T> &elements) {
  Tensor tensor(dtype, {static_cast<int64_t>(elements.size())});
  std::memcpy(tensor.data(), elements.data(), tensor.bytes());
  return tensor;
}

void expectCounts(const Tensor &tensor, int64_t nans, int64_t infinities, int64_t firstNan,
                  int64_t firstInfinity) {
  NonFinite found = countNonFinite(tensor);
  EXPECT_EQ(found.nans, nans) << tensor.describe();
  EXPECT_EQ(found.infinities, infinities) << tensor.describe();
  EXPECT_EQ(found.firstNan, firstNan) << tensor.describe();
  EXPECT_EQ(found.firstInfinity, firstInfinity) << tensor.describe();
}

/// The bits are from the definitions of the formats (IEEE 754; OCP OFP8), not from this project's
/// conversions.
TEST(FiniteCheck, CountsInEveryFormat) {
  expectCounts(tensorOf<uint32_t>(DType::Float32, {0x3F800000, 0x7F7FFFFF, 0xFF800000, 0x7FC00000, 0x7F800001,
                                                   0x7F800000, 0x00000001}),
               2, 2, 3, 2);
  expectCounts(
      tensorOf<uint64_t>(DType::Float64, {0x7FEFFFFFFFFFFFFF, 0x7FF0000000000001, 0xFFF0000000000000}), 1, 1,
      1, 2);
  expectCounts(tensorOf<uint16_t>(DType::Float16, {0x7BFF, 0xFC00, 0x7C01, 0x0001}), 1, 1, 2, 1);
  expectCounts(tensorOf<uint16_t>(DType::BFloat16, {0x7F7F, 0x7F80, 0xFFC0, 0x7C01}), 1, 1, 2, 1);
  expectCounts(tensorOf<uint8_t>(DType::Float8E5M2, {0x7B, 0x7C, 0xFD}), 1, 1, 2, 1);
  expectCounts(tensorOf<uint8_t>(DType::Float8E4M3FN, {0x7E, 0x7F, 0xFF, 0x78}), 2, 0, 1, -1);
  expectCounts(tensorOf<uint64_t>(DType::Int64, {0x7FF0000000000001, ~0ull}), 0, 0, -1, -1);
}

TEST(FiniteCheck, CountsComplexElementsOnce) {
  float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  using C = std::complex<float>;
  expectCounts(tensorOf<C>(DType::Complex64, {C(1, 2), C(inf, nan), C(0, -inf), C(inf, inf)}), 1, 2, 1, 2);
}

TEST(FiniteCheck, ReportsNonFiniteCreatedByStep) {
  NonFinite finite, withNan{.nans = 1, .firstNan = 5}, withInf{.infinities = 2, .firstInfinity = 4};
  const int64_t dims[] = {2, 3};
  EXPECT_FALSE(describeCreated(finite, finite, dims));
  EXPECT_FALSE(describeCreated(withNan, withNan, dims));
  EXPECT_FALSE(describeCreated(withInf, withInf, dims));
  EXPECT_FALSE(describeCreated(withNan, withInf, dims)); // Inf may come of NaN: where(isnan(x), ...)
  EXPECT_THAT(*describeCreated(finite, withNan, dims),
              HasSubstr("gets NaN from finite inputs, the first at [1, 2]; 1 NaN and 0 Inf"));
  EXPECT_THAT(*describeCreated(finite, withInf, dims),
              HasSubstr("gets Inf from finite inputs, the first at [1, 1]"));
  EXPECT_THAT(*describeCreated(withInf, withNan, dims),
              HasSubstr("gets NaN from inputs with Inf and without NaN"));
}

} // namespace
