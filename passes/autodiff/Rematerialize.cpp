#include "passes/autodiff/Rematerialize.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/Arithmetic.h"
#include "passes/autodiff/RecomputeCut.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

/// The most successive cuts. Each may move the position of peak memory.
constexpr int maxRounds = 4;
constexpr int64_t maxSegments = 64;

int64_t operationsIn(Block &block) {
  int64_t total = 0;
  block.walk([&](Operation *op) { total += pd::operationsOf(op).value_or(0); });
  return total;
}

/// Clones the ops that a cut selects to where their results are first needed.
class Recomputation {
public:
  Recomputation(const ValueLifetimes &lifetimes, const RecomputeCut &cut) : lifetimes(lifetimes), cut(cut) {}

  int64_t write() {
    for (size_t i = cut.position + 1; i < lifetimes.size(); ++i)
      lifetimes.at(i)->walk([&](Operation *reader) {
        for (OpOperand &operand : reader->getOpOperands())
          if (cut.recomputed.contains(operand.get()))
            operand.set(again(operand.get(), lifetimes.at(i)));
      });
    // Erases ops before the peak whose values are now only computed after it.
    for (size_t i = cut.position + 1; i-- > 0;)
      if (isOpTriviallyDead(lifetimes.at(i)))
        lifetimes.at(i)->erase();
    return count;
  }

private:
  /// The value recomputed, or a barrier on it if it was kept; created before `reader`, which is the
  /// first to need it.
  Value again(Value value, Operation *reader) {
    SmallVector<Value> missing{value};
    SmallVector<Operation *> ops;
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!missing.empty()) {
      Value next = missing.pop_back_val();
      Operation *op = next.getDefiningOp();
      if (mapping.contains(next) || !cut.recomputed.contains(next) || !seen.insert(op).second)
        continue;
      ops.push_back(op);
      llvm::append_range(missing, op->getOperands());
    }
    llvm::sort(ops,
               [&](Operation *a, Operation *b) { return lifetimes.positionOf(a) < lifetimes.positionOf(b); });
    OpBuilder builder(reader);
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!mapping.contains(operand) && !isConstant(operand))
          mapping.map(operand, pd::barrierOn(builder, operand.getLoc(), operand));
      // Kept results are not recomputed.
      Operation *clone = builder.clone(*op, mapping);
      for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
        if (!cut.recomputed.contains(from))
          mapping.erase(from);
        else
          mapping.map(from, to);
      ++count;
    }
    return mapping.lookup(value);
  }

  static bool isConstant(Value value) {
    Operation *op = value.getDefiningOp();
    return op && op->hasTrait<OpTrait::ConstantLike>();
  }

  const ValueLifetimes &lifetimes;
  const RecomputeCut &cut;
  IRMapping mapping;
  int64_t count = 0;
};

/// Repeats the cut while the peak falls and is above the budget.
RecomputeReport recompute(func::FuncOp function, const RecomputeChoice &choice,
                          std::optional<int64_t> budget) {
  RecomputeReport report;
  for (int round = 0; round < maxRounds; ++round) {
    Block &block = function.getBody().front();
    ValueLifetimes lifetimes(block);
    RecomputeCut cut = findRecomputeCut(lifetimes, choice);
    if (round == 0) {
      report.peakBefore = report.peakAfter = lifetimes.peakBytes();
      report.keptBefore = report.keptAfter = cut.keptBefore;
    }
    if ((budget && report.peakAfter <= *budget) || cut.recomputed.empty() || cut.keptAfter >= cut.keptBefore)
      break;
    // Applies the cut to a copy, which replaces the function's body if its peak is lower.
    OwningOpRef<func::FuncOp> copy(function.clone());
    Block &changed = copy->getBody().front();
    ValueLifetimes again(changed);
    RecomputeCut sameCut = findRecomputeCut(again, choice);
    int64_t ops = Recomputation(again, sameCut).write();
    int64_t peak = ValueLifetimes(changed).peakBytes();
    if (peak >= report.peakAfter)
      break;
    function.getBody().takeBody(copy->getBody());
    report.recomputedOps += ops;
    report.peakAfter = peak;
    if (round == 0)
      report.keptAfter = cut.keptAfter;
  }
  return report;
}

/// The report of a choice, on a temporary copy of the function.
RecomputeReport tryOut(func::FuncOp function, const RecomputeChoice &choice, std::optional<int64_t> budget) {
  OwningOpRef<func::FuncOp> copy(function.clone());
  return recompute(*copy, choice, budget);
}

/// The choice with the fewest segments that meets the budget, or else the one with the lowest peak.
RecomputeChoice chooseFor(func::FuncOp function, int64_t budget) {
  RecomputeChoice best;
  RecomputeReport least = tryOut(function, best, budget);
  for (RecomputeChoice choice{2}; choice.segments <= maxSegments && least.peakAfter > budget;
       choice.segments *= 2) {
    RecomputeReport report = tryOut(function, choice, budget);
    if (report.peakAfter < least.peakAfter) {
      best = choice;
      least = report;
    }
  }
  return best;
}

} // namespace

RecomputeReport rematerialize(func::FuncOp function, std::optional<int64_t> budget) {
  int64_t before = operationsIn(function.getBody().front());
  RecomputeReport report =
      recompute(function, budget ? chooseFor(function, *budget) : RecomputeChoice(), budget);
  report.operationsBefore = before;
  report.operationsAdded = operationsIn(function.getBody().front()) - before;
  report.withinBudget = !budget || report.peakAfter <= *budget;
  return report;
}

} // namespace proa::autodiff
