#include "passes/autodiff/BackwardRegion.h"

#include "dialects/pd/autodiff/DeferredVjp.h"
#include "dialects/pd/autodiff/Seeds.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

bool reads(Operation *op, llvm::function_ref<bool(Value)> predicate) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), predicate) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The ops on the path from one pd.vjp to the cotangents of another, such as a reshape.
llvm::DenseSet<Operation *> betweenGradients(Block &block) {
  SmallVector<Value> results, cotangents;
  for (auto gradient : block.getOps<pd::VjpOp>()) {
    llvm::append_range(results, gradient.getResults());
    llvm::append_range(cotangents, gradient.getCotangents());
  }
  auto dependent = dependentOps(block, results);
  llvm::DenseSet<Operation *> found;
  while (!cotangents.empty()) {
    Operation *op = cotangents.pop_back_val().getDefiningOp();
    if (op && !isa<pd::VjpOp>(op) && dependent.contains(op) && found.insert(op).second)
      llvm::append_range(cotangents, op->getOperands());
  }
  return found;
}

} // namespace

BackwardRegion findBackwardRegion(Block &block) {
  llvm::DenseSet<Operation *> backward = betweenGradients(block);
  auto isBackward = [&](Value value) { return backward.contains(value.getDefiningOp()); };
  for (Operation &op : block)
    if (isa<pd::VjpOp>(op) || (isa<pd::AddOp, pd::AddNOp>(op) && llvm::all_of(op.getOperands(), isBackward)))
      backward.insert(&op);
  BackwardRegion region;
  for (Operation &op : block) {
    if (!backward.contains(&op))
      continue;
    if (auto gradient = dyn_cast<pd::VjpOp>(op))
      for (Value cotangent : gradient.getCotangents())
        if (!isBackward(cotangent))
          region.seeds.insert(cotangent);
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !backward.contains(block.findAncestorOpInBlock(*user));
          }))
        region.gradients.insert(result);
  }
  return region;
}

void markSeeds(const llvm::SetVector<Value> &seeds) {
  for (Value seed : seeds) {
    OpBuilder builder(seed.getContext());
    builder.setInsertionPointAfterValue(seed);
    auto barrier = pd::OptimizationBarrierOp::create(builder, seed.getLoc(), seed.getType(), seed,
                                                     builder.getI64IntegerAttr(pd::seedLabel));
    seed.replaceAllUsesExcept(barrier, barrier);
  }
}

llvm::SetVector<Operation *> dependentOps(Block &block, ArrayRef<Value> values) {
  llvm::DenseSet<Value> reached(values.begin(), values.end());
  llvm::SetVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (reads(&op, [&](Value value) { return reached.contains(value); })) {
      ops.insert(&op);
      reached.insert(op.result_begin(), op.result_end());
    }
  return ops;
}

llvm::SetVector<Operation *> neededOps(Block &block, ArrayRef<Value> values) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> left(values);
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    op = op ? block.findAncestorOpInBlock(*op) : nullptr;
    if (op && ops.insert(op))
      op->walk([&](Operation *inner) { llvm::append_range(left, inner->getOperands()); });
  }
  return ops;
}

LogicalResult expandGradients(Operation *root, function_ref<bool(pd::VjpOp)> isKept) {
  SmallVector<pd::VjpOp> left;
  auto collect = [&](Operation *op) {
    op->walk<WalkOrder::PreOrder>([&](pd::VjpOp gradient) {
      if (!isKept(gradient))
        left.push_back(gradient);
      return WalkResult::skip();
    });
  };
  collect(root);
  while (!left.empty()) {
    pd::VjpOp op = left.pop_back_val();
    OpBuilder builder(op);
    Operation *after = op->getNextNode();
    pd::ErrorWatch errors(op.getContext());
    FailureOr<Operation *> created = pd::replaceByDecomposition(builder, op);
    if (failed(created))
      return failure();
    if (!*created && (errors.hasSeen() || !pd::hasDynamicDims(op)))
      return failure();
    for (Operation *op = *created; op && op != after; op = op->getNextNode())
      collect(op);
  }
  return success();
}

} // namespace proa::autodiff
