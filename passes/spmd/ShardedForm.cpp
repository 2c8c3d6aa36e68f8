#include "passes/spmd/ShardedForm.h"

#include "passes/spmd/FactorAxes.h"
#include "passes/spmd/ReshardExpander.h"
#include "passes/spmd/propagation/RuleCache.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace proa {

namespace {

class Verifier {
public:
  explicit Verifier(ModuleOp module) : module(module), meshes(module) {}

  LogicalResult verify() {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      for (BlockArgument argument : function.getArguments())
        set(function, argument, function.getArgAttr(argument.getArgNumber(), dist::shardingAttribute));
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        setResults(op);
        if (isa<pd::PdDialect>(op->getDialect()) && op->getNumRegions() == 0 &&
            !op->hasTrait<OpTrait::IsTerminator>())
          verifyOp(op);
        if (auto reshard = dyn_cast<dist::ReshardOp>(op))
          verifyReshard(reshard);
      });
    }
    return success(isValid);
  }

private:
  InFlightDiagnostic error(Operation *op) {
    isValid = false;
    return op->emitError() << "not in the sharded form: ";
  }

  void set(Operation *op, Value value, Attribute attribute) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attribute);
    if (!sharding || !sharding.isFinal()) {
      error(op) << "expected a final sharding of " << value.getType();
      return;
    }
    shardings[value] = sharding;
  }

  void setResults(Operation *op) {
    if (auto reshard = dyn_cast<dist::ReshardOp>(op))
      return set(op, reshard.getResult(), reshard.getTo());
    auto all = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      set(op, result, all && i < all.size() ? all[i] : Attribute());
  }

  /// The placement of a value; none for block arguments of regions, which have the placements of operands.
  const spmd::Placement *of(Value value) {
    dist::ShardingAttr sharding = shardings.lookup(value);
    return sharding ? &meshes.placementOf(sharding) : nullptr;
  }

  void verifyReshard(dist::ReshardOp op) {
    dist::ShardingAttr from = shardings.lookup(op.getX());
    if (from && from != op.getFrom())
      error(op) << "the operand has the sharding " << from;
  }

  void verifyOp(Operation *op) {
    OpPlacements own;
    mesh = {};
    for (Value operand : op->getOperands())
      if (!add(op, operand, own.operands))
        return;
    for (Value result : op->getResults())
      if (!add(op, result, own.results))
        return;
    auto isWhole = [](const spmd::Placement &placement) {
      return placement.partial.empty() &&
             llvm::all_of(placement.dims, [](const spmd::DimPlacement &dim) { return dim.axes.empty(); });
    };
    bool isNotPartial =
        llvm::all_of(own.operands, [](const spmd::Placement &operand) { return operand.partial.empty(); });
    if ((llvm::all_of(own.operands, isWhole) && llvm::all_of(own.results, isWhole)) ||
        !withoutPassed(op, own))
      return;
    const sharding::CachedRule *rule = rules.of(op);
    bool isRuled = rule && (factorAxesOf(rule->rule, own) ||
                            (isNotPartial && rule->rule.localForm && factorAxesOf(rule->local, own)));
    bool isReplicated = llvm::all_of(own.operands, isWhole) && llvm::all_of(own.results, isWhole);
    if (isRuled || isReplicated)
      return;
    InFlightDiagnostic diagnostic = error(op) << "the shardings";
    for (const spmd::Placement &placement : own.operands)
      diagnostic << " " << spmd::toText(*meshes.meshOf(mesh), placement);
    diagnostic << " ->";
    for (const spmd::Placement &placement : own.results)
      diagnostic << " " << spmd::toText(*meshes.meshOf(mesh), placement);
    diagnostic << " do not follow from the rule " << (rule ? rule->rule.text() : "(none)");
  }

  /// Adds the placement of a value, on the mesh of the others of the op.
  bool add(Operation *op, Value value, llvm::SmallVectorImpl<spmd::Placement> &list) {
    const spmd::Placement *placement = of(value);
    if (!placement && isa<RankedTensorType>(value.getType()))
      return false;
    list.push_back(placement ? *placement : spmd::Placement());
    FlatSymbolRefAttr own = placement ? shardings.lookup(value).getMesh() : mesh;
    if (mesh && own != mesh) {
      error(op) << "values are on the meshes " << mesh << " and " << own;
      return false;
    }
    mesh = own;
    return true;
  }

  /// Removes the partial axes that a linear op passes from its operands to its results. False, with an error,
  /// if an operand is partial otherwise.
  bool withoutPassed(Operation *op, OpPlacements &own) {
    std::vector<spmd::PartialAxis> passed;
    llvm::SmallVector<unsigned> partial;
    for (auto [i, placement] : llvm::enumerate(own.operands))
      if (!placement.partial.empty()) {
        passed = placement.partial;
        partial.push_back(static_cast<unsigned>(i));
      }
    if (partial.empty())
      return true;
    bool isGroup = llvm::any_of(pd::partialGroupsOf(op), [&](const auto &group) {
      return llvm::equal(group, partial) &&
             llvm::all_of(group, [&](unsigned operand) { return own.operands[operand].partial == passed; });
    });
    if (!isGroup) {
      error(op) << "operands are partial, and the op is not linear in them";
      return false;
    }
    for (unsigned operand : partial)
      own.operands[operand].partial.clear();
    for (spmd::Placement &result : own.results)
      for (const spmd::PartialAxis &axis : passed)
        if (!removePartial(result.partial, axis)) {
          error(op) << "a partial operand is not passed to all results";
          return false;
        }
    return true;
  }

  ModuleOp module;
  MeshPlacements meshes;
  /// Of the op that is verified.
  FlatSymbolRefAttr mesh;
  llvm::DenseMap<Value, dist::ShardingAttr> shardings;
  sharding::RuleCache rules;
  bool isValid = true;
};

} // namespace

LogicalResult verifyShardedForm(ModuleOp module) { return Verifier(module).verify(); }

} // namespace proa
