#include "lib/compiler/mesh/ModelMesh.h"

#include "lib/base/support/Files.h"
#include "lib/compiler/mesh/MeshCompile.h"
#include "lib/compiler/mesh/PipelineForm.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa {

namespace {

/// Sets options of training that a strategy names, where they are not set.
void applyTraining(const spmd::Strategy &strategy, ModelOptions &options) {
  if (strategy.ampLevel > 0 && !options.amp)
    options.amp = AmpOptions{.level = strategy.ampLevel == 1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2};
  if (strategy.recompute && !options.memoryBudget)
    options.memoryBudget = -1;
  // Of stages, the form of the program decides (PipelineForm.h).
  if (options.microBatches == 1 && strategy.pipeline == 1)
    options.microBatches = strategy.microBatches.value_or(1);
}

} // namespace

Result<std::unique_ptr<ModelMesh>> ModelMesh::open(ModelOptions &options) {
  auto opened = std::make_unique<ModelMesh>();
  MeshOptions given = *options.mesh;
  Diagnostics diagnostics;
  auto mesh = given.axes.empty() ? Result<spmd::Mesh>(spmd::Mesh()) : parseMesh(given.axes);
  diagnostics.append(mesh ? Diagnostics() : mesh.diagnostics());
  if (!given.rings.empty() &&
      (!given.strategy.empty() || options.amp || options.microBatches != 1 || options.memoryBudget))
    diagnostics.add("the process groups",
                    "the program is written for one process; expected no strategy, mixed precision, "
                    "micro-batches or recomputation");
  int64_t devices = mesh && !given.axes.empty() ? mesh->size() : 0; // 0: as in the shardings or the program
  if (mesh && !given.strategy.empty()) {
    auto strategy = spmd::parseStrategy(given.strategy);
    if (strategy && devices > 0)
      strategy = spmd::strategyOnMesh(*strategy, &*mesh);
    diagnostics.append(strategy ? Diagnostics() : strategy.diagnostics());
    if (strategy) {
      applyTraining(*strategy, options);
      // Without axes, sizes may come from the program's mesh.
      auto complete = spmd::strategyOnMesh(*strategy, nullptr);
      if (complete && devices == 0 && complete->mesh().size() > 1)
        devices = complete->mesh().size();
    }
  }
  auto link = given.emulatedLink.empty() ? Result<runtime::EmulatedLink>(runtime::EmulatedLink())
                                         : parseLink(given.emulatedLink);
  diagnostics.append(link ? Diagnostics() : link.diagnostics());
  opened->shardings = given.shardings;
  if (!given.shardings.empty() && !given.shardings.starts_with("{")) {
    auto text = readFile(given.shardings);
    diagnostics.append(text ? Diagnostics() : text.diagnostics());
    opened->shardings = text ? *text : "";
  }
  if (!given.schedule.empty() && given.schedule.find('\n') == std::string::npos) {
    auto text = readFile(given.schedule);
    diagnostics.append(text ? Diagnostics() : text.diagnostics());
    if (given.scheduleName.empty())
      given.scheduleName = given.schedule;
    given.schedule = text ? *text : "";
  }
  if (!diagnostics.empty())
    return diagnostics;
  opened->given = std::move(given);
  opened->link = link ? *link : runtime::EmulatedLink();
  if (opened->given.simulate)
    return opened;
  auto ranks = RankGroup::openProcesses();
  if (!ranks)
    return ranks.diagnostics();
  opened->processes = std::move(*ranks);
  opened->processes->setLink(opened->link);
  if (devices > 0 && devices != opened->processes->size())
    return wrongMeshSize(devices, opened->processes->size());
  return opened;
}

Result<void> ModelMesh::checkDevices(int64_t devicesOfProgram) const {
  if (hasProcesses() && devicesOfProgram > 0 && devicesOfProgram != processes->size())
    return wrongMeshSize(devicesOfProgram, processes->size());
  return {};
}

std::string ModelMesh::key() const {
  return fmt::format("mesh {}|{}|{}|{}|{}|{}|{}", given.axes, given.strategy, given.rings,
                     compiledRank().value_or(-1), given.overlap, shardings, given.schedule);
}

std::optional<int64_t> ModelMesh::compiledRank() const {
  return hasProcesses() ? std::optional(processes->rankOf(0)) : std::nullopt;
}

Result<void> ModelMesh::convertProcessGroups(mlir::ModuleOp module) const {
  return given.rings.empty() ? Result<void>() : proa::convertProcessGroups(module, given);
}

Result<void> ModelMesh::markStages(mlir::ModuleOp module) const { return proa::markStages(module, &given); }

Result<void> ModelMesh::preparePipeline(mlir::ModuleOp module, std::optional<int64_t> &microBatches) const {
  if (isPipelined(module, given))
    return proa::preparePipeline(module, given, microBatches);
  return given.schedule.empty()
             ? Result<void>()
             : errorAt("--schedule",
                       "it orders the stages of a pipeline, expected a strategy with a component ppN");
}

Result<Compilation> ModelMesh::compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                       const CompileOptions &options) const {
  return compileForMesh(std::move(module), options, given, compiledRank());
}

Result<MeshInterface> ModelMesh::distribute(mlir::ModuleOp module, const CompileOptions &options) const {
  Result<std::string> text = distributeOverMesh(module, options, given);
  return text ? readMeshInterface(*module.getContext(), *text) : text.diagnostics();
}

std::shared_ptr<RankGroup> ModelMesh::ranksOfSession(int64_t count) const {
  if (hasProcesses())
    return processes;
  std::shared_ptr<RankGroup> ranks = RankGroup::simulate(count);
  ranks->setLink(link);
  return ranks;
}

Result<void> ModelMesh::agree(const std::string &what, const Result<void> &outcome, uint64_t hash) const {
  return hasProcesses() ? processes->agree(what, outcome, hash) : outcome;
}

void ModelMesh::fail(const Diagnostics &diagnostics) const {
  if (hasProcesses() && !processes->communicator(0)->hasFailed())
    processes->communicator(0)->fail(diagnostics);
}

} // namespace proa
