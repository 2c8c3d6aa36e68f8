/// The signatures of library kernels that are generated from the op records: operands, their dtypes,
/// attributes.
#include "lib/runtime/plan/AttributeReader.h"
#include "test/unit/runtime/KernelHarness.h"

#include "dialects/pd/ops/image/Pool.kernels.inc"
#include "dialects/rt/Rt.kernels.inc"

#include <gmock/gmock.h>

namespace proa::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Tensor empty(DType dtype, std::vector<int64_t> dims) { return Tensor(dtype, std::move(dims)); }

std::string errorsOf(const KernelCase &c) {
  auto result = runCase(c);
  EXPECT_FALSE(result);
  return result ? "" : result.diagnostics().text();
}

const nlohmann::json window = {{"kernel_size", {1, 1}}};

TEST(Library, ChecksTheDTypesOfAllOperands) {
  Tensor image = randomFloats({1, 1, 2, 2}, 1);
  EXPECT_THAT(
      errorsOf({"pool2d", window, {empty(DType::Int64, {1, 1, 2, 2})}, {{DType::Int64, {1, 1, 2, 2}}}}),
      HasSubstr("steps[0] 'pool2d': operand 'x' of library kernel 'pool2d' is int64, expected "
                "float8_e4m3fn, float8_e5m2, float16, bfloat16, float32, float64"));
  EXPECT_THAT(
      errorsOf({"pool2d", window, {image, floats({2}, {1, 1})}, {{DType::Float32, {1, 1, 2, 2}}}}),
      HasSubstr("operand 'kernel_size_tensor' of library kernel 'pool2d' is float32, expected uint8"));
  EXPECT_THAT(errorsOf({"pool2d", window, {image}, {{DType::Bool, {1, 1, 2, 2}}}}),
              HasSubstr("result 'out' of library kernel 'pool2d' is bool, expected"));
}

TEST(Library, TakesHalfOnlyWhereTheRecordSaysSo) {
  std::string errors = errorsOf({"nms", {}, {empty(DType::Float16, {2, 4})}, {{DType::Int64, {2}}}});
  EXPECT_THAT(errors, HasSubstr("operand 'x' of library kernel 'nms' is float16, expected"));
  EXPECT_THAT(errors, Not(HasSubstr("expected float16")));
  EXPECT_THAT(errors, HasSubstr("float32, float64"));
}

TEST(Library, ChecksTheNumberOfOperands) {
  Tensor x = randomFloats({2, 2}, 1);
  EXPECT_THAT(errorsOf({"matmul", {}, {x}, {{DType::Float32, {2, 2}}}}),
              HasSubstr("operand 'y' of library kernel 'matmul' is missing"));
  EXPECT_THAT(errorsOf({"matmul", {}, {x, x, x}, {{DType::Float32, {2, 2}}}}),
              HasSubstr("library kernel 'matmul' has 3 operands, expected at most 2"));
}

TEST(Library, ReportsUnknownAndMissingAttributes) {
  Tensor x = randomFloats({2, 2}, 1);
  EXPECT_THAT(errorsOf({"matmul", {{"transpose_z", true}}, {x, x}, {{DType::Float32, {2, 2}}}}),
              HasSubstr("unknown attribute 'transpose_z'"));
  EXPECT_THAT(errorsOf({"matmul", {{"transpose_x", "yes"}}, {x, x}, {{DType::Float32, {2, 2}}}}),
              HasSubstr("attribute 'transpose_x' is \"yes\"; expected a boolean"));
  EXPECT_THAT(errorsOf({"dim", {}, {x}, {{DType::Int64, {}}}}), HasSubstr("attribute 'index' is missing"));
}

TEST(Library, AbsentAttributesHaveTheDefaultOfTheRecord) {
  auto attributes = readStored<Pool2dAttributes>({{"strides", {2, 2}}});
  ASSERT_TRUE(attributes) << attributes.diagnostics().text();
  EXPECT_EQ(attributes->strides, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(attributes->poolingType, PoolingType::Max);
  EXPECT_TRUE(attributes->exclusive);
}

TEST(Library, ReadsEnumsByKeyword) {
  auto attributes = readStored<Pool2dAttributes>({{"pooling_type", "avg"}, {"data_format", "NHWC"}});
  ASSERT_TRUE(attributes) << attributes.diagnostics().text();
  EXPECT_EQ(attributes->poolingType, PoolingType::Avg);
  EXPECT_EQ(attributes->dataFormat, DataFormat::NHWC);
  auto unknown = readStored<Pool2dAttributes>({{"pooling_type", "median"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.diagnostics().text(),
              HasSubstr("attribute 'pooling_type' is \"median\"; expected one of max, avg"));
}

TEST(Library, ReadsPostOps) {
  auto attributes = readStored<FusedMatmulAttributes>(
      {{"post_ops", {{{"kind", "bias"}}, {{"kind", "clip"}, {"alpha", -1}, {"beta", 2.5}}}}});
  ASSERT_TRUE(attributes) << attributes.diagnostics().text();
  ASSERT_EQ(attributes->postOps.size(), 2u);
  EXPECT_EQ(attributes->postOps[0].kind, PostOpKind::Bias);
  EXPECT_FALSE(attributes->postOps[0].alpha);
  EXPECT_EQ(attributes->postOps[1].kind, PostOpKind::Clip);
  EXPECT_EQ(attributes->postOps[1].alpha, -1);
  EXPECT_EQ(attributes->postOps[1].beta, 2.5);
}

} // namespace
} // namespace proa::runtime
