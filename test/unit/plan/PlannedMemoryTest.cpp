#include "lib/compiler/plan/PlannedMemory.h"
#include "lib/compiler/plan/ImportedProgram.h"
#include "proa/Model.h"
#include "translator/params/ModelMeta.h"
#include "translator/params/ModelTensors.h"
#include "translator/params/Safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace proa {
namespace {

/// The arena of the same program in a session.
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

struct Combination {
  const char *program, *strategy;
  friend void PrintTo(const Combination &value, std::ostream *stream) {
    *stream << value.program << " " << value.strategy;
  }
};

class PlannedMemoryTest : public testing::TestWithParam<Combination> {};

TEST_P(PlannedMemoryTest, IsThatOfASession) {
  std::string path = std::string(PROA_CORPUS) + "/training/" + GetParam().program;
  auto program = importProgram(path, {});
  ASSERT_TRUE(program) << program.diagnostics().text();
  auto planned = plannedMemory(*program->module, GetParam().strategy);
  ASSERT_TRUE(planned) << planned.diagnostics().text();
  auto expected = arenaOf(path, GetParam().strategy);
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  EXPECT_NEAR(static_cast<double>(planned->arena) / static_cast<double>(*expected), 1, 0.02);
  EXPECT_GT(planned->states, 0);
}

// The strategies of docs/strategies.md.
INSTANTIATE_TEST_SUITE_P(
    Matrix, PlannedMemoryTest,
    testing::Values(Combination{"gpt_sgd", "amp"}, Combination{"gpt_sgd", "amp2"},
                    Combination{"gpt_sgd", "recompute"}, Combination{"gpt_sgd", "acc2"},
                    Combination{"gpt_sgd", "dp2"}, Combination{"gpt_sgd", "mp2"},
                    Combination{"gpt_sgd", "mp2,sp"}, Combination{"gpt_sgd", "cp2"},
                    Combination{"mlp_adamw", "dp2,zero1"}, Combination{"mlp_adamw", "dp2,zero2"},
                    Combination{"gpt_sgd", "dp2,zero3"}, Combination{"gpt_sgd", "amp,dp2,zero2"},
                    Combination{"gpt_sgd", "dp2,mp2,acc2"}, Combination{"llama_adamw", "mp2,sp,recompute"}));

// Rajbhandari et al. 2020: states are divided by the devices of data parallelism.
TEST(PlannedStatesTest, ZeroDividesStates) {
  auto program = importProgram(std::string(PROA_CORPUS) + "/training/mlp_adamw", {});
  ASSERT_TRUE(program) << program.diagnostics().text();
  auto statesOf = [&](const char *strategy) {
    auto planned = plannedMemory(*program->module, strategy);
    EXPECT_TRUE(planned) << planned.diagnostics().text();
    return static_cast<double>(planned->states);
  };
  double whole = statesOf("dp2");
  EXPECT_NEAR(statesOf("dp2,zero1") / whole, (1 + 2 / 2.0) / 3, 0.05); // a parameter and two moments
  EXPECT_NEAR(statesOf("dp2,zero3") / whole, 0.5, 0.05);
}

TEST(PlannedStatesTest, WrongStrategiesAreErrors) {
  auto program = importProgram(std::string(PROA_CORPUS) + "/training/mlp_adamw", {});
  ASSERT_TRUE(program) << program.diagnostics().text();
  auto planned = plannedMemory(*program->module, "dp2,zero4");
  ASSERT_FALSE(planned);
  EXPECT_THAT(planned.diagnostics().text(), testing::HasSubstr("unknown part 'zero4'"));
}

} // namespace
} // namespace proa
