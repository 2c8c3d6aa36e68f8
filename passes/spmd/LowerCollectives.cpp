//! dist-lower-collectives: replaces ops of dist on local tensors by calls of the runtime.
#include "passes/spmd/Passes.h"

#include "dialects/dist/Placements.h"
#include "dialects/dist/Schedule.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/rt/Rt.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_LOWERCOLLECTIVES
#include "passes/spmd/Passes.h.inc"

namespace {

/// The dims as the runtime has them (runtime::dynamicDim).
SmallVector<int64_t> dimsOf(RankedTensorType type) {
  return llvm::map_to_vector(type.getShape(),
                             [](int64_t dim) { return ShapedType::isDynamic(dim) ? int64_t(-1) : dim; });
}

/// The type of the call for a result: a future stays one if its only use is a wait in the same block.
/// Otherwise the op communicates where it starts.
Type typeOf(Value result) {
  auto future = dyn_cast<dist::FutureType>(result.getType());
  if (!future)
    return result.getType();
  Operation *user = result.hasOneUse() ? *result.getUsers().begin() : nullptr;
  bool waits = isa_and_present<dist::WaitOp>(user) && user->getBlock() == result.getParentBlock();
  return waits ? Type(future) : future.getTensor();
}

/// Lowers the ops of one module.
class Lowering {
public:
  LogicalResult lower(Operation *op) {
    if (op->getParentOfType<pd::CheckpointOp>())
      return op->emitOpError()
             << "is in pd.checkpoint, whose ops have no effects; expected the decomposition of that op";
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](dist::SliceOp step) { return lowerStep<rt::SliceOp>(step); })
        .Case([&](dist::ToPartialOp step) { return lowerStep<rt::ToPartialOp>(step); })
        .Case([&](dist::AllGatherOp step) { return lowerStep<rt::AllGatherOp>(step); })
        .Case([&](dist::AllToAllOp step) { return lowerStep<rt::AllToAllOp>(step); })
        .Case([&](dist::PermuteOp step) { return lowerStep<rt::PermuteOp>(step); })
        .Case([&](dist::ReduceScatterOp step) { return lowerStep<rt::ReduceScatterOp>(step); })
        .Case([&](dist::AllReduceOp step) { return lowerStep<rt::AllReduceOp>(step); })
        .Case([&](dist::BroadcastOp broadcast) { return lowerBroadcast(broadcast); })
        .Case([&](dist::ExchangeRowsOp exchange) { return lowerExchange(exchange); })
        .Case([&](dist::SendOp send) { return lowerSend(send); })
        .Case([&](dist::RecvOp recv) { return lowerRecv(recv); })
        .Case([&](dist::ConstrainOp constrain) { return replace(constrain, constrain.getX()); })
        .Case([&](dist::ScheduleOp schedule) { return schedule.erase(), success(); })
        .Default([](Operation *other) {
          return other->emitOpError() << "is of the global form; expected ops on local tensors";
        });
  }

  static LogicalResult lowerWait(dist::WaitOp op) {
    Value future = op.getFuture();
    if (isa<RankedTensorType>(future.getType()))
      return replace(op, future);
    Operation *start = future.getDefiningOp();
    if (!isa_and_present<rt::RtDialect>(start ? start->getDialect() : nullptr))
      return op->emitOpError() << "waits for a future that no collective of this function gives";
    OpBuilder builder(op);
    Value operand = start->getNumOperands() == 0 ? Value() : start->getOperand(0);
    return replace(op, rt::WaitOp::create(builder, op.getLoc(), op.getResult().getType(), future, operand));
  }

private:
  static LogicalResult replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  dist::MeshAttr meshOf(Operation *op, FlatSymbolRefAttr symbol) {
    return dist::lookupMesh(symbols, op, symbol);
  }

  template <class RtOp, class StepOp> LogicalResult lowerStep(StepOp op) {
    OpBuilder builder(op);
    constexpr bool isLocal =
        std::is_same_v<StepOp, dist::SliceOp> || std::is_same_v<StepOp, dist::ToPartialOp>;
    return replace(op, RtOp::create(builder, op.getLoc(), typeOf(op.getResult()), op.getX(),
                                    dimsOf(op.getGlobal()), meshOf(op, op.getFrom().getMesh()), op.getFrom(),
                                    op.getTo(), indexOf(op.getFrom().getMesh(), isLocal)));
  }

  LogicalResult lowerBroadcast(dist::BroadcastOp op) {
    OpBuilder builder(op);
    return replace(op, rt::BroadcastOp::create(builder, op.getLoc(), typeOf(op.getResult()), op.getX(),
                                               meshOf(op, op.getGroup().getMesh()), op.getGroup(),
                                               op.getRoot(), indexOf(op.getGroup().getMesh(), false)));
  }

  LogicalResult lowerExchange(dist::ExchangeRowsOp op) {
    OpBuilder builder(op);
    FlatSymbolRefAttr mesh = op.getGroup().getMesh();
    return replace(op, rt::ExchangeRowsOp::create(builder, op.getLoc(), op.getResult().getType(), op.getX(),
                                                  op.getSendCounts(), op.getRecvCounts(), meshOf(op, mesh),
                                                  op.getGroup(), indexOf(mesh, false)));
  }

  LogicalResult checkTransfer(Operation *op, RankedTensorType global, dist::ShardingAttr from,
                              dist::ShardingAttr to) {
    if (!from.getPartial().empty() || !to.getPartial().empty())
      return op->emitOpError() << "cannot move a partial value to another mesh";
    if (!global.hasStaticShape())
      return op->emitOpError() << "cannot move a value with a dynamic dim to another mesh, found " << global;
    return success();
  }

  LogicalResult lowerSend(dist::SendOp op) {
    if (failed(checkTransfer(op, op.getGlobal(), op.getFrom(), op.getTo())))
      return failure();
    for (Operation *user : op->getUsers())
      if (!isa<dist::WaitOp>(user))
        return user->emitOpError() << "uses the future of a dist.send; expected dist.wait";
    OpBuilder builder(op);
    rt::SendOp::create(builder, op.getLoc(), op.getX(), dimsOf(op.getGlobal()),
                       meshOf(op, op.getFrom().getMesh()), op.getFrom(), meshOf(op, op.getTo().getMesh()),
                       op.getTo(), op.getChannel());
    // The runtime keeps a copy of what it sends, so that there is nothing to wait for.
    for (Operation *wait : llvm::make_early_inc_range(op->getUsers()))
      wait->erase();
    op.erase();
    return success();
  }

  LogicalResult lowerRecv(dist::RecvOp op) {
    if (failed(checkTransfer(op, op.getGlobal(), op.getFrom(), op.getTo())))
      return failure();
    OpBuilder builder(op);
    return replace(op,
                   rt::RecvOp::create(builder, op.getLoc(), typeOf(op.getResult()), dimsOf(op.getGlobal()),
                                      meshOf(op, op.getFrom().getMesh()), op.getFrom(),
                                      meshOf(op, op.getTo().getMesh()), op.getTo(), op.getChannel()));
  }

  /// The index of a collective among all of its mesh: ranks of other meshes have other collectives.
  int64_t indexOf(FlatSymbolRefAttr mesh, bool isLocal) {
    return isLocal ? nextIndex[mesh] : nextIndex[mesh]++;
  }

  SymbolTableCollection symbols;
  llvm::DenseMap<Attribute, int64_t> nextIndex;
};

class LowerCollectivesPass : public impl::LowerCollectivesBase<LowerCollectivesPass> {
public:
  using LowerCollectivesBase::LowerCollectivesBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<dist::DistDialect>(op->getDialect()) && !isa<dist::MeshOp, dist::WaitOp>(op))
        ops.push_back(op);
    });
    Lowering lowering;
    bool isLowered = true;
    for (Operation *op : ops)
      isLowered &= succeeded(lowering.lower(op));
    SmallVector<dist::WaitOp> waits;
    getOperation()->walk([&](dist::WaitOp wait) { waits.push_back(wait); });
    for (dist::WaitOp wait : waits)
      isLowered = isLowered && succeeded(Lowering::lowerWait(wait));
    if (!isLowered)
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
