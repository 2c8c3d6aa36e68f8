//! Strategies: each part, and the errors.
#include "lib/spmd/Strategy.h"

#include <gtest/gtest.h>

namespace proa::spmd {
namespace {

TEST(Strategy, ReadsEachPart) {
  auto strategy = parseStrategy("dp2,tp4,cp3,ep5,sp,zero2,amp2,recompute,acc8");
  ASSERT_TRUE(strategy) << strategy.problems().text();
  EXPECT_EQ(strategy->data, 2);
  EXPECT_EQ(strategy->model, 4);
  EXPECT_EQ(strategy->context, 3);
  EXPECT_EQ(strategy->expert, 5);
  EXPECT_TRUE(strategy->sequence);
  EXPECT_EQ(strategy->zero, ZeroStage::Gradients);
  EXPECT_EQ(strategy->ampLevel, 2);
  EXPECT_TRUE(strategy->recompute);
  EXPECT_EQ(strategy->microBatches, 8);
  Mesh mesh = strategy->mesh();
  ASSERT_EQ(mesh.axes.size(), 4U);
  EXPECT_EQ(mesh.size(), 120);
  EXPECT_EQ(mesh.axes[0].name, "dp");
  EXPECT_EQ(mesh.axes[3].name, "mp");
}

TEST(Strategy, AxesOfSizeOneAreLeftOut) {
  auto strategy = parseStrategy("dp1,mp2,amp");
  ASSERT_TRUE(strategy) << strategy.problems().text();
  EXPECT_EQ(strategy->mesh().axes.size(), 1U);
  EXPECT_EQ(strategy->ampLevel, 1);
  EXPECT_FALSE(strategy->recompute);
}

TEST(Strategy, ReportsAllErrors) {
  auto text = [](std::string_view strategy) {
    auto parsed = parseStrategy(strategy);
    return parsed ? std::string() : parsed.problems().text();
  };
  EXPECT_NE(text("").find("unknown part ''"), std::string::npos);
  EXPECT_NE(text("dp2x").find("unknown part 'dp2x'"), std::string::npos);
  EXPECT_NE(text("dp0").find("expected a number from 1"), std::string::npos);
  EXPECT_NE(text("dp99999999999999999999").find("unknown part"), std::string::npos);
  EXPECT_NE(text("mp2,tp2").find("'mp' is given twice"), std::string::npos);
  EXPECT_NE(text("zero1").find("zero splits over the axis dp"), std::string::npos);
  std::string several = text("sp,zero9,acc");
  EXPECT_NE(several.find("unknown part 'zero9'"), std::string::npos);
  EXPECT_NE(several.find("after 'acc'"), std::string::npos);
  EXPECT_NE(several.find("sp splits over the axis mp"), std::string::npos);
}

} // namespace
} // namespace proa::spmd
