//! dist-lower-collectives: replaces ops of dist on local tensors by calls of the runtime.
#include "passes/spmd/Passes.h"

#include "dialects/dist/Placements.h"
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

/// The tensor type of a result, which may be a future.
RankedTensorType tensorOf(Type type) {
  auto future = dyn_cast<dist::FutureType>(type);
  return future ? future.getTensor() : cast<RankedTensorType>(type);
}

/// Lowers the ops of one module.
class Lowering {
public:
  LogicalResult lower(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](dist::SliceOp step) { return lowerStep<rt::SliceOp>(step); })
        .Case([&](dist::ToPartialOp step) { return lowerStep<rt::ToPartialOp>(step); })
        .Case([&](dist::AllGatherOp step) { return lowerStep<rt::AllGatherOp>(step); })
        .Case([&](dist::AllToAllOp step) { return lowerStep<rt::AllToAllOp>(step); })
        .Case([&](dist::PermuteOp step) { return lowerStep<rt::PermuteOp>(step); })
        .Case([&](dist::ReduceScatterOp step) { return lowerStep<rt::ReduceScatterOp>(step); })
        .Case([&](dist::AllReduceOp step) { return lowerStep<rt::AllReduceOp>(step); })
        .Case([&](dist::BroadcastOp broadcast) { return lowerBroadcast(broadcast); })
        .Case([&](dist::SendOp send) { return lowerSend(send); })
        .Case([&](dist::RecvOp recv) { return lowerRecv(recv); })
        .Case([&](dist::ConstrainOp constrain) { return replace(constrain, constrain.getX()); })
        .Default([](Operation *other) {
          return other->emitOpError() << "is of the global form; expected ops on local tensors";
        });
  }

  static LogicalResult lowerWait(dist::WaitOp op) {
    if (!isa<RankedTensorType>(op.getFuture().getType()))
      return op->emitOpError() << "waits for a future that no collective of this function gives";
    return replace(op, op.getFuture());
  }

private:
  /// Users of a future get the tensor: waits.
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
    return replace(op, RtOp::create(builder, op.getLoc(), tensorOf(op.getResult().getType()), op.getX(),
                                    dimsOf(op.getGlobal()), meshOf(op, op.getFrom().getMesh()), op.getFrom(),
                                    op.getTo(), isLocal ? number : number++));
  }

  LogicalResult lowerBroadcast(dist::BroadcastOp op) {
    OpBuilder builder(op);
    return replace(op, rt::BroadcastOp::create(builder, op.getLoc(), tensorOf(op.getResult().getType()),
                                               op.getX(), meshOf(op, op.getGroup().getMesh()), op.getGroup(),
                                               op.getRoot(), number++));
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
    return replace(op, rt::RecvOp::create(builder, op.getLoc(), tensorOf(op.getResult().getType()),
                                          dimsOf(op.getGlobal()), meshOf(op, op.getFrom().getMesh()),
                                          op.getFrom(), meshOf(op, op.getTo().getMesh()), op.getTo(),
                                          op.getChannel()));
  }

  SymbolTableCollection symbols;
  int64_t number = 0;
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
