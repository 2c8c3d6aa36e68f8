#include "translator/params/Generate.h"
#include "translator/params/GeneratedParams.h"

#include "ParamsTesting.h"

#include <gmock/gmock.h>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;

namespace {

TEST(Generate, ValuesOfTheFormula) {
  // Computed in Python with arbitrary-precision integers, from the formula in test/corpus/README.md.
  std::vector<float> expected{-0x1.c93e26p-5f, -0x1.ef9162p-4f, 0x1.ea5f54p-4f, 0x1.c9d002p-7f};
  EXPECT_EQ(valuesOf<float>(
                generateParameter("conv2d_0.w_0", {2, 2}, 20240601, -0.1428571492433548, 0.1428571492433548)),
            expected);
}

TEST(Generate, Empty) { EXPECT_EQ(generateParameter("x", {0, 3}, 1, 0, 1).size(), 0); }

TEST(GeneratedParams, OfAModel) {
  auto tensors = readGeneratedParams(PROA_CORPUS_DIR "/models/vision/alexnet/meta.json");
  ASSERT_TRUE(tensors) << tensors.diagnostics().text();
  EXPECT_EQ(tensors->size(), 16u);
}

TEST(GeneratedParams, Diagnostics) {
  TemporaryFolder folder;
  auto textOf = [&](const std::string &content) {
    auto tensors = readGeneratedParams(folder.file("meta.json", content));
    EXPECT_FALSE(tensors);
    return tensors ? "" : tensors.diagnostics().text();
  };
  EXPECT_THAT(textOf("{"), HasSubstr("invalid JSON at byte"));
  EXPECT_THAT(textOf("[]"), HasSubstr("generated_params: expected an object with seed and params"));
  EXPECT_THAT(textOf(R"({"generated_params":{"seed":1,"params":[7]}})"),
              HasSubstr("generated_params.params[0]: expected an object with name"));
  EXPECT_THAT(
      textOf(
          R"({"generated_params":{"seed":1,"params":[{"name":"a","dtype":"int8","shape":[1],"lo":0,"hi":1},)"
          R"({"name":"b","dtype":"float32","shape":[-1],"lo":0,"hi":1}]}})"),
      testing::AllOf(HasSubstr("'a': found dtype int8, expected float32"),
                     HasSubstr("'b': the shape [-1] has no size")));
  EXPECT_THAT(textOf(R"({"generated_params":{"seed":1,"params":[{"name":"a","dtype":"float32",)"
                     R"("shape":[1000000000000000000],"lo":0,"hi":1}]}})"),
              HasSubstr("'a': float32[1000000000000000000] needs 4000000000000000000 bytes"));
  EXPECT_FALSE(hasGeneratedParams(folder.path("none")));
}

} // namespace
