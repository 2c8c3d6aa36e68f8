#include "lib/compiler/mesh/ModelMesh.h"

#include "lib/compiler/mesh/EqualValues.h"
#include "lib/compiler/mesh/MeshCompile.h"
#include "lib/runtime/Random.h"
#include "lib/runtime/ThreadPool.h"
#include "lib/support/Files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace proa {

namespace {

/// Sets options of training that a strategy names, where they are not set.
void applyTraining(const spmd::Strategy &strategy, ModelOptions &options) {
  if (strategy.ampLevel > 0 && !options.amp)
    options.amp = AmpOptions{.level = strategy.ampLevel == 1 ? AmpOptions::Level::O1 : AmpOptions::Level::O2};
  if (strategy.recompute && !options.memoryBudget)
    options.memoryBudget = -1;
  if (strategy.microBatches > 1 && options.microBatches == 1)
    options.microBatches = strategy.microBatches;
}

} // namespace

Result<std::unique_ptr<ModelMesh>> ModelMesh::open(ModelOptions &options,
                                                   std::map<std::string, Tensor> &whole) {
  auto opened = std::make_unique<ModelMesh>();
  opened->whole = &whole;
  MeshOptions given = *options.mesh;
  Diagnostics diagnostics;
  auto mesh = given.axes.empty() ? Result<spmd::Mesh>(spmd::Mesh()) : parseMesh(given.axes);
  diagnostics.append(mesh ? Diagnostics() : mesh.diagnostics());
  if (!given.rings.empty() &&
      (!given.strategy.empty() || options.amp || options.microBatches != 1 || options.memoryBudget))
    diagnostics.add("the rings", "the program is that of one process; expected no strategy, mixed precision, "
                                 "micro-batches or recomputation");
  int64_t devices = mesh && !given.axes.empty() ? mesh->size() : 0; // 0: those of shardings or of the program
  if (mesh && !given.strategy.empty()) {
    auto strategy = spmd::parseStrategy(given.strategy);
    if (strategy && devices > 0)
      strategy = spmd::strategyOnMesh(*strategy, &*mesh);
    diagnostics.append(strategy ? Diagnostics() : strategy.diagnostics());
    if (strategy) {
      applyTraining(*strategy, options);
      // Without axes, sizes may be those of the program's mesh.
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
  if (!diagnostics.empty())
    return diagnostics;
  opened->given = std::move(given);
  opened->link = link ? *link : runtime::EmulatedLink();
  if (opened->given.simulate)
    return opened;
  auto ranks = RankGroup::openProcesses();
  if (!ranks)
    return ranks.diagnostics();
  opened->ranks = std::move(*ranks);
  opened->ranks->setLink(opened->link);
  if (devices > 0 && devices != opened->ranks->size())
    return wrongMeshSize(devices, opened->ranks->size());
  return opened;
}

Result<void> ModelMesh::checkDevices(int64_t devicesOfProgram) const {
  if (processes() && devicesOfProgram > 0 && devicesOfProgram != ranks->size())
    return wrongMeshSize(devicesOfProgram, ranks->size());
  return {};
}

std::string ModelMesh::key() const {
  return fmt::format("mesh {}|{}|{}|{}|{}|{}", given.axes, given.strategy, given.rings,
                     compiledRank().value_or(-1), given.overlap, shardings);
}

std::optional<int64_t> ModelMesh::compiledRank() const {
  return processes() ? std::optional(ranks->rankOf(0)) : std::nullopt;
}

Result<void> ModelMesh::convertRings(mlir::ModuleOp module) const {
  return given.rings.empty() ? Result<void>() : proa::convertRings(module, given);
}

Result<Compilation> ModelMesh::compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                       const CompileOptions &options) const {
  return compileForMesh(std::move(module), options, given, compiledRank());
}

Result<std::unique_ptr<MeshProgram>> ModelMesh::load(Compilation compilation, mlir::MLIRContext &context,
                                                     const std::string &name, const ModelOptions &options,
                                                     int threads) {
  auto interface = readMeshInterface(context, compilation.interface);
  if (!interface)
    return interface.diagnostics();
  if (processes() && interface->rankCount() != ranks->size())
    return wrongMeshSize(interface->rankCount(), ranks->size());
  if (!ranks)
    ranks = RankGroup::simulate(interface->rankCount());
  ranks->setLink(link);
  if (!distributed)
    distributed = std::make_unique<MeshValues>(*ranks, *whole);
  while (generators.size() < ranks->count())
    generators.push_back(std::make_shared<runtime::RandomGenerator>(options.seed));
  runtime::setThreads(threadsOfRank(threads));
  auto program = MeshProgram::load(std::move(compilation), *interface, *ranks, name);
  if (!program)
    return program;
  if (Result<void> bound = bind(**program, *interface, name, options); !bound)
    return bound.diagnostics();
  return program;
}

Result<void> ModelMesh::bind(MeshProgram &program, const MeshInterface &interface, const std::string &name,
                             const ModelOptions &options) {
  bool compares = processes() && ranks->size() > 1;
  ValueHashes hashes;
  std::vector<std::string> parameters;
  if (compares)
    for (const auto &[variable, type] : interface.arguments)
      if (auto found = whole->find(variable); found != whole->end()) {
        hashes.addWhole("parameter '" + variable + "'", found->second);
        parameters.push_back(variable);
      }
  if (Result<void> bound = program.bind(*distributed, options.checkFinite, generators); !bound || !compares)
    return bound;
  hashes.add("the seed", options.seed);
  for (const std::string &variable : parameters)
    if (const ShardedTensor *part = distributed->find(variable))
      hashes.addPart("parameter '" + variable + "'", *part, ranks->rankOf(0));
  return hashes.compare(*ranks, name);
}

Result<void> ModelMesh::compareFeeds(const std::map<std::string, Tensor> &feeds, const std::string &name) {
  if (!processes() || ranks->size() == 1 || std::exchange(hasComparedFeeds, true))
    return {};
  ValueHashes hashes;
  for (const auto &[feed, tensor] : feeds)
    hashes.addWhole("feed '" + feed + "'", tensor);
  return hashes.compare(*ranks, name);
}

int ModelMesh::threadsOfRank(int threads) const {
  size_t count = ranks ? ranks->count() : 1;
  return std::max(1, threads / static_cast<int>(count));
}

Result<void> ModelMesh::agree(const std::string &what, const Result<void> &outcome, uint64_t hash) {
  return processes() ? ranks->agree(what, outcome, hash) : outcome;
}

void ModelMesh::fail(const Diagnostics &diagnostics) {
  if (processes() && !ranks->communicator(0)->hasFailed())
    ranks->communicator(0)->fail(diagnostics);
}

const ShardedTensor *ModelMesh::find(const std::string &name) const {
  return distributed ? distributed->find(name) : nullptr;
}

Result<Tensor> ModelMesh::gather(const ShardedTensor &value, const std::string &name) const {
  return proa::gather(*ranks, value, name);
}

Result<void> ModelMesh::gatherAll() { return distributed ? distributed->gatherAll() : Result<void>(); }

void ModelMesh::forget(const std::string &name) {
  if (distributed)
    distributed->forget(name);
}

} // namespace proa
