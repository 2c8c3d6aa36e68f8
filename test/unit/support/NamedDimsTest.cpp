#include "lib/base/support/NamedDims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using testing::HasSubstr;

namespace {

TEST(NamedDims, AreShown) {
  EXPECT_EQ(describe(TensorInfo{"x", DType::Float32, {-1, 3, -1}}), "float32[-1, 3, -1]");
  EXPECT_EQ(describe(TensorInfo{"x", DType::Float32, {-1, 3, -1}, 0, {"N", "C", ""}}), "float32[N, 3, -1]");
}

TEST(NamedDims, OfOneNameHaveOneSize) {
  std::vector<TensorInfo> feeds = {{"x", DType::Float32, {-1, -1}, 0, {"N", ""}},
                                   {"y", DType::Float32, {-1}, 0, {"N"}},
                                   {"z", DType::Float32, {-1, -1}, 0, {"M", "M"}}};
  auto check = [&](std::vector<int64_t> x, std::vector<int64_t> y, std::vector<int64_t> z) {
    return checkNamedDims("f", feeds,
                          {{"x", Tensor(DType::Float32, std::move(x))},
                           {"y", Tensor(DType::Float32, std::move(y))},
                           {"z", Tensor(DType::Float32, std::move(z))}})
        .text();
  };
  EXPECT_EQ(check({2, 5}, {2}, {3, 3}), "");
  EXPECT_THAT(check({2, 5}, {3}, {3, 3}),
              HasSubstr("f: dim 'N' is 2 in dimension 0 of feed 'x', but 3 in dimension 0 of feed 'y'"));
  EXPECT_THAT(check({2, 5}, {2}, {3, 4}),
              HasSubstr("dim 'M' is 3 in dimension 0 of feed 'z', but 4 in dimension 1 of feed 'z'"));
  EXPECT_EQ(check({2, 5}, {3, 3}, {3, 3}), ""); // the rank of y is wrong, which another check reports
}

} // namespace
