#include "lib/base/support/TensorCheck.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

TEST(Tensor, ValidTensorsHaveData) {
  EXPECT_EQ(whyInvalid(Tensor(DType::Float32, {2, 3})), "");
  EXPECT_EQ(whyInvalid(Tensor(DType::Float32, {2, 0}, nullptr, nullptr)), ""); // no elements
  EXPECT_EQ(whyInvalid(Tensor()), "");
}

TEST(Tensor, DimsWithoutAnElementCountAreInvalid) {
  const std::string expected = ", expected non-negative ones with at most 2^63 elements";
  EXPECT_EQ(whyInvalid(Tensor(DType::Float32, {-1, 28})), "has the dims [-1, 28]" + expected);
  float value = 0;
  EXPECT_EQ(whyInvalid(Tensor(DType::Float32, {int64_t(1) << 40, int64_t(1) << 40}, &value, nullptr)),
            "has the dims [1099511627776, 1099511627776]" + expected);
}

TEST(Tensor, MissingDataIsInvalid) {
  EXPECT_EQ(whyInvalid(Tensor(DType::Int64, {2}, nullptr, nullptr)), "has no data, but it is int64[2]");
}

TEST(Tensor, ReshapeToAnotherCountIsInvalid) {
  Tensor four(DType::Float32, {4});
  EXPECT_EQ(whyInvalid(four.reshaped({2, 2})), "");
  EXPECT_EQ(whyInvalid(four.reshaped({5})), "has no data, but it is float32[5]");
}

} // namespace
} // namespace proa
