#include "lib/compiler/plan/ProgramWorkload.h"
#include "lib/base/plan/CostModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace proa {
namespace {

using testing::HasSubstr;

Result<ProgramWorkload> describeCase(const std::string &name, const WorkloadOptions &options = {}) {
  return describeWorkload(std::string(PROA_CORPUS) + "/" + name, {}, options);
}

double parametersOf(const plan::Workload &workload) {
  double sum = 0;
  for (int kind : workload.layers)
    for (const plan::Parameters &own : workload.kinds[static_cast<size_t>(kind)].parameters)
      sum += own.elements;
  return sum;
}

double flopsOf(const plan::Workload &workload, std::vector<plan::Work> plan::Layer::*list) {
  double sum = 0;
  for (int kind : workload.layers)
    for (const plan::Work &work : workload.kinds[static_cast<size_t>(kind)].*list)
      sum += work.flops;
  return sum;
}

// LLaMA 7B: 32 layers of 4 h^2 + 3 h ffn + 2 h parameters, embedding and head of 32000 h, and a norm.
TEST(ProgramWorkloadTest, Llama7BHasTheParametersAndArithmeticOfItsFormulas) {
  auto described = describeCase("realistic/llama_7b_shaped");
  ASSERT_TRUE(described) << described.diagnostics().text();
  const plan::Workload &workload = described->workload;
  double h = 4096, ffn = 11008, vocabulary = 32000, tokens = 2048;
  double block = 4 * h * h + 3 * h * ffn;
  EXPECT_DOUBLE_EQ(parametersOf(workload), 32 * (block + 2 * h) + 2 * vocabulary * h + h);
  double products = 2 * tokens * (32 * block + vocabulary * h), attention = 32 * 4 * tokens * tokens * h;
  EXPECT_NEAR(flopsOf(workload, &plan::Layer::forward) / (products + attention), 1, 0.01);
  // Two products for each: by the weight and by the activation.
  EXPECT_NEAR(flopsOf(workload, &plan::Layer::backward) / (2 * (products + attention)), 1, 0.01);
  EXPECT_FALSE(described->isTraining);
  EXPECT_GE(workload.layers.size(), 32u);
  EXPECT_LE(workload.kinds.size(), 3u); // layers that repeat are described once
  EXPECT_EQ(workload.states.optimizer, 8);
}

TEST(ProgramWorkloadTest, SplitsFollowThePassesOfStrategies) {
  auto described = describeCase("realistic/llama_7b_shaped");
  ASSERT_TRUE(described) << described.diagnostics().text();
  const plan::Workload &workload = described->workload;
  EXPECT_TRUE(workload.allows("mp", 8));
  EXPECT_FALSE(workload.allows("mp", 64)); // 32 heads
  EXPECT_TRUE(workload.allows("cp", 4));
  EXPECT_FALSE(workload.allows("ep", 2));
  EXPECT_THAT(workload.reasons.at("ep"), HasSubstr("no contraction is batched"));
  double split = 0;
  for (int kind : workload.layers)
    for (const plan::Work &work : workload.kinds[static_cast<size_t>(kind)].forward)
      split += work.splits & plan::modelSplit ? work.flops : 0;
  EXPECT_GE(split / flopsOf(workload, &plan::Layer::forward), 0.98); // the head is whole
}

// Shoeybi et al. 2019: two all_reduces of a layer in each direction, each of the activation.
TEST(ProgramWorkloadTest, TensorParallelismHasTwoReductionsForEachLayerAndDirection) {
  auto described = describeCase("training/gpt_sgd");
  ASSERT_TRUE(described) << described.diagnostics().text();
  double count = 0, bytes = 0;
  for (int kind : described->workload.layers)
    for (const plan::Communication &own :
         described->workload.kinds[static_cast<size_t>(kind)].forwardCollectives)
      if (own.axis == "mp" && own.kind == plan::Collective::AllReduce)
        count += own.count, bytes += own.bytes;
  EXPECT_GE(bytes, 2 * 2 * 8 * 32 * 4.0); // 2 layers, 8 tokens of 32 float32
  EXPECT_LE(bytes, 1.5 * 2 * 2 * 8 * 32 * 4.0);
  EXPECT_GE(count, 4);
}

TEST(ProgramWorkloadTest, TrainingProgramsKeepTheirGradients) {
  auto described = describeCase("realistic/llama_7b_4l_train");
  ASSERT_TRUE(described) << described.diagnostics().text();
  EXPECT_TRUE(described->isTraining);
  EXPECT_EQ(described->batch, 2);
  double tokens = 2048, h = 4096, block = 4 * h * h + 3 * h * 11008;
  double forward = 2 * tokens * (4 * block + 32000 * h) + 4 * 4 * tokens * 1024 * h;
  EXPECT_NEAR(2 * flopsOf(described->workload, &plan::Layer::forward) / forward, 1,
              0.01); // of one of 2 examples
  EXPECT_NEAR(flopsOf(described->workload, &plan::Layer::backward) / forward, 1, 0.01);
}

TEST(ProgramWorkloadTest, ExpertsOfAProgramAllowExpertParallelism) {
  auto described = describeWorkload(std::string(PROA_CASES) + "/training/moe_sgd", {}, {});
  ASSERT_TRUE(described) << described.diagnostics().text();
  EXPECT_TRUE(described->workload.allows("ep", 4));
  EXPECT_FALSE(described->workload.allows("ep", 8)); // 4 experts
}

TEST(ProgramWorkloadTest, ProgramsWithoutMicroBatchesHaveAReason) {
  EXPECT_FALSE(describeCase("training/mlp_adamw")->workload.reasons.contains("acc"));
  auto described = describeCase("training/llama_adamw"); // its labels are not divided like its tokens
  ASSERT_TRUE(described) << described.diagnostics().text();
  EXPECT_TRUE(described->workload.reasons.contains("acc"));
}

TEST(ProgramWorkloadTest, StatesAreThoseOfTheOptimizer) {
  EXPECT_EQ(describeCase("training/gpt_sgd")->workload.states.optimizer, 0);
  auto adam = describeCase("training/llama_adamw");
  ASSERT_TRUE(adam) << adam.diagnostics().text();
  EXPECT_NEAR(adam->workload.states.optimizer, 8, 0.2); // two moments, and powers of beta
  plan::StateBytes mixed = describeCase("training/llama_adamw", {.is16Bit = true})->workload.states;
  EXPECT_NEAR(mixed.weight + mixed.gradient + mixed.optimizer, 16, 0.2);
}

TEST(ProgramWorkloadTest, ErrorsNameTheReason) {
  auto absent = describeCase("absent");
  ASSERT_FALSE(absent);
  auto dynamic = describeCase("models/nlp/bert");
  ASSERT_FALSE(dynamic);
  EXPECT_THAT(dynamic.diagnostics().text(), HasSubstr("its dims are dynamic, expected static ones (--dims"));
}

} // namespace
} // namespace proa
