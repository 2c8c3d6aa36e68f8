#include "lib/compiler/plan/AxisProbe.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ops/shape/JoinOps.h"
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
    if (axis != "sp" && axis != "dp")
      readShardings(sharded->lookupSymbol<func::FuncOp>("main"));
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
    bool isSequence = axis == "sp"; // over the devices of mp
    annotations.mesh = isSequence ? "mp=2" : axis + "=2";
    pm.addPass(createAnnotate(annotations));
    ApplyStrategyOptions strategy;
    strategy.strategy = isSequence ? "mp2,sp" : axis + "2";
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
      if (dim.getBlocks().empty() && size % 2 == 0) // an uneven vocabulary may have any number of shards
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
    if (sizes.empty())
      probe.reason = "'" + axis + "' splits nothing";
    probe.sizes.assign(sizes.begin(), sizes.end());
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

  static double bytesOf(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    double bits = tensor.getElementType().isIntOrFloat() ? tensor.getElementTypeBitWidth() : 64;
    return tensor.hasStaticShape() ? static_cast<double>(tensor.getNumElements()) * bits / 8 : 0;
  }

  /// Whether a collective reduces gradients, or gathers parameters, alone or with others in a bucket.
  static bool isOfParameter(dist::StepOpInterface step) {
    if (step->hasAttr(ofParameter))
      return true;
    auto bucket = step.getX().getDefiningOp<pd::ConcatOp>();
    return bucket && llvm::any_of(bucket.getX(), [](Value member) {
             Operation *op = member.getDefiningOp();
             while (op && !op->hasAttr(ofParameter) && op->getNumOperands() == 1) // reshapes and transposes
               op = op->getOperand(0).getDefiningOp();
             return op && op->hasAttr(ofParameter);
           });
  }

  /// Marks collectives of parameters and the ops before them. Merged collectives are new ops.
  void markParameters(ModuleOp sharded) {
    llvm::DenseSet<Type> types;
    for (BlockArgument argument : main.getArguments())
      if (main.getArgAttr(argument.getArgNumber(), pd::parameterAttribute))
        types.insert(argument.getType());
    auto unit = UnitAttr::get(sharded.getContext());
    sharded.walk([&](dist::StepOpInterface step) {
      if (!types.contains(step.getGlobal()))
        return;
      step->setAttr(ofParameter, unit);
      if (Operation *op = step.getX().getDefiningOp())
        op->setAttr(ofParameter, unit);
    });
  }

  void countCollectives(ModuleOp sharded) {
    PartitionOptions partitioning;
    partitioning.rank = 0;
    PassManager partition(sharded.getContext()), merge(sharded.getContext());
    partition.addPass(createPartition(partitioning));
    merge.addPass(createMergeCollectives());
    if (!runPasses(partition, sharded))
      return;
    markParameters(sharded);
    if (!runPasses(merge, sharded))
      return;
    sharded.walk([&](dist::StepOpInterface step) {
      std::optional<plan::Collective> kind = plan::collectiveOf(step.getStepKind());
      if (!kind || isOfParameter(step))
        return;
      AxisProbe::Total &total = probe.collectives[*kind];
      bool isGather = *kind == plan::Collective::AllGather;
      total.bytes += bytesOf(isGather ? step->getResult(0).getType() : Type(step.getX().getType()));
      ++total.count;
    });
  }

  static constexpr StringLiteral ofParameter = "plan.of_parameter";
  func::FuncOp main;
  const std::string &axis;
  AxisProbe probe;
  std::set<int64_t> sizes;
};

} // namespace

AxisProbe probeAxis(func::FuncOp main, const std::string &axis) { return Prober(main, axis).run(); }

} // namespace proa
