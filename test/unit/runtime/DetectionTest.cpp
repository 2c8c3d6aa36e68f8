#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

namespace proa::runtime {
namespace {

Tensor zeros(std::vector<int64_t> dims) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::fill_n(tensor.as<float>(), tensor.size(), 0.0f);
  return tensor;
}

/// One image of 2 x 2 cells with one anchor each.
KernelCase proposals(Tensor variances) {
  return {
      "generate_proposals",
      nlohmann::json::object(),
      {zeros({1, 1, 2, 2}), zeros({1, 4, 2, 2}), zeros({1, 2}), zeros({2, 2, 1, 4}), std::move(variances)},
      {{DType::Float32, {dynamicDim, 4}}, {DType::Float32, {dynamicDim, 1}}, {DType::Int32, {1}}}};
}

TEST(Proposals, VariancesAreThoseOfTheAnchors) {
  EXPECT_TRUE(runCase(proposals(zeros({2, 2, 1, 4}))));
  for (const std::vector<int64_t> &dims : {std::vector<int64_t>{2, 2, 1, 1}, std::vector<int64_t>{4}}) {
    auto refused = runCase(proposals(zeros(dims)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.diagnostics().text(),
                ::testing::HasSubstr("anchors float32[2, 2, 1, 4] and variances " +
                                     describe(DType::Float32, dims) + " do not fit"));
  }
}

TEST(RoiAlign, BoxOfNaNGivesNaN) {
  Tensor boxes = zeros({1, 4}), counts(DType::Int32, {1});
  boxes.as<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  *counts.as<int32_t>() = 1;
  auto out = runCase({"roi_align",
                      {{"pooled_height", 1}, {"pooled_width", 1}, {"sampling_ratio", 1}},
                      {zeros({1, 1, 4, 4}), boxes, counts},
                      {{DType::Float32, {1, 1, 1, 1}}}});
  ASSERT_TRUE(out) << out.diagnostics().text();
  EXPECT_THAT((*out)[0].as<float>()[0], ::testing::IsNan());
}

} // namespace
} // namespace proa::runtime
