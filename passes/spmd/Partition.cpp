//! dist-partition: turns a program in sharded form into the program of one device.
#include "passes/spmd/Passes.h"

#include "dialects/dist/InterfaceAttributes.h"
#include "dialects/pd/ir/SamplingInterface.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/sharding/CloneOnTypes.h"
#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/CollectiveForm.h"
#include "passes/spmd/DeviceProgram.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_PARTITION
#include "passes/spmd/Passes.h.inc"

namespace {

/// Changes the values of functions to local tensors, in place.
class LocalRewriter {
public:
  LocalRewriter(GlobalForm &form, ReshardExpander &expander, LocalTypes types, const ScalarCopies &copies,
                PassRemarks remarks)
      : form(form), expander(expander), types(types), remarks(remarks), deviceProgram(form, types, copies) {}

  LogicalResult rewrite(func::FuncOp function) {
    SmallVector<Type> arguments, results;
    dist::InterfaceAttributes attributes(function);
    BitVector otherArguments = ofOthers(function, function.getNumArguments(), dist::argumentSharding),
              otherResults = ofOthers(function, function.getNumResults(), dist::resultSharding);
    for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
      arguments.push_back(local(type, dist::argumentSharding(function, i), [&](Attribute global) {
        attributes.setArgument(i, dist::globalAttribute, global);
      }));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
      results.push_back(local(type, dist::resultSharding(function, i), [&](Attribute global) {
        attributes.setResult(i, dist::globalAttribute, global);
      }));
    attributes.apply();
    function.setFunctionType(FunctionType::get(function.getContext(), arguments, results));
    if (!function.isExternal() && failed(rewriteBlock(function.getBody().front())))
      return failure();
    for (unsigned i : otherArguments.set_bits())
      if (!function.isExternal())
        form.forget(function.getArgument(i));
    if (failed(function.eraseArguments(otherArguments)) || failed(function.eraseResults(otherResults)))
      return function.emitOpError() << "cannot lose the arguments and results of other meshes";
    return success();
  }

private:
  /// The arguments or results that the device does not have.
  BitVector ofOthers(func::FuncOp function, unsigned count,
                     dist::ShardingAttr shardingOf(FunctionOpInterface, unsigned)) const {
    BitVector others(count);
    for (unsigned i = 0; i < count; ++i)
      if (dist::ShardingAttr sharding = shardingOf(function, i))
        others[i] = !types.has(sharding.getMesh());
    return others;
  }

  Type local(Type type, dist::ShardingAttr sharding, llvm::function_ref<void(Attribute)> setGlobal) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return type;
    setGlobal(TypeAttr::get(type));
    return types.of(tensor, sharding);
  }

  void setLocalTypes(ValueRange values) {
    for (Value value : values)
      if (const GlobalTensor *tensor = form.find(value))
        value.setType(types.of(tensor->type, tensor->sharding));
  }

  LogicalResult rewriteBlock(Block &block) {
    setLocalTypes(block.getArguments());
    for (Operation &op : llvm::make_early_inc_range(block)) {
      FailureOr<bool> isOther = types.device ? deviceProgram.lacks(&op) : FailureOr<bool>(false);
      if (failed(isOther) || (!*isOther && failed(rewriteOp(&op))))
        return failure();
    }
    deviceProgram.eraseOthers(block);
    return success();
  }

  LogicalResult rewriteOp(Operation *op) {
    if (auto reshard = dyn_cast<dist::ReshardOp>(op))
      return expand(reshard);
    if (isa<dist::ConstrainOp, dist::ToLocalOp, dist::ToGlobalOp>(op)) {
      replaceByOperand(op);
      return success();
    }
    if (form.runsWhole(op))
      return runWhole(op, form.reasonOfWhole(op));
    if (const LocalFormSplit *split = form.localFormOf(op))
      return runLocalForm(op, *split);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(rewriteBlock(block)))
          return failure();
    if (FailureOr<Operation *> kept = deviceProgram.removeOthers(op); succeeded(kept))
      op = *kept;
    else
      return failure();
    Type before = op->getNumResults() > 0 ? op->getResult(0).getType() : Type();
    setLocalTypes(op->getResults());
    if (before && before != op->getResult(0).getType())
      pd::setLocalShape(op, cast<RankedTensorType>(op->getResult(0).getType()).getShape());
    op->removeAttr(dist::shardingsAttribute);
    if (op->getNumOperands() > 1 && isa<pd::PdDialect>(op->getDialect()) && isUneven(op))
      op->setAttr(dist::unevenAttribute, UnitAttr::get(op->getContext()));
    return success();
  }

  /// Whether the local types of an op hold for this device only.
  bool isUneven(Operation *op) {
    auto differs = [&](Value value) {
      const GlobalTensor *tensor = form.find(value);
      return tensor && types.of(tensor->type, tensor->sharding) !=
                           dist::localType(tensor->type, types.meshes.placementOf(tensor->sharding));
    };
    return types.device &&
           (llvm::any_of(op->getOperands(), differs) || llvm::any_of(op->getResults(), differs));
  }

  void replace(Value value, Value by) {
    form.replace(value, by);
    value.replaceAllUsesWith(by);
  }

  /// Reports the communication of a reshard, and the reason in its location (dist-propagate).
  void remark(dist::ReshardOp op, const spmd::MeshReshardPlan &plan) const {
    if (!PassRemarks::areEnabled(op.getContext()))
      return;
    SmallVector<std::string> names;
    for (const std::vector<spmd::ReshardStep> &steps : {plan.before, plan.after})
      for (const spmd::ReshardStep &step : steps)
        if (step.kind != spmd::StepKind::Slice && step.kind != spmd::StepKind::ToPartial)
          names.push_back("dist." + std::string(nameOf(step.kind)));
    if (plan.move)
      names.push_back("a move to another mesh");
    auto fused = dyn_cast<FusedLoc>(op.getLoc());
    auto reason = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata()) : StringAttr();
    if (!names.empty())
      remarks.analysis(op) << llvm::join(names, ", ") << (reason ? " " + reason.str() : std::string());
  }

  LogicalResult expand(dist::ReshardOp op) {
    const GlobalTensor tensor = *form.find(op.getX());
    auto plan = expander.plan(op, tensor.type, op.getFrom(), op.getTo());
    if (failed(plan))
      return failure();
    remark(op, *plan);
    OpBuilder builder(op);
    Value value = expander.create(builder, op, *plan, op.getX(), tensor.type, op.getFrom(), op.getTo());
    if (!value) // the device sends only
      return deviceProgram.lose(op), success();
    replace(op.getResult(), value);
    op.erase();
    return success();
  }

  /// The types differ if code between dist.to_local and dist.to_global is for all devices.
  void replaceByOperand(Operation *op) {
    const GlobalTensor *tensor = form.find(op->getResult(0));
    Type type = tensor ? Type(types.of(tensor->type, tensor->sharding)) : op->getResult(0).getType();
    Value x = op->getOperand(0);
    OpBuilder builder(op);
    if (x.getType() != type)
      x = tensor::CastOp::create(builder, op->getLoc(), type, x);
    replace(op->getResult(0), x);
    op->erase();
  }

  /// A splat constant of the local type, if that is static.
  bool shrinkConstant(Operation *op) {
    auto constant = dyn_cast<pd::ConstantOp>(op);
    auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
    const GlobalTensor *tensor = form.find(op->getResult(0));
    if (!splat || !tensor || !tensor->sharding.getPartial().empty())
      return false;
    RankedTensorType type = types.of(tensor->type, tensor->sharding);
    if (!type.hasStaticShape())
      return false;
    constant.setValueAttr(splat.resizeSplat(type));
    constant.getResult().setType(type);
    return true;
  }

  /// Replaces an op by its local form. The form reads global types from a clone.
  LogicalResult runLocalForm(Operation *op, const LocalFormSplit &split) {
    op->removeAttr(dist::shardingsAttribute);
    Block scratch;
    Operation *global =
        pd::cloneOnTypes(scratch, op, llvm::map_to_vector(op->getOperands(), [&](Value value) {
                           const GlobalTensor *tensor = form.find(value);
                           return tensor ? Type(tensor->type) : value.getType();
                         }));
    SmallVector<RankedTensorType> resultTypes;
    for (Value result : op->getResults()) {
      const GlobalTensor &tensor = *form.find(result);
      resultTypes.push_back(types.of(tensor.type, tensor.sharding));
    }
    OpBuilder builder(op);
    CollectiveForm created(builder, global, split.rule, op->getOperands(), split.axes,
                           form.find(op->getResult(0))->sharding.getMesh(), types, resultTypes);
    FailureOr<SmallVector<Value>> values = split.rule.localForm(created);
    if (failed(values)) {
      if (types.device)
        return op->emitOpError() << "its local form does not cover the shards of device " << *types.device;
      return runWhole(op, "shards of unequal sizes need a program for each device");
    }
    remarks.done(op) << op->getName().getStringRef() << " becomes its local form";
    for (auto [result, value, type] : llvm::zip_equal(op->getResults(), *values, resultTypes)) {
      if (failed(verifyCompatibleShape(value.getType(), type)))
        return op->emitOpError() << "expected a local form of type " << type << ", found " << value.getType();
      replace(result, value.getType() == type
                          ? value
                          : tensor::CastOp::create(builder, op->getLoc(), type, value).getResult());
    }
    op->erase();
    return success();
  }

  LogicalResult runWhole(Operation *op, StringRef reason) {
    op->removeAttr(dist::shardingsAttribute);
    if (shrinkConstant(op))
      return success();
    remarks.missed(op) << op->getName().getStringRef() << " runs whole on each device"
                       << (reason.empty() ? "" : ": ") << reason;
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (const GlobalTensor *found = form.find(operand.get())) {
        GlobalTensor tensor = *found;
        dist::ShardingAttr to = GlobalForm::replicated(tensor.sharding);
        auto plan = expander.plan(op, tensor.type, tensor.sharding, to);
        if (failed(plan))
          return failure();
        operand.set(expander.create(builder, op, *plan, operand.get(), tensor.type, tensor.sharding, to));
      }
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (const GlobalTensor *found = form.find(result)) {
        GlobalTensor tensor = *found;
        dist::ShardingAttr from = GlobalForm::replicated(tensor.sharding);
        auto plan = expander.plan(op, tensor.type, from, tensor.sharding);
        if (failed(plan))
          return failure();
        auto uses = llvm::map_to_vector(result.getUses(), [](OpOperand &use) { return &use; });
        Value local = expander.create(builder, op, *plan, result, tensor.type, from, tensor.sharding);
        form.replace(result, local);
        for (OpOperand *use : uses)
          use->set(local);
      }
    return success();
  }

  GlobalForm &form;
  ReshardExpander &expander;
  LocalTypes types;
  PassRemarks remarks;
  DeviceProgram deviceProgram;
};

class PartitionPass : public impl::PartitionBase<PartitionPass> {
public:
  using PartitionBase::PartitionBase;

  void runOnOperation() override {
    if (rank < -1) {
      getOperation().emitError() << getArgumentName() << ": expected a rank of at least -1, found "
                                 << int64_t(rank);
      return signalPassFailure();
    }
    MeshPlacements meshes(getOperation());
    LocalTypes types{meshes, rank < 0 ? std::nullopt : std::optional<int64_t>(rank)};
    if (failed(verifyDevices(meshes)))
      return signalPassFailure();
    // Random ops without uses would be counted by the devices that lack them only.
    if (rank >= 0 && !meshes.haveEqualDevices() && pd::mayTakePositions(getOperation())) {
      IRRewriter rewriter(&getContext());
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
    }
    ReshardExpander expander(
        {targetOf(getOperation()).device(), {links.begin(), links.end()}, memoryLimit, meshLink}, types);
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (GlobalForm::isSharded(function))
        functions.push_back(function);
    auto form = std::make_unique<GlobalForm>(meshes, types);
    if (failed(read(functions, *form)))
      return signalPassFailure();
    ScalarCopies copies;
    if (!meshes.haveEqualDevices())
      for (func::FuncOp function : functions)
        for (auto &[scalar, others] : copyConditions(function, *form, meshes))
          copies[scalar] = others;
    if (!copies.empty()) {
      form = std::make_unique<GlobalForm>(meshes, types);
      if (failed(read(functions, *form)))
        return signalPassFailure();
    }
    if (failed(expander.verifyOptions(getOperation(), getArgumentName())))
      return signalPassFailure();
    LocalRewriter rewriter(*form, expander, types, copies, PassRemarks(getArgumentName()));
    for (func::FuncOp function : functions)
      if (failed(rewriter.rewrite(function)))
        return signalPassFailure();
  }

private:
  static LogicalResult read(ArrayRef<func::FuncOp> functions, GlobalForm &form) {
    LogicalResult result = success();
    for (func::FuncOp function : functions)
      if (failed(form.read(function)))
        result = failure();
    return result;
  }

  LogicalResult verifyDevices(const MeshPlacements &meshes) {
    SmallVector<int64_t> devices = meshes.devices();
    if (rank >= 0 && !devices.empty() && !llvm::is_contained(devices, rank))
      return getOperation().emitError()
             << getArgumentName() << ": expected the rank of a device of a mesh, of " << devices.front()
             << " to " << devices.back() << ", found " << int64_t(rank);
    if (rank < 0 && !meshes.haveEqualDevices())
      return getOperation().emitError()
             << getArgumentName()
             << ": the meshes have different devices, which run different programs; "
                "expected the option rank";
    return success();
  }
};

} // namespace
} // namespace proa
