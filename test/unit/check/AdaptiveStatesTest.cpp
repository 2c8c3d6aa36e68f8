#include "lib/check/AdaptiveStates.h"

#include <gtest/gtest.h>

#include <cstring>

namespace proa::check {
namespace {

using params::Tensors;

Tensor floats(std::vector<float> values) {
  Tensor tensor(DType::Float32, {static_cast<int64_t>(values.size())});
  std::memcpy(tensor.data(), values.data(), values.size() * sizeof(float));
  return tensor;
}

/// A weight with gradients of about 0.1 and a bias without a gradient, after one step of Adam with rate 0.01.
class AdaptiveStatesTest : public ::testing::Test {
protected:
  Tensors initial{{"w", floats({1, 2})}, {"b", floats({0, 0})}};
  Tensors expected{{"w", floats({0.99F, 2.01F})},
                   {"b", floats({0, 0})},
                   {"w_moment1_0", floats({0.01F, -0.01F})},
                   {"b_moment1_0", floats({1e-10F, -1e-10F})},
                   {"w_moment2_0", floats({1e-5F, 1e-5F})},
                   {"b_moment2_0", floats({1e-21F, 1e-21F})},
                   {"w_beta1_pow_acc_0", floats({0.9F})},
                   {"b_beta1_pow_acc_0", floats({0.9F})},
                   {"w_beta2_pow_acc_0", floats({0.999F})},
                   {"b_beta2_pow_acc_0", floats({0.999F})}};
  Tensors got = expected;

  bool passes(const std::string &name) {
    std::vector<params::ComparedOutput> compared{
        {"final/" + name, compareLowPrecision(got.at(name), expected.at(name), DType::Float16)}};
    EXPECT_FALSE(compared[0].comparison.passed()); // without the allowance
    allowRoundingNoise(compared, "final/", initial, expected, got, DType::Float16);
    return compared[0].comparison.passed();
  }
};

TEST_F(AdaptiveStatesTest, AllowsAnyUpdateByAGradientOfNoise) {
  got["b"] = floats({-0.01F, 0.01F}); // the largest update, in either direction
  got["b_moment1_0"] = floats({2e-6F, -2e-6F});
  EXPECT_TRUE(passes("b"));
}

TEST_F(AdaptiveStatesTest, RefusesAnUpdateWithoutAnErrorOfItsGradient) {
  got["b"] = floats({-0.01F, 0.01F});
  EXPECT_FALSE(passes("b"));
}

TEST_F(AdaptiveStatesTest, RefusesLargerUpdatesThanAnyOther) {
  got["b"] = floats({-0.1F, 0.1F});
  got["b_moment1_0"] = floats({2e-6F, -2e-6F});
  EXPECT_FALSE(passes("b"));
}

TEST_F(AdaptiveStatesTest, BoundsTheErrorOfMeans) {
  got["b_moment1_0"] = floats({5e-6F, -5e-6F}); // allowed are 5.4e-6, of them 3.5e-6 by the means of w
  EXPECT_TRUE(passes("b_moment1_0"));
  got["b_moment1_0"] = floats({1e-3F, -1e-3F});
  EXPECT_FALSE(passes("b_moment1_0"));
}

TEST_F(AdaptiveStatesTest, RefusesErrorsOfOtherStates) {
  got["w_moment2_0"] = floats({1e-2F, 1e-5F});
  EXPECT_FALSE(passes("w_moment2_0"));
  got["w"] = floats({1.99F, 2.01F});
  EXPECT_FALSE(passes("w"));
}

} // namespace
} // namespace proa::check
