//! dist-decompose-rings: contractions with a collective become steps around a ring of devices.
#include "passes/spmd/Passes.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/proa/MatmulRate.h"
#include "dialects/proa/Proa.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/Ring.h"
#include "passes/spmd/RingText.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_DECOMPOSERINGS
#include "passes/spmd/Passes.h.inc"

namespace {

class DecomposeRingsPass : public impl::DecomposeRingsBase<DecomposeRingsPass> {
public:
  using DecomposeRingsBase::DecomposeRingsBase;

  void runOnOperation() override {
    channel = nextRingChannel(getOperation());
    MeshPlacements meshes(getOperation());
    SmallVector<dist::StepOpInterface> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<dist::AllGatherOp, dist::ReduceScatterOp>(op))
        if (auto collective = collectiveOf(op))
          ops.push_back(collective);
    });
    for (dist::StepOpInterface op : ops)
      decompose(op, meshes);
    getOperation()->walk([](Operation *op) { op->removeAttr(dist::unevenAttribute); });
  }

private:
  Ring ringOf(const EvenCollective &collective, const spmd::Mesh &mesh) {
    return Ring(getOperation(), collective.op().getFrom().getMesh(), collective.axes, mesh, channel);
  }

  void decompose(dist::StepOpInterface op, MeshPlacements &meshes) {
    auto collective = evenCollectiveOf(op, meshes);
    if (use == spmd::RingUse::Never || !collective || collective->bytes() < minBytes ||
        !isOfAllDevices(op, meshes))
      return;
    if (op->getParentOfType<pd::CheckpointOp>())
      return missed(op, "a send is an effect, which pd.checkpoint does not allow");
    const spmd::Mesh &mesh = *meshes.meshOf(op.getFrom().getMesh());
    auto dim = static_cast<int64_t>(collective->dim);
    if (isa<dist::AllGatherOp>(op.getOperation())) {
      Operation *user = op->hasOneUse() ? *op->getUsers().begin() : nullptr;
      if (user && user->hasAttr(dist::unevenAttribute))
        return missed(op, shardsDiffer);
      auto rows =
          user ? rowsOf(user,
                        [&](const Rows &own) {
                          return user->getOperand(own.operand) == op->getResult(0) && own.operandDim == dim;
                        })
               : std::nullopt;
      if (!rows || user->getBlock() != op->getBlock())
        return missed(op, "its result is not the rows of one contraction");
      std::optional<std::string> estimate = choose(op, user, *collective);
      if (!estimate)
        return;
      remarks.done(op) << "dist.all_gather and " << user->getName().getStringRef() << " become a ring of "
                       << std::to_string(collective->shards) << " devices" << *estimate;
      return gatherInSteps(op, user, *rows, ringOf(*collective, mesh));
    }
    Operation *source = op.getX().getDefiningOp();
    if (source && source->hasAttr(dist::unevenAttribute))
      return missed(op, shardsDiffer);
    auto rows = source && source->hasOneUse()
                    ? rowsOf(source, [&](const Rows &own) { return own.resultDim == dim; })
                    : std::nullopt;
    auto element = op.getGlobal().getElementType();
    if (!rows || source->getBlock() != op->getBlock())
      return missed(op, "it does not split the rows of a contraction without other uses");
    // A sum of more terms would be rounded to 16 bits after each.
    if (collective->reduction != spmd::Reduction::Sum || !(element.isF32() || element.isF64()))
      return missed(op, "it is not a sum of f32 or f64");
    std::optional<std::string> estimate = choose(op, source, *collective);
    if (!estimate)
      return;
    remarks.done(op) << "dist.reduce_scatter and " << source->getName().getStringRef() << " become a ring of "
                     << std::to_string(collective->shards) << " devices" << *estimate;
    reduceInSteps(op, source, *rows, ringOf(*collective, mesh));
  }

  static constexpr const char *shardsDiffer = "the shards of its contraction differ in size between devices";

  /// Nothing if a contraction does not become a ring, else the estimates for a remark: ": ...", or empty if
  /// none decides.
  std::optional<std::string> choose(dist::StepOpInterface op, Operation *contraction,
                                    const EvenCollective &collective) {
    if (use == spmd::RingUse::Never)
      return std::nullopt;
    if (use == spmd::RingUse::Always)
      return "";
    auto matmul = dyn_cast<pd::ContractionOpInterface>(contraction);
    std::optional<int64_t> multiplyAdds = matmul ? matmul.getMultiplyAdds() : std::nullopt;
    spmd::RingWork work;
    work.shards = collective.shards;
    work.messageBytes = collective.bytes() / collective.shards;
    work.operations = 2 * static_cast<double>(multiplyAdds.value_or(0));
    work.gatherBytes = collective.bytes();
    work.ringBytes = 2 * work.messageBytes;
    // A ring of a gather joins the rows of all steps, and takes them in their order.
    if (auto type = cast<RankedTensorType>(contraction->getResult(0).getType());
        isa<dist::AllGatherOp>(op.getOperation()) && type.hasStaticShape())
      work.copiedBytes = 2 * type.getNumElements() * elementBytes(type.getElementType());
    const DeviceFacts &device = targetOf(op).device();
    spmd::RingCost cost =
        costOfRing(work, spmd::RingModel::of(device, matmulFlopsPerSecond(contraction), overlaps));
    if (cost.isRing)
      return ": " + textOf(cost, work);
    missed(op, "by the model it takes " + textOf(cost, work));
    return std::nullopt;
  }

  void missed(dist::StepOpInterface op, const Twine &reason) {
    remarks.missed(op) << op->getName().getStringRef() << " stays: " << reason.str();
  }

  /// Whether all devices have the same local types, so that all agree on the messages.
  static bool isOfAllDevices(dist::StepOpInterface op, MeshPlacements &meshes) {
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    return op.getX().getType().hasStaticShape() && result.hasStaticShape() && result.getRank() > 0 &&
           dist::localType(op.getGlobal(), meshes.placementOf(op.getFrom())) == op.getX().getType() &&
           dist::localType(op.getGlobal(), meshes.placementOf(op.getTo())) == result;
  }

  /// Device i computes the shards i, i + 1, ... of the result, and moves them to their places.
  static void gatherInSteps(dist::StepOpInterface op, Operation *user, const Rows &rows, Ring ring) {
    OpBuilder builder(user);
    Location location = user->getLoc();
    Value x = op.getX();
    SmallVector<Value> shards;
    for (int64_t step = 0; step < ring.size(); ++step) {
      bool isLast = step + 1 == ring.size();
      if (!isLast)
        ring.send(builder, location, x);
      shards.push_back(onShard(builder, user, rows.operand, x));
      if (!isLast)
        x = ring.receive(builder, location, x.getType());
    }
    int64_t length = cast<RankedTensorType>(shards[0].getType()).getDimSize(rows.resultDim);
    for (int64_t shard = 0; shard + 1 < ring.size(); ++shard)
      shards.push_back(shards[static_cast<size_t>(shard)]);
    Value all =
        pd::ConcatOp::create(builder, location, shards, Value(), builder.getI64IntegerAttr(rows.resultDim));
    SmallVector<int64_t> begins;
    for (int64_t shard = 0; shard < ring.size(); ++shard)
      begins.push_back((ring.size() - shard) % ring.size() * length);
    Value ordered = ring.range(builder, location, all, rows.resultDim, begins, length * ring.size());
    user->getResult(0).replaceAllUsesWith(ordered);
    user->erase();
    op->erase();
  }

  /// Device i adds its terms of the shards i + 1, i + 2, ..., i to what it gets from the next device.
  static void reduceInSteps(dist::StepOpInterface op, Operation *source, const Rows &rows, Ring ring) {
    OpBuilder builder(op);
    Location location = source->getLoc();
    Value x = source->getOperand(rows.operand), sum;
    int64_t length = cast<RankedTensorType>(x.getType()).getDimSize(rows.operandDim) / ring.size();
    for (int64_t step = 0; step < ring.size(); ++step) {
      SmallVector<int64_t> begins;
      for (int64_t shard = 0; shard < ring.size(); ++shard)
        begins.push_back((shard + step + 1) % ring.size() * length);
      Value piece = ring.range(builder, location, x, rows.operandDim, begins, length);
      Value term = onShard(builder, source, rows.operand, piece);
      if (step > 0)
        term = pd::AddOp::create(builder, location, term, ring.receive(builder, location, term.getType()));
      if (step + 1 < ring.size())
        ring.send(builder, location, term);
      sum = term;
    }
    op->getResult(0).replaceAllUsesWith(sum);
    op->erase();
    source->erase();
  }

  int64_t channel = 0;
  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
