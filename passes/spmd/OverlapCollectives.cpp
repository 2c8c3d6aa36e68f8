//! dist-overlap-collectives: starts collectives early and waits for them late.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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
    meshes.emplace(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (collectiveOf(op) || (isa<dist::RecvOp>(op) && isa<RankedTensorType>(op->getResult(0).getType())))
        ops.push_back(op);
    });
    for (Operation *op : ops)
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

  /// Whether a device computes: an op that is not one of the dist dialect, a constant, or a cast of a type,
  /// which only some devices may need.
  static bool isWork(Operation *op) {
    return !isa<dist::DistDialect>(op->getDialect()) && !op->hasTrait<OpTrait::ConstantLike>() &&
           !isa<CastOpInterface>(op);
  }

  static Value operandOf(Operation *op) { return op->getNumOperands() == 0 ? Value() : op->getOperand(0); }

  /// The largest bytes of the operand and of the result on a device; 0: not known, or there is none. They are
  /// equal on all devices, also where parts differ in size, because all devices must start the same ops.
  struct Bytes {
    int64_t operand = 0, result = 0;
  };

  int64_t largestBytes(RankedTensorType global, dist::ShardingAttr sharding) {
    if (!global.hasStaticShape())
      return 0;
    return spmd::largestLocalCount(meshes->placementOf(sharding), global.getShape()) *
           elementBytes(global.getElementType());
  }

  Bytes bytesOf(Operation *op) {
    if (auto step = dyn_cast<dist::StepOpInterface>(op))
      return {largestBytes(step.getGlobal(), step.getFrom()), largestBytes(step.getGlobal(), step.getTo())};
    auto receive = cast<dist::RecvOp>(op);
    return {0, largestBytes(receive.getGlobal(), receive.getTo())};
  }

  /// Whether a collective runs as late as possible: its result takes more memory than its operand, or the
  /// operand lives anyway.
  static bool isLate(Operation *op, const Bytes &bytes) {
    Value operand = operandOf(op);
    return operand.getParentBlock() != op->getBlock() || !operand.getDefiningOp() ||
           bytes.result > bytes.operand;
  }

  /// Where an op starts and where the wait is: before these ops. `delayed` are users that move to the wait.
  struct Places {
    Operation *start, *wait;
    SmallVector<Operation *> delayed = {};
  };

  /// The start is at most `window` ops that compute before the first user.
  std::optional<Places> latePlaces(Operation *op, Operation *user) {
    Operation *definition = operandOf(op).getDefiningOp(), *start = user;
    int64_t count = 0;
    for (Operation *before = user->getPrevNode(); before && before != definition;
         before = before->getPrevNode()) {
      if (before == op)
        continue;
      if (count == window && isWork(before))
        break;
      count += isWork(before);
      start = before;
    }
    return count > 0 ? std::optional(Places{start, user}) : std::nullopt;
  }

  /// Whether an op, or one in its regions, uses a result of these ops.
  static bool usesResultOf(Operation *op, const DenseSet<Operation *> &ops) {
    return op
        ->walk([&](Operation *inner) {
          bool uses = llvm::any_of(inner->getOperands(),
                                   [&](Value value) { return ops.contains(value.getDefiningOp()); });
          return uses ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The start follows the operand, and the wait is at most `window` ops that compute after it. Users of the
  /// result between them, such as the update of a weight, move to the wait, unless their order matters.
  std::optional<Places> earlyPlaces(Operation *op) {
    Operation *start = operandOf(op).getDefiningOp()->getNextNode();
    Places places{start, start};
    DenseSet<Operation *> users{op};
    int64_t count = 0;
    for (Operation *&wait = places.wait; count < window; wait = wait->getNextNode()) {
      if (wait == op)
        continue;
      bool isUser = usesResultOf(wait, users);
      if (wait->hasTrait<OpTrait::IsTerminator>() || (isUser && !isMemoryEffectFree(wait)))
        break;
      if (isUser) {
        users.insert(wait);
        places.delayed.push_back(wait);
      } else {
        count += isWork(wait);
      }
    }
    if (places.wait == op) // it moves to the start
      places.wait = op->getNextNode();
    return count > 0 ? std::optional(places) : std::nullopt;
  }

  /// A receive starts after the send of the same channel, which is that of a step of a ring: what a device
  /// receives needs no memory before.
  static std::optional<Places> placesOfReceive(dist::RecvOp op, Operation *user) {
    Operation *start = op;
    for (Operation *before = op->getPrevNode(); before && start == op; before = before->getPrevNode())
      if (auto send = dyn_cast<dist::SendOp>(before); send && send.getChannel() == op.getChannel())
        start = send->getNextNode();
    for (Operation *between = start; between != user; between = between->getNextNode())
      if (isWork(between))
        return Places{start, user};
    return std::nullopt;
  }

  void overlap(Operation *op) {
    StringRef name = op->getName().getStringRef();
    Bytes bytes = bytesOf(op);
    if (int64_t most = std::max(bytes.operand, bytes.result); most > 0 && most < minBytes) {
      remarks.missed(op) << name << " is not asynchronous: it is of " << std::to_string(most)
                         << " bytes, fewer than " << std::to_string(minBytes);
      return;
    }
    Operation *user = firstUser(op);
    auto receive = dyn_cast<dist::RecvOp>(op);
    std::optional<Places> places = receive             ? placesOfReceive(receive, user)
                                   : isLate(op, bytes) ? latePlaces(op, user)
                                                       : earlyPlaces(op);
    if (!places) {
      remarks.missed(op) << name << " is not asynchronous: nothing is computed between "
                         << "its operand and its first use";
      return;
    }
    if (places->start != op && places->start->getPrevNode() != op)
      op->moveBefore(places->start);
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(dist::FutureType::get(&getContext(), type));
    for (Operation *delayed : places->delayed)
      delayed->moveBefore(places->wait);
    OpBuilder builder(places->delayed.empty() ? places->wait : places->delayed.front());
    auto wait = dist::WaitOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(wait.getResult(), wait);
    remarks.done(op) << name << " is asynchronous";
  }

  PassRemarks remarks{getArgumentName()};
  std::optional<MeshPlacements> meshes;
};

} // namespace
} // namespace proa
