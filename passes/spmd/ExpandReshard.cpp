//! dist-expand-reshard: replaces reshards by the cheapest sequence of collectives.
#include "passes/spmd/Passes.h"

#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/ReshardExpander.h"

#include "llvm/ADT/StringExtras.h"

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
    ReshardExpander expander(
        {targetOf(getOperation()).device(), {links.begin(), links.end()}, memoryLimit, meshLink}, types);
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
    RankedTensorType global = op.getX().getType();
    FailureOr<spmd::MeshReshardPlan> plan = expander.plan(op, global, op.getFrom(), op.getTo());
    if (failed(plan))
      return failure();
    if (PassRemarks::areEnabled(op.getContext()))
      remarks.done(op) << "dist.reshard becomes: " << textOf(*plan);
    OpBuilder builder(op);
    Location location = op.getLoc();
    Value value =
        dist::ToLocalOp::create(builder, location, types.of(global, op.getFrom()), op.getX(), op.getFrom());
    value = expander.create(builder, op, *plan, value, global, op.getFrom(), op.getTo());
    op.replaceAllUsesWith(dist::ToGlobalOp::create(builder, location, global, value, op.getTo()).getResult());
    op.erase();
    return success();
  }

  static std::string textOf(const spmd::MeshReshardPlan &plan) {
    SmallVector<std::string> names;
    for (const spmd::ReshardStep &step : plan.before)
      names.emplace_back(spmd::nameOf(step.kind));
    if (plan.move)
      names.push_back("send, recv");
    for (const spmd::ReshardStep &step : plan.after)
      names.emplace_back(spmd::nameOf(step.kind));
    return names.empty() ? "nothing" : llvm::join(names, ", ");
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
