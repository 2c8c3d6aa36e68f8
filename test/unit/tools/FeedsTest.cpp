#include "tools/proa-run/Feeds.h"

#include "lib/base/tensors/RandomTensor.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace proa;
using namespace proa::tools;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const std::vector<TensorInfo> feeds{{"image", DType::Float32, {-1, 3}}, {"ids", DType::Int64, {2}}};

std::string temporary(const std::string &name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(Feeds, RandomValuesDependOnSeedAndName) {
  auto floats = [](const std::string &name, uint64_t seed) {
    Tensor tensor = randomTensor(name, DType::Float32, {1000}, seed);
    return std::vector<float>(tensor.as<float>(), tensor.as<float>() + tensor.size());
  };
  EXPECT_EQ(floats("a", 1), floats("a", 1));
  EXPECT_NE(floats("a", 1), floats("b", 1));
  EXPECT_NE(floats("a", 1), floats("a", 2));
  auto [least, greatest] = std::ranges::minmax(floats("a", 1));
  EXPECT_GE(least, -1);
  EXPECT_LT(least, -0.9);
  EXPECT_LT(greatest, 1);
  EXPECT_GT(greatest, 0.9);
}

TEST(Feeds, RandomIntegersAreZeroOrOne) {
  Tensor tensor = randomTensor("a", DType::Int64, {100}, 3);
  std::vector<int64_t> values(tensor.as<int64_t>(), tensor.as<int64_t>() + tensor.size());
  EXPECT_THAT(values, Each(testing::AnyOf(0, 1)));
  EXPECT_NE(std::ranges::count(values, 0), 0);
  EXPECT_NE(std::ranges::count(values, 1), 0);
}

TEST(Feeds, DimsReplaceDynamicDims) {
  Result<params::Tensors> fed = makeFeeds(feeds, {{"random:0"}, {"image=5x3"}, "", ""});
  ASSERT_TRUE(fed) << fed.diagnostics().text();
  EXPECT_EQ(fed->at("image").describe(), "float32[5, 3]");
  EXPECT_EQ(fed->at("ids").describe(), "int64[2]");
}

TEST(Feeds, MismatchedFeedIsAnError) {
  int64_t most = int64_t(1) << 40;
  Result<params::Tensors> fed =
      makeFeeds({{"large", DType::Float64, {most, 1 << 19}}}, {{"random:0"}, {}, "", ""});
  ASSERT_FALSE(fed);
  EXPECT_THAT(fed.diagnostics().text(),
              HasSubstr("large: out of memory for a feed of float64[1099511627776, 524288]"));
}

TEST(Feeds, AllErrorsAtOnce) {
  Result<params::Tensors> fed =
      makeFeeds(feeds, {{"random:", "nowhere.safetensors"}, {"image=5y3", "mask=1"}, "", ""});
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.diagnostics().size(), 4u);
  EXPECT_THAT(fed.diagnostics().text(), HasSubstr("found 'image=5y3', expected NAME=1x3x224x224"));
  EXPECT_THAT(fed.diagnostics().text(),
              HasSubstr("'mask' is not a feed of the program, which has: image, ids"));
  EXPECT_THAT(makeFeeds(feeds, {{"array.npy"}, {}, "", ""}).diagnostics().text(),
              HasSubstr("expected NAME=FILE.npy"));
}

TEST(Feeds, FilesAreReadWithoutTensorsOfOtherRuns) {
  std::string file = temporary("proa-feeds.safetensors");
  Tensor image(DType::Float32, {1, 3}), ids(DType::Int64, {2});
  std::fill_n(image.as<float>(), 3, 1.0f);
  std::fill_n(ids.as<int64_t>(), 2, 0);
  ASSERT_TRUE(params::writeSafetensors(file, {{"image", image}, {"ids", ids}, {"run1/image", image}}));
  Result<params::Tensors> fed = makeFeeds(feeds, {{}, {}, file, ""});
  ASSERT_TRUE(fed) << fed.diagnostics().text();
  EXPECT_EQ(fed->size(), 2u);
  EXPECT_THAT(makeFeeds(feeds, {{}, {}, file, "run1/"}).diagnostics().text(),
              HasSubstr("run1/ids: no value is fed, expected int64[2]"));
}

} // namespace
