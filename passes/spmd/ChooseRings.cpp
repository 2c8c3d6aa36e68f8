//! dist-choose-rings: which ops pass shards of operands around a ring of devices.
#include "passes/spmd/Passes.h"

#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/proa/MatmulRate.h"
#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/GlobalForm.h"
#include "passes/spmd/RingText.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_CHOOSERINGS
#include "passes/spmd/Passes.h.inc"

std::string textOf(const spmd::RingCost &cost, const spmd::RingWork &work) {
  constexpr double mebibyte = 1 << 20;
  return fmt::format("{:.1f} us and {:.2f} MiB as a ring, {:.1f} us and {:.2f} MiB with a gather",
                     cost.ringSeconds * 1e6, static_cast<double>(work.ringBytes) / mebibyte,
                     cost.gatherSeconds * 1e6, static_cast<double>(work.gatherBytes) / mebibyte);
}

namespace {

class ChooseRingsPass : public impl::ChooseRingsBase<ChooseRingsPass> {
public:
  using ChooseRingsBase::ChooseRingsBase;

  void runOnOperation() override {
    MeshPlacements meshes(getOperation());
    LocalTypes types{meshes};
    GlobalForm form(meshes, types);
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (GlobalForm::isSharded(function))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(form.read(function)))
        return signalPassFailure();
    for (func::FuncOp function : functions)
      function.walk([&](pd::RingOpInterface op) {
        if (const LocalFormSplit *split = form.localFormOf(op))
          choose(op, form, *split, types);
      });
  }

private:
  /// The elements that a device holds of a tensor, and of the whole one.
  static double shareOf(const GlobalTensor &tensor, LocalTypes types) {
    RankedTensorType local = types.of(tensor.type, tensor.sharding);
    if (!local.hasStaticShape() || tensor.type.getNumElements() == 0)
      return 1;
    return static_cast<double>(local.getNumElements()) / static_cast<double>(tensor.type.getNumElements());
  }

  static int64_t bytesOf(const GlobalTensor &tensor, LocalTypes types) {
    RankedTensorType local = types.of(tensor.type, tensor.sharding);
    return local.hasStaticShape() ? local.getNumElements() * elementBytes(local.getElementType()) : 0;
  }

  void choose(pd::RingOpInterface op, GlobalForm &form, const LocalFormSplit &split, LocalTypes types) {
    spmd::RingWork work;
    for (auto [factor, axes] : llvm::enumerate(split.axes))
      if (split.rule.factors[factor].localKind)
        work.shards *= spmd::shardCount(axes);
    SmallVector<const GlobalTensor *> travelling;
    for (unsigned i : op.getTravellingOperands())
      travelling.push_back(form.find(op->getOperand(i)));
    int64_t operandBytes = 0;
    for (const GlobalTensor *tensor : travelling)
      operandBytes += bytesOf(*tensor, types);
    int64_t resultBytes = 0;
    for (unsigned i : op.getTravellingResults())
      resultBytes += bytesOf(*form.find(op->getResult(i)), types);
    // The device has the rows of its shard of operand 0.
    double share = shareOf(*form.find(op->getOperand(0)), types);
    constexpr double scoreBytes = 2 * sizeof(float); // scores and weights
    auto inner = static_cast<int64_t>(op.getInnerElements() * share * scoreBytes);
    work.messageBytes = operandBytes + resultBytes;
    work.messages = static_cast<int64_t>(travelling.size() + op.getTravellingResults().size());
    work.operations = op.getOperations() * share;
    work.gatherBytes = operandBytes * work.shards + resultBytes * work.shards + inner;
    work.ringBytes = 2 * (operandBytes + resultBytes) + inner / work.shards;
    const DeviceFacts &device = targetOf(op).device();
    spmd::RingCost cost =
        costOfRing(work, spmd::RingModel::of(device, matmulFlopsPerSecond(op.getOperation()), overlaps));
    bool isRing = use == spmd::RingUse::ByCost ? cost.isRing : use == spmd::RingUse::Always;
    op.setUsesRing(isRing);
    StringRef name = op->getName().getStringRef();
    if (isRing)
      remarks.done(op) << name << " becomes a ring of " << std::to_string(work.shards)
                       << " devices: " << textOf(cost, work);
    else
      remarks.missed(op) << name << " gathers: " << textOf(cost, work);
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
