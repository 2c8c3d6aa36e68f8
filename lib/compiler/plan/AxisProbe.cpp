#include "lib/compiler/plan/AxisProbe.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/fuse/Passes.h"
#include "passes/spmd/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <set>

using namespace mlir;

namespace proa {
namespace {

class Prober {
public:
  Prober(func::FuncOp main, const std::string &axis) : main(main), axis(axis) {}

  AxisProbe run() {
    auto original = main->getParentOfType<ModuleOp>();
    OwningOpRef<ModuleOp> sharded(original.clone());
    if (!shard(*sharded, /*formsAttention=*/false))
      return std::move(probe);
    readShardings(sharded->lookupSymbol<func::FuncOp>("main"));
    if (sizes.empty() && probe.reason.empty())
      probe.reason = "'" + axis + "' splits nothing";
    probe.sizes.assign(sizes.begin(), sizes.end());
    if (!probe.reason.empty())
      return std::move(probe);
    if (axis == "cp") { // attention over a split sequence is one op
      sharded = original.clone();
      if (!shard(*sharded, /*formsAttention=*/true))
        return std::move(probe);
    }
    countCollectives(*sharded);
    return std::move(probe);
  }

private:
  /// Runs passes; a failure, or a warning that the strategy splits nothing, is the reason.
  bool runPasses(PassManager &pm, ModuleOp module) {
    ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
      bool isReason = diagnostic.getSeverity() == DiagnosticSeverity::Error ||
                      diagnostic.getSeverity() == DiagnosticSeverity::Warning;
      if (isReason && probe.reason.empty())
        probe.reason = diagnostic.str();
      return success();
    });
    if (failed(pm.run(module)) && probe.reason.empty())
      probe.reason = "the strategy cannot be applied";
    return probe.reason.empty();
  }

  bool shard(ModuleOp module, bool formsAttention) {
    PassManager pm(module.getContext());
    if (formsAttention)
      pm.addNestedPass<func::FuncOp>(createFormAttention());
    AnnotateOptions annotations;
    annotations.mesh = axis + "=2";
    pm.addPass(createAnnotate(annotations));
    ApplyStrategyOptions strategy;
    strategy.strategy = axis + "2";
    pm.addPass(createApplyStrategy(strategy));
    pm.addPass(createPropagate());
    return runPasses(pm, module);
  }

  /// Whether a sharding splits a dimension; notes the sizes of such dimensions.
  bool splits(dist::ShardingAttr sharding, Value value) {
    bool isSplit = false;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [dim, size] : llvm::zip_equal(sharding.getDims(), shape)) {
      if (dim.getAxes().empty())
        continue;
      isSplit = true;
      if (dim.getBlocks().empty() && size % 2 == 0) // an uneven vocabulary may have any number of parts
        sizes.insert(size);
      for (int64_t block : dim.getBlocks())
        sizes.insert(block);
    }
    return isSplit;
  }

  void readShardings(func::FuncOp sharded) {
    for (auto [argument, own] : llvm::zip(main.getArguments(), sharded.getArguments()))
      if (auto sharding =
              sharded.getArgAttrOfType<dist::ShardingAttr>(own.getArgNumber(), dist::shardingAttribute))
        if (splits(sharding, own))
          probe.values.insert(argument);
    SmallVector<Operation *> originals, copies;
    for (Operation &op : main.getBody().front())
      originals.push_back(&op);
    for (Operation &op : sharded.getBody().front())
      if (!isa_and_present<dist::DistDialect>(op.getDialect()))
        copies.push_back(&op);
    if (originals.size() != copies.size()) {
      probe.reason = "the passes of the strategy change ops";
      return;
    }
    for (auto [original, copy] : llvm::zip_equal(originals, copies))
      readShardings(original, copy);
  }

  void readShardings(Operation *original, Operation *copy) {
    bool isSplit =
        llvm::any_of(original->getOperands(), [&](Value value) { return probe.values.contains(value); });
    auto shardings = copy->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    for (unsigned i = 0; shardings && i < original->getNumResults(); ++i)
      if (auto sharding = dyn_cast<dist::ShardingAttr>(shardings[i])) {
        if (splits(sharding, original->getResult(i)))
          probe.values.insert(original->getResult(i)), isSplit = true;
        isSplit |= !sharding.getPartial().empty();
      }
    if (isSplit)
      probe.ops.insert(original);
  }

  static std::optional<plan::Collective> collectiveOf(spmd::StepKind kind) {
    switch (kind) {
    case spmd::StepKind::Slice:
    case spmd::StepKind::ToPartial:
      return std::nullopt;
    case spmd::StepKind::AllGather:
      return plan::Collective::AllGather;
    case spmd::StepKind::AllToAll:
      return plan::Collective::AllToAll;
    case spmd::StepKind::Permute:
      return plan::Collective::Permute;
    case spmd::StepKind::AllReduce:
      return plan::Collective::AllReduce;
    case spmd::StepKind::ReduceScatter:
      return plan::Collective::ReduceScatter;
    }
    return std::nullopt;
  }

  static double bytesOf(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    double bits = tensor.getElementType().isIntOrFloat() ? tensor.getElementTypeBitWidth() : 64;
    return tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) * bits / 8 : 0;
  }

  void countCollectives(ModuleOp sharded) {
    PartitionOptions partitioning;
    partitioning.rank = 0;
    PassManager pm(sharded.getContext());
    pm.addPass(createPartition(partitioning));
    if (!runPasses(pm, sharded))
      return;
    llvm::DenseSet<Type> parameterTypes;
    for (BlockArgument argument : main.getArguments())
      if (main.getArgAttr(argument.getArgNumber(), pd::parameterAttribute))
        parameterTypes.insert(argument.getType());
    sharded.walk([&](dist::StepOpInterface step) {
      std::optional<plan::Collective> kind = collectiveOf(step.getStepKind());
      if (!kind || parameterTypes.contains(step.getGlobal()))
        return;
      AxisProbe::Total &total = probe.collectives[*kind];
      bool isGather = *kind == plan::Collective::AllGather;
      total.bytes += bytesOf(isGather ? step->getResult(0).getType() : Type(step.getX().getType()));
      ++total.count;
    });
  }

  func::FuncOp main;
  const std::string &axis;
  AxisProbe probe;
  std::set<int64_t> sizes;
};

} // namespace

AxisProbe probeAxis(func::FuncOp main, const std::string &axis) { return Prober(main, axis).run(); }

} // namespace proa
