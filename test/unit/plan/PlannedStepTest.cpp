#include "lib/compiler/plan/PlannedStep.h"
#include "lib/compiler/plan/ImportedProgram.h"
#include "proa/Model.h"
#include "translator/params/ModelMeta.h"
#include "translator/params/ModelTensors.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace proa {
namespace {

/// The largest arena of the ranks of the same program in a session.
Result<int64_t> arenaOf(const std::string &path, const std::string &strategy) {
  ModelOptions options;
  options.cacheDirectory = "off";
  options.threads = 1;
  options.codeOptimization = CodeOptimization::Never;
  options.mesh = MeshOptions{.strategy = strategy, .simulate = true};
  auto meta = params::readModelMeta(path + "/meta.json");
  if (!meta)
    return meta.diagnostics();
  options.feeds = meta->feeds;
  options.fetches = meta->fetches;
  auto model = Model::open(path, options);
  if (!model)
    return model.diagnostics();
  auto session = model->session();
  auto inputs = params::readSafetensors(path + "/inputs.safetensors");
  if (!session || !inputs)
    return session ? inputs.diagnostics() : session.diagnostics();
  if (auto ran = session->run(params::withPrefix(*inputs, "step0/")); !ran)
    return ran.diagnostics();
  return session->arenaBytes();
}

/// Ranks of a mesh on one machine.
plan::Cluster threadsOfOneMachine(double latency = 1e-4, double bandwidth = 1e9) {
  plan::Cluster cluster{
      .flops32 = 80e9, .flops16 = 80e9, .memoryBandwidth = 20e9, .stepSeconds = 1e-6, .sendsDirectly = true};
  cluster.levels.push_back({.name = "threads", .devices = 16, .latency = latency, .bandwidth = bandwidth});
  return cluster;
}

Result<PlannedStep> stepOf(const std::string &path, const std::string &strategy,
                           const plan::Cluster &cluster = threadsOfOneMachine()) {
  auto program = importProgram(path, {});
  return program ? plannedStep(*program->module, strategy, cluster) : program.diagnostics();
}

std::string training(const std::string &name) { return std::string(PROA_CORPUS) + "/training/" + name; }

struct Combination {
  std::string program, strategy;
  friend void PrintTo(const Combination &value, std::ostream *stream) {
    *stream << value.program << " " << value.strategy;
  }
};

class PlannedStepTest : public testing::TestWithParam<Combination> {};

TEST_P(PlannedStepTest, ArenaIsThatOfASession) {
  auto planned = stepOf(GetParam().program, GetParam().strategy);
  ASSERT_TRUE(planned) << planned.diagnostics().text();
  auto expected = arenaOf(GetParam().program, GetParam().strategy);
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  EXPECT_NEAR(static_cast<double>(std::ranges::max(planned->arenas)) / static_cast<double>(*expected), 1,
              0.02);
  EXPECT_THAT(planned->arenas, testing::Contains(planned->arena));
  EXPECT_GT(planned->states, 0);
}

/// The pairs of docs/strategies.md, as test/strategies/matrix.py runs them, and its triples.
std::vector<Combination> combinations() {
  const std::vector<std::vector<std::string>> features{
      {"amp"},       {"amp2"}, {"recompute"}, {"acc2"},         {"dp2"},          {"mp2"},
      {"mp2", "sp"}, {"cp2"},  {"ep2"},       {"dp2", "zero1"}, {"dp2", "zero2"}, {"dp2", "zero3"}};
  auto kindOf = [](const std::vector<std::string> &feature) { return feature.back().substr(0, 3); };
  std::vector<Combination> all;
  auto add = [&](const std::vector<std::vector<std::string>> &chosen) {
    std::string text;
    for (const std::vector<std::string> &feature : chosen)
      for (const std::string &component : feature)
        if (("," + text + ",").find("," + component + ",") == std::string::npos)
          text += (text.empty() ? "" : ",") + component;
    bool hasExperts = text.find("ep2") != std::string::npos;
    all.push_back({hasExperts ? std::string(PROA_CASES) + "/training/moe_sgd" : training("gpt_sgd"), text});
  };
  for (size_t i = 0; i < features.size(); ++i)
    for (size_t j = i; j < features.size(); ++j)
      if (i == j || (kindOf(features[i]) != kindOf(features[j])))
        i == j ? add({features[i]}) : add({features[i], features[j]});
  add({{"amp"}, {"dp2"}, {"zero2"}});
  add({{"amp2"}, {"mp2"}, {"recompute"}});
  add({{"dp2"}, {"mp2"}, {"acc2"}});
  add({{"mp2"}, {"sp"}, {"recompute"}});
  add({{"dp2"}, {"ep2"}, {"amp"}});
  add({{"dp2"}, {"cp2"}, {"zero3"}});
  for (const char *stages :
       {"pp2,1f1b,acc2", "pp2,zbv,acc2", "pp2,interleaved2,acc2", "pp2,zbh1,acc2,recompute",
        "pp2,mp2,sp,acc2", "pp2,dp2,zero1,acc2", "pp2,acc2,amp2"})
    all.push_back({training("gpt_sgd"), stages});
  all.push_back({training("mlp_adamw"), "pp2,acc2"});
  all.push_back({training("llama_adamw"), "mp2,sp,recompute"});
  all.push_back({training("mlp_adamw"), "dp2,zero2"});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Matrix, PlannedStepTest, testing::ValuesIn(combinations()));

// Rajbhandari et al. 2020: states are divided by the devices of data parallelism.
TEST(PlannedStatesTest, ZeroDividesStates) {
  auto statesOf = [&](const char *strategy) {
    auto planned = stepOf(training("mlp_adamw"), strategy);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    return static_cast<double>(planned->states);
  };
  double whole = statesOf("dp2");
  EXPECT_NEAR(statesOf("dp2,zero1") / whole, (1 + 2 / 2.0) / 3, 0.05); // a parameter and two moments
  EXPECT_NEAR(statesOf("dp2,zero3") / whole, 0.5, 0.05);
}

// The links are slow: the step takes the time of its messages. One all_reduce of all gradients is one round
// of two devices; mp2 has 8 all_reduces of values of the layers and 3 of the cross entropy
// (docs/dist/strategies.md).
TEST(PlannedTimeTest, CountsTheRoundsOfCollectives) {
  auto collectivesOf = [&](const char *strategy) {
    auto planned = stepOf(training("llama_adamw"), strategy);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    return planned->time.collectives;
  };
  double data = collectivesOf("dp2"), model = collectivesOf("mp2");
  EXPECT_GT(data, 1e-4);
  EXPECT_LT(data, 3e-4);
  EXPECT_GT(model, 8e-4);
  EXPECT_LT(model, 13e-4);
}

// Micro-batches divide the examples of each device, which adds up its gradients: they are reduced once.
// Without latency the loss, which is reduced in each micro-batch, takes no time.
TEST(PlannedTimeTest, GradientsOfMicroBatchesAreReducedOnce) {
  plan::Cluster slow = threadsOfOneMachine(0, 1e6);
  auto timeOf = [&](const char *strategy) {
    auto planned = stepOf(training("mlp_adamw"), strategy, slow);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    return planned->time.collectives;
  };
  EXPECT_NEAR(timeOf("dp2,acc2") / timeOf("dp2"), 1, 0.02);
}

// ZeRO 1 needs a part of each sum: a reduce_scatter, and an all_gather of the updated parameters, with and
// without micro-batches. An all_reduce of float32 would take twice the time of the reduce_scatter.
TEST(PlannedTimeTest, GradientsOfZero1AreScattered) {
  plan::Cluster slow = threadsOfOneMachine(0, 1e6);
  auto timeOf = [&](const char *strategy) {
    auto planned = stepOf(training("mlp_adamw"), strategy, slow);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    return planned->time.collectives;
  };
  double whole = timeOf("dp2");
  EXPECT_NEAR(timeOf("dp2,zero1") / whole, 1, 0.05);
  EXPECT_NEAR(timeOf("dp2,zero1,acc2") / whole, 1, 0.02);
}

// One step of a pipeline on a simulated clock: with 1F1B the idle time of stages with times t is sum(t) -
// max(t) (Narayanan et al. 2021). Times of a micro-batch are the differences of steps of several; the rest is
// the optimizer. Messages take no time; the goal is 10 %.
TEST(PlannedTimeTest, IdleTimeOfStagesIsThatOfTheSchedule) {
  plan::Cluster fast = threadsOfOneMachine(0, 1e15);
  auto stepWith = [&](int64_t parts) {
    auto planned = stepOf(training("mlp_adamw"), "pp2,1f1b,cut4,acc" + std::to_string(parts), fast);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    EXPECT_TRUE(planned->isOfAllRanks);
    return *planned;
  };
  PlannedStep four = stepWith(4), eight = stepWith(8);
  ASSERT_EQ(four.ranks.size(), 2U);
  double stages[2];
  for (size_t rank : {0, 1})
    stages[rank] = (eight.ranks[rank].computation - four.ranks[rank].computation) / 4;
  size_t slow = stages[0] > stages[1] ? 0 : 1;
  for (int64_t microBatches : {2, 4, 8}) {
    PlannedStep step = stepWith(microBatches);
    double expected = step.ranks[slow].computation + stages[1 - slow];
    std::printf("%ld micro-batches: %.1f us, expected %.1f us\n", static_cast<long>(microBatches),
                step.time.total() * 1e6, expected * 1e6);
    EXPECT_NEAR(step.time.total() / expected, 1, 0.1);
  }
}

// Messages of 1 s that take no bandwidth. Keys and values of a layer are gathered at once, and their
// gradients scattered at once: 4 s for two layers. The keys and values of the second layer come while the
// logits are gathered, for which the rank waits; the sum of the gradients has one round between two devices:
// 1 s.
TEST(PlannedTimeTest, StartedCollectivesAreOnTheWayAtOnce) {
  auto planned = stepOf(training("gpt_sgd"), "cp2", threadsOfOneMachine(1, 1e15));
  ASSERT_TRUE(planned) << planned.diagnostics().text();
  EXPECT_NEAR(planned->time.collectives, 5, 0.01);
}

// Messages of 1 s: the activation and its gradient. The learning rate moves before the jobs.
TEST(PlannedTimeTest, WaitsForMessages) {
  auto planned = stepOf(training("mlp_adamw"), "pp2,1f1b,acc1", threadsOfOneMachine(1, 1e15));
  ASSERT_TRUE(planned) << planned.diagnostics().text();
  EXPECT_NEAR(planned->time.waiting, 2, 0.01);
}

TEST(PlannedStatesTest, WrongStrategiesAreErrors) {
  auto planned = stepOf(training("mlp_adamw"), "dp2,zero4");
  ASSERT_FALSE(planned);
  EXPECT_THAT(planned.diagnostics().text(), testing::HasSubstr("unknown component 'zero4'"));
}

} // namespace
} // namespace proa
