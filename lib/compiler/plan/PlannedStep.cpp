#include "lib/compiler/plan/PlannedStep.h"

#include "lib/base/spmd/Strategy.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/mesh/MeshCompile.h"
#include "lib/compiler/mesh/PipelineForm.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/autodiff/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace proa {
namespace {

/// Ranks whose programs are lowered: the first ones have the larger shards of uneven dims.
constexpr int64_t mostRanks = 8;

int64_t bytesOf(const runtime::Value &value) {
  auto bytes = static_cast<int64_t>(sizeOf(value.dtype));
  for (int64_t dim : value.dims)
    bytes *= std::max<int64_t>(dim, 1);
  return bytes;
}

PlannedStep memoryOf(const runtime::Plan &plan, const std::set<std::string> &states) {
  PlannedStep memory{.arena = plan.arenaBytes};
  for (runtime::ValueId id : plan.parameters)
    memory.states += bytesOf(plan.values[static_cast<size_t>(id)]);
  for (runtime::ValueId id : plan.feeds) // states that a run changes are fed
    if (const runtime::Value &value = plan.values[static_cast<size_t>(id)]; states.contains(value.name))
      memory.states += bytesOf(value);
  return memory;
}

Result<void> accumulateMicroBatches(ModuleOp module, int64_t microBatches) {
  DiagnosticCollector diagnostics(module.getContext());
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto accumulated = autodiff::accumulate(main, "accumulated", microBatches);
  if (failed(accumulated))
    return diagnostics.take("the program has no micro-batches");
  main.erase();
  accumulated->setName("main");
  return {};
}

std::set<std::string> statesOf(ModuleOp module) {
  std::set<std::string> names;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto name = main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute))
      names.insert(name.str());
  return names;
}

/// The times of all ranks, or of the one that was compiled.
std::vector<RankTime> timesOf(const Compilation &compiled, const plan::Cluster &cluster, int64_t trips,
                              bool isOfAllRanks) {
  if (!isOfAllRanks)
    return {timeOfRank(compiled.programs.front().plan, cluster, 0, trips)};
  std::vector<const runtime::Plan *> plans;
  for (size_t program : compiled.programOf)
    plans.push_back(&compiled.programs[program].plan);
  return timesOfRanks(plans, cluster, trips);
}

CompileOptions optionsOf(const spmd::Strategy &strategy, const PlannedStepOptions &chosen) {
  CompileOptions options;
  options.plansOnly = true;
  options.memoryBudget = chosen.memoryBudget;
  options.targetFacts = chosen.targetFacts;
  if (strategy.recompute && !chosen.memoryBudget)
    options.memoryBudget = -1;
  if (strategy.ampLevel > 0)
    options.amp = AmpOptions{.level = strategy.ampLevel == 1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2};
  else if (chosen.is16Bit)
    options.amp = AmpOptions{.level = AmpOptions::Level::O2, .dtype = DType::BFloat16};
  return options;
}

} // namespace

Result<PlannedStep> plannedStep(ModuleOp module, const std::string &text, const plan::Cluster &cluster,
                                const PlannedStepOptions &options) {
  auto parsed = spmd::parseStrategy(text);
  auto strategy = parsed ? spmd::strategyOnMesh(*parsed, nullptr) : parsed;
  if (!strategy)
    return strategy.diagnostics();
  OwningOpRef<ModuleOp> copy(module.clone());
  MeshOptions mesh;
  mesh.strategy = text;
  mesh.schedule = options.schedule;
  mesh.simulate = true;
  std::optional<int64_t> microBatches = strategy->microBatches;
  if (Result<void> marked = markStages(*copy, &mesh); !marked)
    return marked.diagnostics();
  bool hasStages = isPipelined(*copy, mesh);
  if (hasStages)
    if (Result<void> formed = preparePipeline(*copy, mesh, microBatches); !formed)
      return formed.diagnostics();
  if (microBatches.value_or(1) > 1 || hasStages)
    if (Result<void> done = accumulateMicroBatches(*copy, microBatches.value_or(1)); !done)
      return done.diagnostics();
  std::set<std::string> states = statesOf(*copy);
  std::optional<int64_t> rank;
  if (strategy->mesh().size() > mostRanks)
    rank = 0;
  auto compiled = compileForMesh(std::move(copy), optionsOf(*strategy, options), mesh, rank);
  if (!compiled)
    return compiled.diagnostics();
  PlannedStep most;
  for (const auto &program : compiled->programs)
    if (PlannedStep own = memoryOf(program.plan, states); own.total() > most.total())
      most = own;
  most.isOfAllRanks = !rank;
  for (size_t program : most.isOfAllRanks ? compiled->programOf : std::vector<size_t>{0})
    most.arenas.push_back(compiled->programs[program].plan.arenaBytes);
  int64_t trips = hasStages ? 1 : microBatches.value_or(1);
  most.ranks = timesOf(*compiled, cluster, trips, most.isOfAllRanks);
  for (const RankTime &time : most.ranks)
    if (time.total() > most.time.total())
      most.time = time;
  return most;
}

} // namespace proa
