//! dist-expand-reshard: replaces reshards by the cheapest sequence of collectives.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/ReshardExpander.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_EXPANDRESHARD
#include "passes/spmd/Passes.h.inc"

namespace {

class ExpandReshardPass : public impl::ExpandReshardBase<ExpandReshardPass> {
public:
  using ExpandReshardBase::ExpandReshardBase;

  void runOnOperation() override {
    MeshPlacements meshes(getOperation());
    LocalTypes types{meshes};
    ReshardExpander expander({latency, bandwidth, {links.begin(), links.end()}, memoryLimit, dynamicDim},
                             types);
    if (failed(expander.verifyOptions(getOperation(), getArgumentName())))
      return signalPassFailure();
    SmallVector<dist::ReshardOp> ops;
    getOperation()->walk([&](dist::ReshardOp op) { ops.push_back(op); });
    for (dist::ReshardOp op : ops)
      if (failed(expand(op, expander, types)))
        signalPassFailure();
  }

private:
  LogicalResult expand(dist::ReshardOp op, ReshardExpander &expander, const LocalTypes &types) {
    if (op.getFrom().getMesh() != op.getTo().getMesh()) {
      remarks.missed(op) << "dist.reshard stays: its shardings are on the meshes "
                         << op.getFrom().getMesh().getValue() << " and " << op.getTo().getMesh().getValue();
      return success();
    }
    RankedTensorType global = op.getX().getType();
    FailureOr<spmd::ReshardPlan> plan = expander.plan(op, global, op.getFrom(), op.getTo());
    if (failed(plan))
      return failure();
    if (PassRemarks::areEnabled(op.getContext())) {
      std::string names;
      for (const spmd::ReshardStep &step : plan->steps)
        names += (names.empty() ? "" : ", ") + std::string(spmd::nameOf(step.kind));
      remarks.done(op) << "dist.reshard becomes: " << names;
    }
    OpBuilder builder(op);
    Location location = op.getLoc();
    Value value =
        dist::ToLocalOp::create(builder, location, types.of(global, op.getFrom()), op.getX(), op.getFrom());
    value = expander.createSteps(builder, location, *plan, value, global, op.getFrom());
    op.replaceAllUsesWith(dist::ToGlobalOp::create(builder, location, global, value, op.getTo()).getResult());
    op.erase();
    return success();
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
