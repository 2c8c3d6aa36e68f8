#include "translator/params/ModelTensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace proa;
using namespace proa::params;
using testing::HasSubstr;

namespace {

Tensor scalar(float value) {
  Tensor result(DType::Float32, {});
  *result.as<float>() = value;
  return result;
}

TEST(ModelTensors, PrefixesSelectRuns) {
  Tensors all{{"x", scalar(0)},      {"run1/x", scalar(1)},  {"step12/x", scalar(2)}, {"final/w", scalar(3)},
              {"runs/x", scalar(4)}, {"run/1/x", scalar(5)}, {"a/b", scalar(6)}};
  EXPECT_EQ(withPrefix(all, "run1/").size(), 1u);
  EXPECT_EQ(*withPrefix(all, "step12/").at("x").as<float>(), 2);
  Tensors first = withPrefix(all, "");
  EXPECT_EQ(first.size(), 4u); // x and the names that only look like a prefix
  EXPECT_TRUE(first.count("a/b"));
}

TEST(ModelTensors, StateInputsAreNotFeeds) {
  ModelMeta meta;
  meta.stateInputs = {"rate"};
  Tensors inputs{{"x", scalar(1)}, {"rate", scalar(2)}};
  Result<Tensors> states = takeStateInputs(inputs, meta, "step1/");
  ASSERT_TRUE(states) << states.diagnostics().text();
  EXPECT_EQ(*states->at("rate").as<float>(), 2);
  EXPECT_EQ(inputs.size(), 1u);
  EXPECT_THAT(takeStateInputs(inputs, meta, "step1/").diagnostics().text(),
              HasSubstr("step1/rate: is a state input of the model, but the inputs lack it"));
}

TEST(ModelTensors, MissingExpectedTensorFails) {
  ModelMeta meta;
  meta.suspect["wrong"] = "known to be wrong";
  std::vector<ComparedOutput> compared = compareOutputs(
      {{"a", scalar(1)}, {"b", scalar(2)}},
      {{"a", scalar(1)}, {"b", scalar(3)}, {"c", scalar(4)}, {"wrong", scalar(5)}}, meta, "run1/");
  ASSERT_EQ(compared.size(), 3u);
  EXPECT_TRUE(compared[0].comparison.passed());
  EXPECT_EQ(compared[1].name, "run1/b");
  EXPECT_THAT(compared[1].comparison.reason, HasSubstr("got 2, expected 3"));
  EXPECT_EQ(compared[2].comparison.reason, "is not among the outputs");
}

} // namespace
