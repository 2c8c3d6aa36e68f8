//! dist-sink-reductions: moves all_reduce ops of terms that a loop, or a sequence of ops, adds up after the
//! sum.
#include "passes/spmd/Passes.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_SINKREDUCTIONS
#include "passes/spmd/Passes.h.inc"

namespace {

bool isZero(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  auto element = dyn_cast<FloatAttr>(elements.getSplatValue<Attribute>());
  return element && element.getValue().isZero();
}

/// The operand of an op in which it is linear while the others come from outside of the loop; null otherwise.
Value linearOperand(Operation *op, scf::WhileOp loop) {
  auto linear = dyn_cast<pd::LinearOpInterface>(op);
  if (!linear || op->getNumResults() != 1)
    return nullptr;
  Value operand;
  for (Value own : op->getOperands())
    if (!loop.isDefinedOutsideOfLoop(own) && std::exchange(operand, own))
      return nullptr;
  bool isLinear = operand && llvm::any_of(linear.getLinearGroups(), [&](ArrayRef<unsigned> group) {
                    return group.size() == 1 && op->getOperand(group.front()) == operand;
                  });
  return isLinear ? operand : nullptr;
}

class SinkReductionsPass : public impl::SinkReductionsBase<SinkReductionsPass> {
public:
  using SinkReductionsBase::SinkReductionsBase;

  void runOnOperation() override {
    MeshPlacements meshes(getOperation());
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::WhileOp loop) {
      for (unsigned index = 0; index < loop.getNumResults(); ++index)
        if (dist::StepOpInterface reduction = reductionOf(loop, index, meshes))
          sink(loop, index, reduction, meshes);
    });
    SmallVector<pd::AddOp> sums;
    getOperation()->walk([&](pd::AddOp op) { sums.push_back(op); });
    for (pd::AddOp sum : sums)
      reduceSum(sum, meshes);
  }

private:
  /// The all_reduce whose only use is a sum of terms of its type; null: the term is another value.
  static dist::StepOpInterface reductionOf(Value term, pd::AddOp sum, MeshPlacements &meshes) {
    Operation *op = term.getDefiningOp();
    auto step = op ? dyn_cast_if_present<dist::StepOpInterface>(collectiveOf(op)) : dist::StepOpInterface();
    bool isMovable = step && step.getStepKind() == spmd::StepKind::AllReduce && term.hasOneUse() &&
                     op->getBlock() == sum->getBlock() && step.getX().getType() == sum.getType();
    return isMovable && sums(step, meshes) ? step : nullptr;
  }

  /// Replaces a sum of two reduced terms, or of one and zero, by the reduced sum of the terms of the device.
  void reduceSum(pd::AddOp sum, MeshPlacements &meshes) {
    if (sum.getX().getType() != sum.getType() || sum.getY().getType() != sum.getType())
      return;
    dist::StepOpInterface x = reductionOf(sum.getX(), sum, meshes), y = reductionOf(sum.getY(), sum, meshes);
    bool isOfSamePlacements = x && y && x.getFrom() == y.getFrom() && x.getTo() == y.getTo();
    if (!isOfSamePlacements && !(x && isZero(sum.getY())) && !(y && isZero(sum.getX())))
      return;
    dist::StepOpInterface step = x ? x : y;
    remarks.done(step) << step->getName().getStringRef() << " moves after the sum";
    OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    auto type = cast<RankedTensorType>(sum.getType());
    Value reduced = dist::createStep(builder, step.getLoc(), spmd::StepKind::AllReduce, sum.getResult(), type,
                                     step.getGlobal(), step.getFrom(), step.getTo());
    sum->getResult(0).replaceAllUsesExcept(reduced, reduced.getDefiningOp());
    for (dist::StepOpInterface own : {x, y})
      if (own) {
        own->getResult(0).replaceAllUsesWith(own.getX());
        own->erase();
      }
  }

  static bool sums(dist::StepOpInterface step, MeshPlacements &meshes) {
    return llvm::all_of(meshes.placementOf(step.getFrom()).partial, [](const spmd::PartialAxis &axis) {
      return axis.reduction == spmd::Reduction::Sum || axis.reduction == spmd::Reduction::Avg;
    });
  }

  /// The term that each iteration adds to a carried value that is zero at first and has no other use; null:
  /// the value is another one.
  static Value termOf(scf::WhileOp loop, unsigned index) {
    Block *test = loop.getBeforeBody(), *body = loop.getAfterBody();
    if (index >= test->getNumArguments() || index >= body->getNumArguments())
      return nullptr;
    Value tested = test->getArgument(index), carried = body->getArgument(index);
    if (!tested.hasOneUse() || loop.getConditionOp().getArgs()[index] != tested || !carried.hasOneUse() ||
        !isZero(loop.getInits()[index]))
      return nullptr;
    auto sum = dyn_cast<pd::AddOp>(*carried.user_begin());
    if (!sum || sum->getBlock() != body || !sum->hasOneUse() ||
        loop.getYieldOp()->getOperand(index) != sum->getResult(0))
      return nullptr;
    Value term = sum->getOperand(sum->getOperand(0) == carried ? 1 : 0);
    return term.getType() == carried.getType() ? term : nullptr;
  }

  /// The all_reduce of the term of a carried value, from which only linear ops without other users lead to
  /// it.
  dist::StepOpInterface reductionOf(scf::WhileOp loop, unsigned index, MeshPlacements &meshes) {
    Value term = termOf(loop, index);
    bool isSame = true;
    while (term && term.hasOneUse()) {
      Operation *op = term.getDefiningOp();
      if (!op || op->getBlock() != loop.getAfterBody())
        return nullptr;
      if (auto step = dyn_cast_if_present<dist::StepOpInterface>(collectiveOf(op)))
        return isMovableSum(step, isSame, meshes) ? step : nullptr;
      isSame = false;
      term = linearOperand(op, loop);
    }
    return nullptr;
  }

  /// Whether a step sums, and its placements hold for the carried value: of a value with other dims only
  /// those that split none.
  bool isMovableSum(dist::StepOpInterface step, bool isSame, MeshPlacements &meshes) {
    if (step.getStepKind() != spmd::StepKind::AllReduce)
      return false;
    const spmd::Placement &from = meshes.placementOf(step.getFrom());
    bool isSum = sums(step, meshes);
    bool isWhole = llvm::all_of(from.dims, [](const spmd::DimPlacement &dim) { return dim.axes.empty(); });
    if (isSum && (isSame || isWhole))
      return true;
    remarks.missed(step) << step->getName().getStringRef() << " stays in the loop: "
                         << (isSum ? "it splits dims that later ops change" : "it does not sum");
    return false;
  }

  void sink(scf::WhileOp loop, unsigned index, dist::StepOpInterface step, MeshPlacements &meshes) {
    remarks.done(step) << step->getName().getStringRef() << " moves after the loop";
    Value sum = loop.getResult(index);
    auto local = cast<RankedTensorType>(sum.getType());
    RankedTensorType global = step.getGlobal();
    dist::ShardingAttr from = step.getFrom(), to = step.getTo();
    if (step.getX().getType() != local) { // the placements split no dims
      FlatSymbolRefAttr symbol = from.getMesh();
      const spmd::Mesh &mesh = *meshes.meshOf(symbol);
      auto withDims = [&](dist::ShardingAttr sharding) {
        spmd::Placement placement = meshes.placementOf(sharding);
        placement.dims.assign(local.getRank(), {});
        return dist::shardingOf(placement, symbol, mesh);
      };
      global = local, from = withDims(from), to = withDims(to);
    }
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    Value reduced =
        dist::createStep(builder, step.getLoc(), spmd::StepKind::AllReduce, sum, local, global, from, to);
    sum.replaceAllUsesExcept(reduced, reduced.getDefiningOp());
    step->getResult(0).replaceAllUsesWith(step.getX());
    step->erase();
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
