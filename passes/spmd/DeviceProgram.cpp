#include "passes/spmd/DeviceProgram.h"

#include "dialects/pd/ir/SamplingInterface.h"
#include "dialects/pd/ops/random/Random.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

bool DeviceProgram::has(Value value) const {
  if (const GlobalTensor *tensor = form.find(value))
    return types.has(tensor->sharding.getMesh());
  return !absent.contains(value);
}

/// Whether the device has a tensor that the op or an op inside of it takes or gives.
bool DeviceProgram::hasValuesIn(Operation *op) const {
  auto hasTensor = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value value) { return form.find(value) && has(value); });
  };
  return op
      ->walk([&](Operation *inner) {
        bool found = hasTensor(inner->getOperands()) || hasTensor(inner->getResults());
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void DeviceProgram::lose(Operation *op) {
  absentOps.insert(op);
  for (Value result : op->getResults())
    absent.insert(result);
}

/// Reports an operand that the device needs and does not have.
static LogicalResult emitMissing(Operation *op, unsigned operand, int64_t device, bool isCounted) {
  InFlightDiagnostic error = op->emitOpError() << "operand " << operand
                                               << " is computed on other devices than device " << device;
  return isCounted
             ? error << ", which counts the random ops in it; compute it on each mesh, or give them seeds"
             : error << ", which runs this op; compute it on the mesh of the op";
}

LogicalResult DeviceProgram::skipRandomOf(Operation *op) {
  std::optional<int64_t> positions = op->use_empty() ? 0 : pd::sequencePositionsOf(op);
  if (!positions)
    return op->emitOpError() << "samples if its seed is 0, which a run decides on other devices than device "
                             << *types.device << "; expected a constant seed";
  OpBuilder builder(op);
  if (*positions > 0)
    pd::SkipRandomOp::create(builder, op->getLoc(), static_cast<uint64_t>(*positions));
  return success();
}

void DeviceProgram::useCopies(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto found = copies.find(operand.get()); found != copies.end() && !has(operand.get()))
      for (Value copy : found->second)
        if (has(copy))
          operand.set(copy);
}

FailureOr<bool> DeviceProgram::lacks(Operation *op) {
  useCopies(op);
  auto isTensor = [&](Value value) { return form.find(value) != nullptr; };
  bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
  bool isGlobal = llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor) ||
                  op->getNumRegions() > 0;
  bool isMissing = llvm::any_of(op->getOperands(), [&](Value operand) { return !has(operand); });
  bool isOther = !isTerminator && (isGlobal ? !hasValuesIn(op) : isMissing);
  // Random ops of others are counted, also in loops, branches and functions.
  bool isCounted = isOther && (op->getNumRegions() > 0 || isa<func::CallOp>(op)) && pd::mayTakePositions(op);
  if (isOther && !isCounted) {
    if (op->getNumRegions() == 0 && failed(skipRandomOf(op)))
      return failure();
    lose(op);
    return true;
  }
  // These lose the tensors of others; a condition or a bound is needed.
  bool mayLack = isTerminator || isa<dist::ReshardOp, func::CallOp>(op) || op->getNumRegions() > 0;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (!has(operand) && !(mayLack && isTensor(operand)))
      return emitMissing(op, static_cast<unsigned>(i), *types.device, isCounted);
  return false;
}

Operation *DeviceProgram::replace(Operation *op, Operation *by) {
  unsigned next = 0;
  for (Value result : op->getResults())
    if (has(result)) {
      Value kept = by->getResult(next++);
      result.replaceAllUsesWith(kept);
      form.replace(result, kept);
    }
  absentOps.insert(op); // later ops, which lose them, still use its other results
  return by;
}

/// Before a value is erased: a new value may have its address.
void DeviceProgram::forget(Value value) {
  absent.erase(value);
  form.forget(value);
}

void DeviceProgram::eraseArguments(Block &block) {
  block.eraseArguments([&](BlockArgument argument) {
    bool isOther = !has(argument);
    if (isOther)
      forget(argument);
    return isOther;
  });
}

FailureOr<Operation *> DeviceProgram::removeOthers(Operation *op) {
  auto kept = [&](ValueRange values) {
    return llvm::filter_to_vector(values, [&](Value value) { return has(value); });
  };
  auto keptTypes = [&](ValueRange values) { return llvm::to_vector(ValueRange(kept(values)).getTypes()); };
  if (llvm::all_of(op->getOperands(), [&](Value v) { return has(v); }) &&
      llvm::all_of(op->getResults(), [&](Value v) { return has(v); }))
    return op;
  OpBuilder builder(op);
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    op->setOperands(kept(op->getOperands()));
    return op;
  }
  if (auto call = dyn_cast<func::CallOp>(op))
    return replace(op, func::CallOp::create(builder, op->getLoc(), call.getCallee(),
                                            keptTypes(op->getResults()), kept(op->getOperands())));
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto smaller = scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                      loop.getStep(), kept(loop.getInitArgs()));
    smaller.getRegion().takeBody(loop.getRegion());
    eraseArguments(*smaller.getBody());
    return replace(op, smaller);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto smaller =
        scf::WhileOp::create(builder, op->getLoc(), keptTypes(op->getResults()), kept(loop.getInits()));
    smaller.getBefore().takeBody(loop.getBefore());
    smaller.getAfter().takeBody(loop.getAfter());
    eraseArguments(smaller.getBefore().front());
    eraseArguments(smaller.getAfter().front());
    return replace(op, smaller);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto smaller =
        scf::IfOp::create(builder, op->getLoc(), keptTypes(op->getResults()), branch.getCondition());
    smaller.getThenRegion().takeBody(branch.getThenRegion());
    smaller.getElseRegion().takeBody(branch.getElseRegion());
    return replace(op, smaller);
  }
  return op->emitOpError() << "has values on several meshes, of which device " << *types.device
                           << " has some only; expected one mesh";
}

void DeviceProgram::eraseOthers(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (absentOps.contains(&op)) {
      op.walk([&](Operation *inner) {
        absentOps.erase(inner);
        for (Value value : inner->getResults())
          forget(value);
        for (Region &region : inner->getRegions())
          for (Block &nested : region)
            for (Value value : nested.getArguments())
              forget(value);
      });
      op.erase();
    }
}

} // namespace proa
