#include "passes/autodiff/ValueLifetimes.h"

#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/analysis/KernelGroups.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace proa::autodiff {

ValueLifetimes::ValueLifetimes(Block &block) : block(block) {
  for (Operation &op : block) {
    positions[&op] = ops.size();
    ops.push_back(&op);
  }
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      Value root = rootOf(result);
      size_t &last = lastUse.try_emplace(root, positions[op]).first->second;
      for (Operation *user : result.getUsers())
        last = std::max(last, positionOf(user));
    }
  findPeak();
}

void ValueLifetimes::findPeak() {
  llvm::DenseMap<Operation *, const KernelGroup *> groupOf;
  auto groups = findKernelGroups(block);
  for (const auto &group : groups)
    for (Operation *member : group->members)
      groupOf[member] = group.get();
  auto runsAt = [&](Operation *op) {
    Operation *top = block.findAncestorOpInBlock(*op);
    const KernelGroup *group = groupOf.lookup(top);
    return positions.lookup(group ? group->members.back() : top);
  };
  llvm::DenseMap<Value, size_t> end; // by root
  llvm::DenseSet<Value> inside;
  for (Operation *op : ops)
    for (Value result : op->getResults()) {
      size_t &last = end.try_emplace(rootOf(result), runsAt(op)).first->second;
      for (Operation *user : result.getUsers())
        last = std::max(last, runsAt(user));
      const KernelGroup *group = groupOf.lookup(op);
      if (group && !result.use_empty() &&
          llvm::all_of(result.getUsers(), [&](Operation *user) { return groupOf.lookup(user) == group; }))
        inside.insert(result);
    }
  std::vector<int64_t> change(ops.size() + 1, 0);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (int64_t bytes = inside.contains(result) ? 0 : bytesOf(result)) {
        change[runsAt(op)] += bytes;
        change[end[result] + 1] -= bytes;
      }
  int64_t alive = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    alive += change[i];
    if (alive > peak) {
      peak = alive;
      peakAt = i;
    }
  }
}

size_t ValueLifetimes::positionOf(Operation *op) const {
  return positions.lookup(block.findAncestorOpInBlock(*op));
}

size_t ValueLifetimes::lastUseOf(Value value) const { return lastUse.lookup(rootOf(value)); }

Value ValueLifetimes::rootOf(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    bool isAlias = isa<pd::OptimizationBarrierOp, tensor::CastOp>(op) ||
                   (isa<pd::ReshapeOp>(op) && cast<RankedTensorType>(value.getType()).hasStaticShape());
    if (!isAlias)
      return value;
    value = op->getOperand(0);
  }
  return value;
}

int64_t ValueLifetimes::bytesOf(Value value) const {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || !type || op->hasTrait<OpTrait::ConstantLike>() || rootOf(value) != value)
    return 0;
  auto dtype = pd::dtypeOf(type.getElementType());
  auto count = pd::productOfDims(type.getShape());
  return dtype && count ? *count * static_cast<int64_t>(sizeOf(*dtype)) : 0;
}

} // namespace proa::autodiff
