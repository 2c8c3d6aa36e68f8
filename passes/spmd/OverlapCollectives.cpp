//! dist-overlap-collectives: starts collectives early and waits for them late.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "passes/spmd/Passes.h.inc"

namespace {

class OverlapCollectivesPass : public impl::OverlapCollectivesBase<OverlapCollectivesPass> {
public:
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    if (window < 1) {
      getOperation().emitError() << getArgumentName() << ": expected a window of at least 1, found "
                                 << int64_t(window);
      return signalPassFailure();
    }
    SmallVector<dist::StepOpInterface> ops;
    getOperation()->walk([&](dist::StepOpInterface op) {
      if (collectiveOf(op))
        ops.push_back(op);
    });
    for (dist::StepOpInterface op : ops)
      overlap(op);
  }

private:
  /// The first op of the block that uses a result; the terminator if none does.
  static Operation *firstUser(Operation *op) {
    Operation *first = op->getBlock()->getTerminator();
    for (Operation *user : op->getUsers())
      if (Operation *own = op->getBlock()->findAncestorOpInBlock(*user); own && own->isBeforeInBlock(first))
        first = own;
    return first;
  }

  /// Whether a device computes: an op that is not one of the dist dialect or a constant.
  static bool isWork(Operation *op) {
    return !isa<dist::DistDialect>(op->getDialect()) && !op->hasTrait<OpTrait::ConstantLike>();
  }

  /// The place to start from: after the operand, at most `window` ops that compute before the user. Null if
  /// nothing is computed between them.
  Operation *startOf(dist::StepOpInterface op, Operation *user) {
    Operation *definition = op.getX().getDefiningOp(), *start = user;
    int64_t count = 0;
    for (Operation *before = user->getPrevNode(); before && before != definition;
         before = before->getPrevNode()) {
      if (before == op.getOperation())
        continue;
      if (count == window && isWork(before))
        break;
      count += isWork(before);
      start = before;
    }
    return count > 0 ? start : nullptr;
  }

  void overlap(dist::StepOpInterface op) {
    Operation *user = firstUser(op), *start = startOf(op, user);
    if (!start) {
      remarks.missed(op) << op->getName().getStringRef()
                         << " is not asynchronous: nothing is computed between "
                         << "its operand and its first use";
      return;
    }
    if (start->isBeforeInBlock(op))
      op->moveBefore(start);
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(dist::FutureType::get(&getContext(), type));
    OpBuilder builder(user);
    auto wait = dist::WaitOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(wait.getResult(), wait);
    remarks.done(op) << op->getName().getStringRef() << " is asynchronous";
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
