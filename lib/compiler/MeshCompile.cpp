#include "lib/compiler/MeshCompile.h"

#include "lib/compiler/MeshInterface.h"
#include "lib/compiler/RemarkReporter.h"
#include "lib/runtime/Collective.h"
#include "lib/support/DiagnosticCollector.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/decompose/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {
namespace {

/// Compiles the program of each rank, equal ones once.
class RankCompiler {
public:
  RankCompiler(ModuleOp sharded, CompileOptions given) : sharded(sharded), options(std::move(given)) {
    options.isLocal = true;
  }

  Result<void> add(int64_t rank, int64_t position) {
    OwningOpRef<ModuleOp> local(sharded.clone());
    if (Result<void> done = partition(*local, position); !done)
      return done;
    for (auto [i, other] : llvm::enumerate(locals))
      if (OperationEquivalence::isEquivalentTo(*local, *other, OperationEquivalence::IgnoreLocations)) {
        compilation.programOf.push_back(i);
        return {};
      }
    CompileOptions chosen = options;
    if (!options.dumpDirectory.empty())
      chosen.dumpDirectory += "/rank" + std::to_string(rank);
    auto program = compileForCpu(OwningOpRef<ModuleOp>(local->clone()), chosen);
    if (!program)
      return program.diagnostics();
    compilation.programOf.push_back(locals.size());
    compilation.programs.push_back(std::move(*program));
    locals.push_back(std::move(local));
    return {};
  }

  Compilation compilation;

private:
  Result<void> partition(ModuleOp module, int64_t position) {
    if (isLocalForm(module))
      return {};
    CompileOptions silent; // all ranks have the same remarks
    RemarkReporter remarks(module.getContext(), compilation.programOf.empty() ? options : silent);
    DiagnosticCollector diagnostics(module.getContext());
    PassManager pm(module.getContext());
    PartitionOptions partitioning;
    partitioning.rank = position;
    pm.addPass(createPartition(partitioning));
    pm.addPass(createMergeCollectives());
    return failed(pm.run(module)) ? Result<void>(diagnostics.take("partitioning failed")) : Result<void>();
  }

  ModuleOp sharded;
  CompileOptions options;
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

/// The axes of the options: given, or those of a strategy with all sizes; empty: none.
std::string axesOf(const MeshOptions &mesh) {
  if (!mesh.axes.empty() || mesh.strategy.empty())
    return mesh.axes;
  std::string text;
  if (auto strategy = spmd::strategyOnMesh(*spmd::parseStrategy(mesh.strategy), nullptr))
    for (const spmd::MeshAxis &axis : strategy->mesh().axes)
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

/// Annotates a module: by a file, then by a strategy, and by open shardings where no argument has any.
LogicalResult annotate(ModuleOp module, const MeshOptions &mesh) {
  PassManager pm(module.getContext());
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
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto symbol = FlatSymbolRefAttr::get((*meshes.begin()).getSymNameAttr());
  auto open = dist::DimShardingAttr::get(module.getContext(), {}, /*isClosed=*/false, /*priority=*/0, {});
  for (BlockArgument argument : main.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned i = argument.getArgNumber();
    if (type && !main.getArgAttr(i, dist::shardingAttribute))
      main.setArgAttr(i, dist::shardingAttribute,
                      dist::ShardingAttr::get(module.getContext(), symbol,
                                              llvm::SmallVector<dist::DimShardingAttr>(type.getRank(), open),
                                              {}, {}));
  }
  return success();
}

/// Brings the program of a single device into its sharded form.
Result<void> shard(ModuleOp module, const CompileOptions &options, const MeshOptions &mesh) {
  if (isLocalForm(module))
    return {};
  RemarkReporter remarks(module.getContext(), options);
  DiagnosticCollector diagnostics(module.getContext());
  PassManager program(module.getContext()), propagation(module.getContext());
  program.enableVerifier(false);
  buildProgramPipeline(program, options);
  // Statistics over a split batch become partial sums.
  program.addNestedPass<func::FuncOp>(createFoldBatchNorm());
  DecomposeOptions statistics;
  statistics.only = {"pd.batch_norm", "pd.mean"};
  program.addPass(createDecompose(statistics));
  program.addNestedPass<func::FuncOp>(createCanonicalizeProgram());
  propagation.addPass(createPropagate());
  if (failed(program.run(module)) || failed(annotate(module, mesh)) || failed(propagation.run(module)))
    return diagnostics.take("distribution failed");
  return {};
}

} // namespace

Result<spmd::Mesh> parseMesh(const std::string &text) {
  spmd::Mesh mesh;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  constexpr int64_t most = 1 << 24;
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.split('=');
    int64_t number = 0;
    if (name.empty() || size.getAsInteger(10, number) || number < 1 || number > most ||
        mesh.size() * number > most)
      return errorAt("the mesh", fmt::format("found '{}', expected axes and sizes such as dp=2,mp=4, with at "
                                             "most {} devices",
                                             text, most));
    if (mesh.indexOf(std::string_view(name.data(), name.size())))
      return errorAt("the mesh", fmt::format("axis '{}' occurs twice in '{}'", name.str(), text));
    mesh.axes.push_back({name.str(), number});
  }
  return mesh;
}

Diagnostics wrongMeshSize(int64_t devices, int64_t processes) {
  return errorAt("the mesh", fmt::format("it has {} devices, but {} processes run; expected mpirun -n {}, or "
                                         "simulated ranks (--simulate-mesh)",
                                         devices, processes, devices));
}

Result<Compilation> compileForMesh(OwningOpRef<ModuleOp> module, const CompileOptions &options,
                                   const MeshOptions &mesh, std::optional<int64_t> rank) {
  if (Result<void> written = dumpStage(*module, options.dumpDirectory, "0-imported"); !written)
    return written.diagnostics();
  if (Result<void> done = shard(*module, options, mesh); !done)
    return done.diagnostics();
  if (Result<void> written = dumpStage(*module, options.dumpDirectory, "1-sharded"); !written)
    return written.diagnostics();
  auto text = meshInterfaceText(*module);
  auto interface = text ? readMeshInterface(*module->getContext(), *text) : text.diagnostics();
  if (!interface)
    return interface.diagnostics();
  RankCompiler compiler(*module, options);
  for (int64_t r = rank.value_or(0); r < (rank ? *rank + 1 : interface->mesh.size()); ++r) {
    auto position = runtime::positionOfRank(interface->mesh, r);
    if (!position)
      return position.diagnostics();
    if (Result<void> added = compiler.add(r, *position); !added)
      return added.diagnostics();
  }
  compiler.compilation.interface = std::move(*text);
  return std::move(compiler.compilation);
}

} // namespace proa
