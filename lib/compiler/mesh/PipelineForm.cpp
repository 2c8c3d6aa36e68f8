#include "lib/compiler/mesh/PipelineForm.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Text.h"
#include "lib/base/spmd/Strategy.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/compiler/mesh/MeshCompile.h"

#include "dialects/dist/Schedule.h"
#include "dialects/dist/StageMark.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/autodiff/BackwardRegion.h"
#include "passes/decompose/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>

using namespace mlir;

namespace proa {
namespace {

spmd::Strategy strategyOf(const MeshOptions &mesh) {
  return mesh.strategy.empty() ? spmd::Strategy() : *spmd::parseStrategy(mesh.strategy);
}

/// The strategy with the sizes of the mesh of the options or of the module.
spmd::Strategy completeStrategyOf(ModuleOp module, const MeshOptions &mesh) {
  spmd::Strategy strategy = strategyOf(mesh);
  std::optional<spmd::Mesh> own;
  if (!mesh.axes.empty())
    own = *parseMesh(mesh.axes);
  else if (auto meshes = module.getOps<dist::MeshOp>(); !meshes.empty())
    own = (*meshes.begin()).getMesh().toMesh();
  auto complete = spmd::strategyOnMesh(strategy, own ? &*own : nullptr);
  return complete ? *complete : strategy;
}

/// Examples of the feeds; none if a feed has a dynamic count.
std::optional<int64_t> batchOf(func::FuncOp main) {
  std::optional<int64_t> batch;
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!main.getArgAttr(argument.getArgNumber(), pd::feedAttribute) || !type || type.getRank() == 0)
      continue;
    if (type.isDynamicDim(0))
      return std::nullopt;
    batch = std::min(batch.value_or(type.getDimSize(0)), type.getDimSize(0));
  }
  return batch;
}

int64_t defaultMicroBatches(func::FuncOp main, const spmd::Strategy &strategy) {
  int64_t most = 2 * std::max<int64_t>(strategy.pipeline, 1);
  std::optional<int64_t> batch = batchOf(main);
  if (!batch)
    return most;
  int64_t ways = std::max<int64_t>(strategy.data, 1) * std::max<int64_t>(strategy.expert, 1);
  for (int64_t count = most; count > 1; --count)
    if (*batch % (count * ways) == 0)
      return count;
  return 1;
}

/// Puts the schedule of the options into the module.
Result<void> addSchedule(ModuleOp module, const MeshOptions &mesh, const spmd::Strategy &strategy) {
  if (mesh.schedule.empty())
    return {};
  constexpr const char *option = "--schedule";
  std::string name = mesh.scheduleName.empty() ? option : mesh.scheduleName;
  auto schedule = pipeline::parseSchedule(mesh.schedule, name);
  if (!schedule)
    return schedule.diagnostics();
  if (strategy.schedule.value_or(pipeline::ScheduleKind::Automatic) != pipeline::ScheduleKind::Automatic)
    return errorAt(option, fmt::format("the strategy has the schedule '{}' too, expected one of them",
                                       pipeline::nameOf(*strategy.schedule)));
  if (!module.getOps<dist::ScheduleOp>().empty())
    return errorAt(option, "the program has a schedule too (dist.schedule), expected one of them");
  if (Diagnostics errors = pipeline::check(*schedule, {.name = name}); !errors.empty())
    return errors;
  module.getContext()->loadDialect<dist::DistDialect>();
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  dist::ScheduleOp::create(builder, UnknownLoc::get(module.getContext()), "given_schedule", *schedule);
  return {};
}

} // namespace

bool isPipelined(ModuleOp module, const MeshOptions &mesh) {
  return !module.getOps<dist::ScheduleOp>().empty() || strategyOf(mesh).pipeline != 1;
}

Result<void> markStages(ModuleOp module, const MeshOptions *mesh) {
  bool hasStages = mesh && isPipelined(module, *mesh);
  std::vector<int64_t> cuts = hasStages ? strategyOf(*mesh).cuts : std::vector<int64_t>();
  Block &block = module.lookupSymbol<func::FuncOp>("main").getBody().front();
  auto count = static_cast<int64_t>(block.getOperations().size());
  if (!cuts.empty() && cuts.back() >= count)
    return errorAt("--strategy",
                   fmt::format("a stage begins with op {}, but the program has {} ops: expected the "
                               "program of the plan",
                               cuts.back(), count));
  DiagnosticCollector diagnostics(module.getContext());
  bool isConsistent = true;
  for (auto [index, op] : llvm::enumerate(block.without_terminator())) {
    std::optional<int64_t> stage;
    if (!cuts.empty())
      stage = std::ranges::upper_bound(cuts, static_cast<int64_t>(index)) - cuts.begin();
    if (auto given = op.getAttrOfType<IntegerAttr>(dist::stageAttribute)) {
      if (stage && *stage != given.getInt()) {
        op.emitError() << "is given stage " << given.getInt()
                       << ", but the cuts of the strategy put it on stage " << *stage;
        isConsistent = false;
      }
      stage = given.getInt();
      op.removeAttr(dist::stageAttribute);
    }
    if (hasStages && stage)
      op.setLoc(dist::withStage(op.getLoc(), *stage));
  }
  return isConsistent ? Result<void>() : diagnostics.take("the stages contradict each other");
}

Result<void> preparePipeline(ModuleOp module, const MeshOptions &mesh, std::optional<int64_t> &microBatches) {
  DiagnosticCollector diagnostics(module.getContext());
  // pd.vjp of checkpoints appear with their decomposition only.
  DecomposeOptions checkpoints;
  checkpoints.only = {"pd.checkpoint"};
  PassManager pm(module.getContext());
  pm.addPass(createDecompose(checkpoints));
  if (failed(pm.run(module)))
    return diagnostics.take("the program has no form on the stages of a pipeline");
  auto main = module.lookupSymbol<func::FuncOp>("main");
  llvm::SetVector<Value> seeds = autodiff::findBackwardRegion(main.getBody().front()).seeds;
  if (seeds.empty())
    return errorAt("--strategy",
                   "the program has no gradients; the stages of a pipeline (pp) need a training program");
  autodiff::markSeeds(seeds);
  spmd::Strategy strategy = completeStrategyOf(module, mesh);
  if (Result<void> added = addSchedule(module, mesh, strategy); !added)
    return added;
  auto schedules = module.getOps<dist::ScheduleOp>();
  if (strategy.microBatches)
    microBatches = strategy.microBatches;
  else if (!microBatches && !schedules.empty())
    microBatches = static_cast<int64_t>((*schedules.begin()).getMicrobatches());
  else if (!microBatches)
    microBatches = defaultMicroBatches(main, strategy);
  return {};
}

PipelineStagesOptions pipelineOptionsOf(const MeshOptions &mesh) {
  spmd::Strategy strategy = strategyOf(mesh);
  PipelineStagesOptions options;
  if (!mesh.schedule.empty())
    return options;
  options.schedule = strategy.schedule ? choiceOf(*strategy.schedule) : ScheduleChoice::OfProgram;
  options.chunks = strategy.chunks;
  options.memory = static_cast<int64_t>(strategy.memory.value_or(0));
  return options;
}

} // namespace proa
