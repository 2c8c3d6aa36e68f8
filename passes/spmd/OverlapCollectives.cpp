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

/// The order of the ops of blocks. MLIR's own is numbered again, for the whole block, after each move.
class OpOrder {
public:
  bool isBefore(Operation *a, Operation *b) { return keyOf(a) < keyOf(b); }

  /// An op was inserted, or moved to another place of its block.
  void place(Operation *op) {
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    int64_t first = before ? keyOf(before) : keyOf(after) - 2 * distance, last = keyOf(after);
    keys[op] = first + (last - first) / 2;
    if (keys[op] == first)
      renumber(*op->getBlock());
  }

private:
  /// Allows 40 ops between two before the block is numbered again.
  static constexpr int64_t distance = int64_t(1) << 40;

  int64_t keyOf(Operation *op) {
    if (!keys.contains(op))
      renumber(*op->getBlock());
    return keys.at(op);
  }

  void renumber(Block &block) {
    int64_t key = 0;
    for (Operation &op : block)
      keys[&op] = key += distance;
  }

  llvm::DenseMap<Operation *, int64_t> keys;
};

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
    order = {};
    sendBefore.clear();
    SmallVector<Operation *> ops;
    llvm::DenseMap<std::pair<Block *, uint64_t>, Operation *> sends;
    getOperation()->walk([&](Operation *op) {
      if (auto send = dyn_cast<dist::SendOp>(op))
        sends[{op->getBlock(), send.getChannel()}] = op;
      if (auto receive = dyn_cast<dist::RecvOp>(op))
        sendBefore[op] = sends.lookup({op->getBlock(), receive.getChannel()});
      if (collectiveOf(op) || (isa<dist::RecvOp>(op) && isa<RankedTensorType>(op->getResult(0).getType())))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      overlap(op);
  }

private:
  /// The first op of the block that uses a result; the terminator if none does.
  Operation *firstUser(Operation *op) {
    Operation *first = op->getBlock()->getTerminator();
    for (Operation *user : op->getUsers())
      if (Operation *own = op->getBlock()->findAncestorOpInBlock(*user); own && order.isBefore(own, first))
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
  /// equal on all devices, also where shards differ in size, because all devices must start the same ops.
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
  struct InsertionPoints {
    Operation *start, *wait;
    SmallVector<Operation *> delayed = {};
  };

  /// Whether a value needs no more than arguments and views of them: packed parameters of ZeRO 3.
  static bool isOfArguments(Value value) {
    Operation *definition = value.getDefiningOp();
    constexpr unsigned mostDepth = 2; // a bucket is a concatenation of reshaped arguments
    SmallVector<std::pair<Operation *, unsigned>> left{{definition, 0}};
    while (!left.empty()) {
      auto [op, depth] = left.pop_back_val();
      if (!op)
        continue;
      if (depth == mostDepth)
        return false;
      for (Value operand : op->getOperands())
        left.emplace_back(operand.getDefiningOp(), depth + 1);
    }
    return true;
  }

  static bool gathersArguments(Operation *op) {
    return isa_and_present<dist::AllGatherOp>(op) && isOfArguments(operandOf(op));
  }

  /// The start is at most `window` ops that compute before the first user.
  std::optional<InsertionPoints> latePoints(Operation *op, Operation *user) {
    Operation *definition = operandOf(op).getDefiningOp(), *start = user;
    bool isNext = gathersArguments(op);
    int64_t count = 0;
    for (Operation *before = user->getPrevNode(); before && before != definition;
         before = before->getPrevNode()) {
      if (before == op)
        continue;
      auto wait = dyn_cast<dist::WaitOp>(before);
      bool isNextToArrive = isNext && wait && gathersArguments(wait.getFuture().getDefiningOp());
      if ((count == window && isWork(before)) || (isNextToArrive && count > 0))
        break;
      count += isWork(before);
      start = before;
    }
    return count > 0 ? std::optional(InsertionPoints{start, user}) : std::nullopt;
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

  /// The start follows the operand, and the wait is at most `window` ops that compute after it. At most as
  /// many users of the result between them, such as the update of a weight, move to the wait, unless their
  /// order matters.
  std::optional<InsertionPoints> earlyPoints(Operation *op) {
    Operation *start = operandOf(op).getDefiningOp()->getNextNode();
    InsertionPoints points{start, start};
    DenseSet<Operation *> users{op};
    int64_t count = 0;
    for (Operation *&wait = points.wait; count < window; wait = wait->getNextNode()) {
      if (wait == op)
        continue;
      bool isUser = usesResultOf(wait, users);
      bool mayMove = isMemoryEffectFree(wait) && static_cast<int64_t>(points.delayed.size()) < window;
      if (wait->hasTrait<OpTrait::IsTerminator>() || (isUser && !mayMove))
        break;
      if (isUser) {
        users.insert(wait);
        points.delayed.push_back(wait);
      } else {
        count += isWork(wait);
      }
    }
    if (points.wait == op) // it moves to the start
      points.wait = op->getNextNode();
    return count > 0 ? std::optional(points) : std::nullopt;
  }

  /// A receive starts after the send of the same channel, which is used in one step of a ring: what a device
  /// receives needs no memory before.
  std::optional<InsertionPoints> pointsOfReceive(dist::RecvOp op, Operation *user) {
    Operation *send = sendBefore.lookup(op), *start = send ? send->getNextNode() : op;
    for (Operation *between = start; between != user; between = between->getNextNode())
      if (isWork(between))
        return InsertionPoints{start, user};
    return std::nullopt;
  }

  void overlap(Operation *op) {
    StringRef name = op->getName().getStringRef();
    Bytes bytes = bytesOf(op);
    int64_t most = std::max(bytes.operand, bytes.result);
    if (most > 0 && most < minBytes) {
      remarks.missed(op) << name << " is not asynchronous: it is of " << std::to_string(most)
                         << " bytes, fewer than " << std::to_string(minBytes);
      return;
    }
    Operation *user = firstUser(op);
    auto receive = dyn_cast<dist::RecvOp>(op);
    std::optional<InsertionPoints> points = receive             ? pointsOfReceive(receive, user)
                                            : isLate(op, bytes) ? latePoints(op, user)
                                                                : earlyPoints(op);
    if (!points) {
      remarks.missed(op) << name << " is not asynchronous: nothing is computed between "
                         << "its operand and its first use";
      return;
    }
    if (points->start != op && points->start->getPrevNode() != op) {
      op->moveBefore(points->start);
      order.place(op);
    }
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(dist::FutureType::get(&getContext(), type));
    for (Operation *delayed : points->delayed) {
      delayed->moveBefore(points->wait);
      order.place(delayed);
    }
    OpBuilder builder(points->delayed.empty() ? points->wait : points->delayed.front());
    auto wait = dist::WaitOp::create(builder, op->getLoc(), type, result);
    order.place(wait);
    result.replaceAllUsesExcept(wait.getResult(), wait);
    remarks.done(op) << name << " is asynchronous: it is of "
                     << (most > 0 ? std::to_string(most) : "an unknown number of") << " bytes, at least "
                     << std::to_string(minBytes);
  }

  PassRemarks remarks{getArgumentName()};
  std::optional<MeshPlacements> meshes;
  OpOrder order;
  /// The send of the same channel and block before each receive; null: none.
  llvm::DenseMap<Operation *, Operation *> sendBefore;
};

} // namespace
} // namespace proa
