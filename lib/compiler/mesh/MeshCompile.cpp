#include "lib/compiler/mesh/MeshCompile.h"

#include "lib/base/spmd/Bucket.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Verification.h"
#include "lib/compiler/compile/DescribeTarget.h"
#include "lib/compiler/compile/RemarkReporter.h"
#include "lib/compiler/compile/Target.h"
#include "lib/compiler/mesh/MeshInterface.h"
#include "lib/compiler/mesh/PipelineForm.h"

#include "dialects/dist/Dist.h"
#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/proa/Proa.h"
#include "passes/decompose/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

using namespace mlir;

namespace proa {
namespace {

/// Whether two meshes have a common device. Then ranks of one mesh have different programs, which number
/// collectives that are started, and messages of rings, in different ways.
bool shareDevices(ModuleOp module) {
  llvm::DenseSet<int64_t> devices;
  for (auto op : module.getOps<dist::MeshOp>()) {
    spmd::Mesh mesh = op.getMesh().toMesh();
    for (int64_t position = 0; position < mesh.size(); ++position)
      if (!devices.insert(mesh.deviceAt(position)).second)
        return true;
  }
  return false;
}

spmd::RingUse ringsOf(ModuleOp module, const MeshOptions &mesh) {
  if (shareDevices(module))
    return spmd::RingUse::Never;
  return mesh.strategy.empty() ? spmd::RingUse::ByCost : spmd::parseStrategy(mesh.strategy)->rings;
}

/// Whether the sequence may be split: by a strategy, or by shardings.
bool splitsSequence(const MeshOptions &mesh) {
  return !mesh.shardings.empty() ||
         (!mesh.strategy.empty() && spmd::parseStrategy(mesh.strategy)->context != 1);
}

/// Smaller collectives take less time than it takes to start one.
int64_t leastBytesToOverlap(const DeviceFacts &device) {
  return device.asyncNanoseconds * device.linkBandwidth / 1000;
}

int64_t bucketBytes(const DeviceFacts &device) {
  return std::llround(spmd::bucketBytes(device.linkLatency(), device.linkBytesPerSecond()));
}

/// Compiles the program of each rank, equal ones once.
class RankCompiler {
public:
  /// `ranksHere`: how many ranks this process runs.
  RankCompiler(ModuleOp sharded, CompileOptions given, const MeshOptions &mesh, int64_t ranksHere)
      : sharded(sharded), options(std::move(given)), overlaps(mesh.overlap && !shareDevices(sharded)),
        memoryLimit(mesh.memoryLimit), rings(ringsOf(sharded, mesh)) {
    options.isLocal = true;
    if (options.target == TargetKind::Cuda && options.chip.empty())
      options.ranksShareDevices = ranksShareDevices(ranksHere);
  }

  Result<void> add(int64_t rank) {
    OwningOpRef<ModuleOp> local(sharded.clone());
    if (Result<void> done = partition(*local, rank); !done)
      return done;
    for (auto [i, other] : llvm::enumerate(locals))
      if (OperationEquivalence::isEquivalentTo(*local, *other, OperationEquivalence::IgnoreLocations)) {
        compilation.programOf.push_back(i);
        return {};
      }
    CompileOptions chosen = options;
    if (!options.dumpDirectory.empty())
      chosen.dumpDirectory += "/rank" + std::to_string(rank);
    auto program = compileProgram(OwningOpRef<ModuleOp>(local->clone()), chosen);
    if (!program)
      return program.diagnostics();
    compilation.programOf.push_back(locals.size());
    compilation.programs.push_back(std::move(*program));
    locals.push_back(std::move(local));
    return {};
  }

  Compilation compilation;

private:
  Result<void> partition(ModuleOp module, int64_t rank) {
    if (isLocalForm(module))
      return {};
    CompileOptions silent; // all ranks have the same remarks
    RemarkReporter remarks(module.getContext(), compilation.programOf.empty() ? options : silent);
    DiagnosticCollector diagnostics(module.getContext());
    PassManager pm(module.getContext());
    PartitionOptions partitioning;
    partitioning.rank = rank;
    partitioning.memoryLimit = memoryLimit;
    pm.addPass(createPartition(partitioning));
    // Attention over shards and its gradient gather the same keys, and each has its own products with them.
    pm.addNestedPass<func::FuncOp>(createCSEPass());
    pm.addPass(createSinkReductions());
    // States of ZeRO 1 are split, gradients are whole: each device needs a shard of the reduced ones only.
    SplitAllReduceOptions slices;
    slices.minBytes = std::numeric_limits<int64_t>::max();
    pm.addPass(createSplitAllReduce(slices));
    DecomposeRingsOptions decomposition;
    decomposition.use = rings;
    decomposition.overlaps = overlaps;
    if (rings == spmd::RingUse::Always)
      decomposition.minBytes = 0;
    pm.addPass(createDecomposeRings(decomposition));
    const DeviceFacts &device = targetOf(module).device();
    GatherAtUsesOptions gathers;
    gathers.bucketBytes = std::min<int64_t>(gathers.bucketBytes, bucketBytes(device));
    pm.addPass(createGatherAtUses(gathers));
    // A large bucket waits for the last of its gradients.
    MergeCollectivesOptions merging;
    if (overlaps)
      merging.bucketBytes = std::min<int64_t>(merging.bucketBytes, bucketBytes(device));
    pm.addPass(createMergeCollectives(merging));
    if (overlaps) {
      OverlapCollectivesOptions overlap;
      overlap.minBytes = leastBytesToOverlap(device);
      pm.addPass(createOverlapCollectives(overlap));
    }
    return failed(pm.run(module)) ? Result<void>(diagnostics.take("partitioning failed")) : Result<void>();
  }

  ModuleOp sharded;
  CompileOptions options;
  bool overlaps;
  int64_t memoryLimit;
  spmd::RingUse rings;
  std::vector<OwningOpRef<ModuleOp>> locals; ///< by index of the program
};

/// Whether the mesh has these axes; `axes` is checked before.
bool hasAxes(dist::MeshOp mesh, const std::string &axes) {
  return mesh.getMesh().toMesh().axes == parseMesh(axes)->axes;
}

/// For a strategy that splits nothing, such as "amp,recompute".
void createMeshOfOneDevice(ModuleOp module) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  dist::MeshOp::create(
      builder, module.getLoc(), "mesh",
      dist::MeshAttr::get(module.getContext(), ArrayRef<StringAttr>(), ArrayRef<int64_t>(), {}));
}

/// The axes of the options: given, or the axes of a strategy with all sizes; empty: none.
std::string axesOf(const MeshOptions &mesh) {
  if (!mesh.axes.empty() || mesh.strategy.empty())
    return mesh.axes;
  std::string text;
  if (auto strategy = spmd::strategyOnMesh(*spmd::parseStrategy(mesh.strategy), nullptr))
    for (const spmd::MeshAxis &axis : strategy->mesh().axes)
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

/// Adds the pass for the mesh and the shardings of the options, if they have any. Failure after an error: the
/// module has another mesh.
LogicalResult addAnnotate(PassManager &pm, ModuleOp module, const MeshOptions &mesh) {
  auto own = module.getOps<dist::MeshOp>();
  AnnotateOptions annotations;
  if (own.empty())
    annotations.mesh = axesOf(mesh);
  else if (!mesh.axes.empty() && !hasAxes(*own.begin(), mesh.axes))
    return (*own.begin()).emitError() << "the program has mesh @" << (*own.begin()).getSymName()
                                      << ", which differs from '" << mesh.axes << "'";
  annotations.shardings = mesh.shardings;
  if (!annotations.mesh.empty() || !annotations.shardings.empty())
    pm.addPass(createAnnotate(annotations));
  return success();
}

/// Annotates a module: by a file, then by a strategy, and by open shardings where no argument has any.
LogicalResult annotate(ModuleOp module, const MeshOptions &mesh) {
  PassManager pm(module.getContext());
  auto own = module.getOps<dist::MeshOp>();
  bool hasStages = llvm::range_size(own) > 1;
  if (hasStages && !(mesh.axes.empty() && mesh.strategy.empty()))
    return module.emitError("the program has several meshes; expected no axes and no strategy");
  if (failed(addAnnotate(pm, module, mesh)))
    return failure();
  if (!mesh.strategy.empty()) {
    ApplyStrategyOptions strategy;
    strategy.strategy = mesh.strategy;
    pm.addPass(createApplyStrategy(strategy));
  }
  if (failed(pm.run(module)))
    return failure();
  if (!mesh.strategy.empty() && module.getOps<dist::MeshOp>().empty())
    createMeshOfOneDevice(module);
  auto meshes = module.getOps<dist::MeshOp>();
  if (meshes.empty())
    return module.emitError("the program has no mesh; give its axes, shardings or a strategy");
  if (hasStages)
    return success();
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto symbol = FlatSymbolRefAttr::get((*meshes.begin()).getSymNameAttr());
  auto open = dist::DimShardingAttr::get(module.getContext(), {}, /*isClosed=*/false, /*priority=*/0, {});
  dist::InterfaceAttributes attributes(main);
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned i = argument.getArgNumber();
    if (!type || main.getArgAttr(i, dist::shardingAttribute))
      continue;
    llvm::SmallVector<dist::DimShardingAttr> dims(type.getRank(), open);
    attributes.setArgument(i, dist::shardingAttribute,
                           dist::ShardingAttr::get(module.getContext(), symbol, dims, {}, {}));
  }
  attributes.apply();
  return success();
}

/// Brings the program of a single device into its sharded form.
Result<void> shard(ModuleOp module, const CompileOptions &options, const MeshOptions &mesh) {
  if (isLocalForm(module))
    return {};
  RemarkReporter remarks(module.getContext(), options);
  WarningReporter warnings(module.getContext(), options);
  DiagnosticCollector diagnostics(module.getContext());
  PassManager program(module.getContext()), propagation(module.getContext());
  program.enableVerifier(verifiesPasses());
  buildProgramPipeline(program, options);
  // Statistics over a split batch become partial sums.
  program.addNestedPass<func::FuncOp>(createFoldBatchNorm());
  DecomposeOptions statistics;
  statistics.only = {"pd.batch_norm", "pd.mean"};
  program.addPass(createDecompose(statistics));
  program.addNestedPass<func::FuncOp>(createCanonicalizeProgram());
  if (splitsSequence(mesh))
    program.addNestedPass<func::FuncOp>(createFormAttention());
  PropagateOptions limits;
  limits.memoryLimit = mesh.memoryLimit;
  propagation.addPass(createPropagate(limits));
  ChooseRingsOptions rings;
  rings.use = ringsOf(module, mesh);
  rings.overlaps = mesh.overlap;
  propagation.addPass(createChooseRings(rings));
  if (isPipelined(module, mesh))
    propagation.addPass(createPipelineStages(pipelineOptionsOf(mesh)));
  if (failed(program.run(module)) || failed(annotate(module, mesh)) || failed(propagation.run(module)))
    return diagnostics.take("distribution failed");
  return {};
}

} // namespace

Result<spmd::Mesh> parseMesh(const std::string &text) {
  spmd::Mesh mesh;
  llvm::SmallVector<llvm::StringRef> entries;
  llvm::StringRef(text).split(entries, ',');
  constexpr int64_t most = 1 << 24;
  for (llvm::StringRef entry : entries) {
    auto [name, size] = entry.split('=');
    int64_t count = 0;
    if (name.empty() || size.getAsInteger(10, count) || count < 1 || count > most ||
        mesh.size() * count > most)
      return errorAt("the mesh", fmt::format("found '{}', expected axes and sizes such as dp=2,mp=4, with at "
                                             "most {} devices",
                                             text, most));
    if (mesh.indexOf(std::string_view(name.data(), name.size())))
      return errorAt("the mesh", fmt::format("axis '{}' occurs twice in '{}'", name.str(), text));
    mesh.axes.push_back({name.str(), count});
  }
  return mesh;
}

/// A positive number before one of these units.
static std::optional<double> valueBefore(llvm::StringRef text,
                                         std::initializer_list<std::pair<llvm::StringRef, double>> units) {
  for (auto [unit, factor] : units) {
    llvm::StringRef digits = text;
    double value = 0;
    if (digits.consume_back(unit) && !digits.getAsDouble(value) && value > 0 && std::isfinite(value * factor))
      return value * factor;
  }
  return std::nullopt;
}

Result<runtime::EmulatedLink> parseLink(const std::string &text) {
  auto [latency, bandwidth] = llvm::StringRef(text).split(',');
  auto seconds = valueBefore(latency, {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}});
  auto bytes = valueBefore(bandwidth, {{"MB/s", 1e6}, {"GB/s", 1e9}});
  if (!seconds || !bytes)
    return errorAt("the emulated link",
                   fmt::format("found '{}', expected latency and bandwidth such as 20us,1GB/s", text));
  return runtime::EmulatedLink{*seconds, *bytes};
}

Diagnostics wrongMeshSize(int64_t devices, int64_t processes) {
  std::string others =
      processes > devices ? fmt::format(", of which {} belong to no mesh", processes - devices) : "";
  return errorAt("the mesh", fmt::format("it has {} devices, but {} processes run{}; expected mpirun -n {}, "
                                         "or simulated ranks (--simulate-mesh)",
                                         devices, processes, others, devices));
}

Result<void> convertProcessGroups(ModuleOp module, const MeshOptions &mesh) {
  DiagnosticCollector diagnostics(module->getContext());
  PassManager pm(module->getContext());
  FromProcessGroupsOptions groups;
  if (mesh.rings != "auto")
    for (llvm::StringRef entry : llvm::split(mesh.rings, ','))
      groups.rings.push_back(entry.str());
  groups.expand = true;
  LogicalResult annotated = addAnnotate(pm, module, mesh);
  pm.addPass(createFromProcessGroups(groups));
  if (failed(annotated) || failed(pm.run(module)))
    return diagnostics.take("the process groups have no form on the mesh");
  return {};
}

Result<std::string> distributeOverMesh(ModuleOp module, const CompileOptions &options,
                                       const MeshOptions &mesh) {
  if (Result<void> described = describeTarget(module, options); !described)
    return described.diagnostics();
  if (Result<void> written = dumpStage(module, options.dumpDirectory, "0-imported"); !written)
    return written.diagnostics();
  if (Result<void> done = shard(module, options, mesh); !done)
    return done.diagnostics();
  if (Result<void> written = dumpStage(module, options.dumpDirectory, "1-sharded"); !written)
    return written.diagnostics();
  return meshInterfaceText(module);
}

Result<Compilation> compileForMesh(OwningOpRef<ModuleOp> module, const CompileOptions &options,
                                   const MeshOptions &mesh, std::optional<int64_t> rank) {
  auto text = distributeOverMesh(*module, options, mesh);
  auto interface = text ? readMeshInterface(*module->getContext(), *text) : text.diagnostics();
  if (!interface)
    return interface.diagnostics();
  // A rank that is not a device of a mesh would not take part when a variable leaves the store.
  if (options.offload && interface->meshes.size() > 1)
    return errorAt("offload", "the program has several meshes; expected one where states are offloaded");
  RankCompiler compiler(*module, options, mesh, rank ? 1 : interface->rankCount());
  for (int64_t r = rank.value_or(0); r < (rank ? *rank + 1 : interface->rankCount()); ++r)
    if (Result<void> added = compiler.add(r); !added)
      return added.diagnostics();
  compiler.compilation.interface = std::move(*text);
  return std::move(compiler.compilation);
}

} // namespace proa
