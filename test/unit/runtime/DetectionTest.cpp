#include "lib/runtime/kernels/detection/Boxes.h"
#include "test/unit/runtime/KernelHarness.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

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

/// Boxes that touch, contain each other, are empty or inverted, and corners that are no numbers.
std::vector<std::array<float, 4>> manyBoxes(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  auto number = [&](int low, int high) {
    return static_cast<float>(low + static_cast<int>(generator() % static_cast<unsigned>(high - low)));
  };
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<std::array<float, 4>> boxes;
  for (int64_t i = 0; i < count; ++i) {
    float left = number(0, 40), top = number(0, 40);
    boxes.push_back({left, top, left + number(-2, 20), top + number(-2, 20)});
    if (generator() % 16 == 0)
      boxes.back()[generator() % 4] = generator() % 2 == 0 ? std::nanf("") : infinity;
  }
  return boxes;
}

TEST(TakenBoxes, AdmitsAsTheOverlapSays) {
  for (bool normalized : {false, true})
    for (float limit : {-0.5f, 0.0f, 0.25f, 0.5f, 1.0f, 2.0f})
      for (int64_t count : {0, 1, 15, 16, 17, 32, 70}) {
        TakenBoxes taken(normalized);
        auto others = manyBoxes(count, static_cast<unsigned>(count) + 1);
        for (const auto &box : others)
          taken.add(box.data());
        for (const auto &box : manyBoxes(60, 7)) {
          bool expected = std::ranges::all_of(others, [&](const auto &other) {
            return boxOverlap(box.data(), other.data(), normalized) <= limit;
          });
          ASSERT_EQ(taken.admit(box.data(), limit), expected)
              << count << " boxes, limit " << limit << ", " << testing::PrintToString(box);
        }
      }
}

/// Each suppression has as many boxes as one vector, or some more; float64 is computed box by box.
TEST(TakenBoxes, SuppressesAsInDoublePrecision) {
  for (double eta : {1.0, 0.9})
    for (int64_t count : {5, 40, 200}) {
      auto boxes = manyBoxes(count, 3);
      std::erase_if(boxes, [](const auto &box) {
        return !std::ranges::all_of(box, [](float corner) { return std::isfinite(corner); });
      });
      std::vector<std::array<double, 4>> doubles;
      for (const auto &box : boxes)
        doubles.push_back({box[0], box[1], box[2], box[3]});
      auto at = [](auto &list) { return [&](int64_t i) { return list[static_cast<size_t>(i)].data(); }; };
      EXPECT_EQ(nonMaximumSuppression<float>(boxes.size(), at(boxes), 0.613, eta, false),
                nonMaximumSuppression<double>(boxes.size(), at(doubles), 0.613, eta, false));
    }
}

/// More boxes than are sorted at once, with equal scores among them.
TEST(MulticlassNms, LimitOfAClassKeepsItsFirstBoxes) {
  constexpr int64_t count = 700, classes = 2;
  Tensor boxes(DType::Float32, {1, count, 4}), scores(DType::Float32, {1, classes, count});
  std::mt19937 generator(7);
  for (int64_t i = 0; i < count; ++i) {
    auto left = static_cast<float>(generator() % 300), top = static_cast<float>(generator() % 300);
    std::ranges::copy(std::array{left, top, left + 9, top + 7}, boxes.as<float>() + 4 * i);
  }
  for (int64_t i = 0; i < classes * count; ++i)
    scores.as<float>()[i] = static_cast<float>(generator() % 400) / 400;
  auto detect = [&](int64_t most) {
    auto out =
        runCase({"multiclass_nms3",
                 {{"score_threshold", 0.1},
                  {"nms_top_k", -1},
                  {"keep_top_k", -1},
                  {"background_label", -1},
                  {"class_keep_top_k", most}},
                 {boxes, scores},
                 {{DType::Float32, {dynamicDim, 6}}, {DType::Int32, {dynamicDim, 1}}, {DType::Int32, {1}}}});
    EXPECT_TRUE(out) << out.diagnostics().text();
    std::array<std::vector<int32_t>, classes> found;
    for (int64_t row = 0; row < (*out)[0].dims()[0]; ++row)
      found[static_cast<size_t>((*out)[0].as<float>()[6 * row])].push_back((*out)[1].as<int32_t>()[row]);
    return found;
  };
  auto all = detect(-1);
  for (size_t label = 0; label < classes; ++label) {
    ASSERT_GT(all[label].size(), 300u);
    const float *own = scores.as<float>() + static_cast<int64_t>(label) * count;
    EXPECT_TRUE(std::ranges::is_sorted(
        all[label], [&](int32_t a, int32_t b) { return own[a] > own[b] || (own[a] == own[b] && a < b); }));
  }
  for (int64_t most : {0, 1, 100, 130, 10000}) {
    auto limited = detect(most);
    for (size_t label = 0; label < classes; ++label) {
      auto expected = all[label];
      expected.resize(std::min(expected.size(), static_cast<size_t>(most)));
      EXPECT_EQ(limited[label], expected) << most;
    }
  }
}

} // namespace
} // namespace proa::runtime
