//! Training programs of the corpus under strategies: the first step on simulated ranks, by the reference
//! evaluator in float64, against the single-device program. Losses, parameters and states are compared.
//! PROA_STRATEGY=dp2,zero1 runs one strategy, PROA_PROGRAM=gpt programs whose name contains the value.
#include "test/unit/gradient/CorpusCase.h"
#include "test/unit/partition/SimulatedRanks.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/compiler/compile/Registration.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

using namespace mlir;

namespace proa::test {
namespace {

constexpr const char *gradients = "pd-decompose{only=pd.vjp},pd-refine-shapes,func.func(pd-canonicalize,cse)";

/// Strategies of at most four ranks.
constexpr const char *strategies[] = {
    "dp2",       "mp2",       "cp2",     "dp3",        "dp2,mp2", "mp2,sp",        "dp2,zero1",
    "dp2,zero2", "dp2,zero3", "dp2,cp2", "dp2,mp2,sp", "mp2,cp2", "dp2,mp2,zero2", "dp2,mp2,sp,zero3"};

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> programs() {
  std::vector<std::string> found;
  for (const auto &entry : std::filesystem::directory_iterator(PROA_CORPUS_DIR "/training"))
    if (std::string name = entry.path().filename();
        name.find(environment("PROA_PROGRAM")) != std::string::npos)
      found.push_back(name);
  std::sort(found.begin(), found.end());
  return found;
}

class StrategiesTest : public testing::TestWithParam<std::string> {
protected:
  StrategiesTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllPasses();
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }

  OwningOpRef<ModuleOp> transformed(ModuleOp module, const std::string &pipeline) {
    OwningOpRef<ModuleOp> clone = module.clone();
    PassManager pm(context.get());
    if (failed(parsePassPipeline(pipeline, pm)) || failed(pm.run(*clone)))
      return {};
    return clone;
  }

  void check(ModuleOp global, const Case &program, const std::vector<Tensor> &expected,
             const std::string &strategy);
  void compare(func::FuncOp main, const spmd::Mesh &mesh, const std::vector<Locals> &actual,
               const std::vector<Tensor> &expected);

  std::unique_ptr<MLIRContext> context;
};

void StrategiesTest::check(ModuleOp global, const Case &program, const std::vector<Tensor> &expected,
                           const std::string &strategy) {
  auto sharded = transformed(global, "dist-apply-strategy{strategy=" + strategy + "},dist-propagate");
  ASSERT_TRUE(sharded);
  auto meshes = sharded->getOps<dist::MeshOp>();
  spmd::Mesh mesh = (*meshes.begin()).getMesh().toMesh();
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<func::FuncOp> mains;
  std::vector<std::vector<Tensor>> arguments(mesh.size());
  auto whole = sharded->lookupSymbol<func::FuncOp>("main");
  for (int64_t position = 0; position < mesh.size(); ++position) {
    modules.push_back(transformed(*sharded, "dist-partition{rank=" + std::to_string(position) + "}"));
    ASSERT_TRUE(modules.back());
    mains.push_back(modules.back()->lookupSymbol<func::FuncOp>("main"));
    for (auto [i, tensor] : llvm::enumerate(program.arguments)) {
      auto sharding = whole.getArgAttrOfType<dist::ShardingAttr>(i, dist::shardingAttribute);
      arguments[position].push_back(shardAt(mesh, dist::placementOf(sharding, mesh), tensor, position));
    }
  }
  auto actual = runOnRanks(mesh, mains, arguments);
  ASSERT_TRUE(actual) << actual.diagnostics().text();
  compare(whole, mesh, *actual, expected);
}

void StrategiesTest::compare(func::FuncOp main, const spmd::Mesh &mesh, const std::vector<Locals> &actual,
                             const std::vector<Tensor> &expected) {
  constexpr double tolerance = 1e-7;
  for (auto [index, tensor, locals] : llvm::enumerate(expected, actual)) {
    auto sharding = main.getResultAttrOfType<dist::ShardingAttr>(index, dist::shardingAttribute);
    spmd::Placement replicated{std::vector<spmd::DimPlacement>(tensor.dims().size())};
    auto joined = moved(mesh, dist::placementOf(sharding, mesh), replicated, tensor.dims(), locals, 0);
    ASSERT_TRUE(joined) << joined.diagnostics().text();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double value = pd::loadScalar(tensor, i).real();
      ASSERT_NEAR(pd::loadScalar(*joined, i).real(), value, tolerance * (1 + std::abs(value)))
          << "result " << index << ", element " << i;
    }
  }
}

TEST_P(StrategiesTest, GiveTheResultsOfOneDevice) {
  auto program = trainingCaseAt(PROA_CORPUS_DIR "/training/" + GetParam());
  ASSERT_TRUE(program) << "not converted to float64";
  auto parsed = parseSourceString<ModuleOp>(program->text, context.get());
  ASSERT_TRUE(parsed);
  auto global = transformed(*parsed, gradients);
  ASSERT_TRUE(global);
  auto expected = runGlobal(global->lookupSymbol<func::FuncOp>("main"), program->arguments);
  ASSERT_TRUE(expected) << expected.diagnostics().text();
  std::string only = environment("PROA_STRATEGY");
  for (const char *strategy : strategies)
    if (only.empty() || only == strategy) {
      SCOPED_TRACE(strategy);
      check(*global, *program, *expected, strategy);
    }
}

INSTANTIATE_TEST_SUITE_P(Training, StrategiesTest, testing::ValuesIn(programs()),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace proa::test
