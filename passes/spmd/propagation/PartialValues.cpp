//! Where partial values are combined: at the op that gives them, or after linear ops.
#include "passes/spmd/propagation/Assignment.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

namespace proa::sharding {

namespace {

struct Use {
  unsigned node, operand;
};

/// The linear ops that a partial value may pass through.
class PartialValues {
public:
  PartialValues(const ShardingGraph &graph, Assignment &assignment, PlacementPool &pool, ReshardCosts &costs)
      : graph(graph), assignment(assignment), pool(pool), costs(costs), uses(graph.values.size()),
        potential(assignment.natural), least(graph.values.size(), 0), secondsOfResults(graph.nodes.size(), 0),
        isDropped(graph.values.size(), false), passes(graph.nodes.size(), false) {}

  void run() {
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      for (unsigned i = 0; i < graph.nodes[node].numOperands; ++i)
        if (unsigned value = operandValue(node, i); value != none)
          uses[value].push_back({node, i});
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      findCandidate(node);
    for (unsigned node = static_cast<unsigned>(graph.nodes.size()); node-- > 0;)
      estimate(node);
    for (unsigned value = 0; value < graph.values.size(); ++value)
      if (isPartial(potential[value]) && !isPassedByAll(value))
        drop(value);
    for (unsigned value : combined)
      drop(value);
    apply();
  }

private:
  unsigned operandValue(unsigned node, unsigned i) const {
    return graph.nodeValues[graph.nodes[node].first + i];
  }
  unsigned resultValue(unsigned node, unsigned i) const {
    return graph.nodeValues[graph.nodes[node].first + graph.nodes[node].numOperands + i];
  }
  bool isPartial(unsigned placement) const { return !pool[placement].partial.empty(); }
  bool isPassed(Use use) const {
    return passes[use.node] && llvm::is_contained(assignment.plans[use.node].passedOperands, use.operand);
  }

  bool isPassedByAll(unsigned value) const {
    return llvm::all_of(uses[value], [&](Use use) { return isPassed(use); });
  }

  /// Whether the op can pass the partial values of a group of operands, all of which have equal partial axes.
  bool isPassable(unsigned index, llvm::ArrayRef<unsigned> group) const {
    const NodePlan &plan = assignment.plans[index];
    const spmd::Placement &first = pool[potential[operandValue(index, group.front())]];
    for (unsigned operand : group) {
      unsigned value = operandValue(index, operand);
      if (value == none || pool[potential[value]].partial != first.partial ||
          pool[potential[value]].dims != pool[plan.operands[operand]].dims)
        return false;
    }
    if (first.partial.empty() || !keepsPrecision(index, group))
      return false;
    for (const spmd::PartialAxis &partial : first.partial) {
      if (partial.reduction != spmd::Reduction::Sum && partial.reduction != spmd::Reduction::Avg)
        return false;
      for (const auto &axes : plan.axes)
        if (llvm::any_of(axes, [&](const spmd::AxisRef &axis) { return overlap(axis, partial.axis); }))
          return false;
    }
    for (unsigned placement : plan.results)
      if (placement == none || llvm::any_of(pool[placement].partial, [&](const spmd::PartialAxis &own) {
            return !spmd::commute(own.reduction, first.partial.front().reduction);
          }))
        return false;
    return true;
  }

  /// Whether terms may be combined after the op: integers round in divisions and casts, and terms should not
  /// be rounded to a narrower type.
  bool keepsPrecision(unsigned index, llvm::ArrayRef<unsigned> group) const {
    mlir::Operation *op = graph.nodes[index].op;
    auto bitsOf = [](mlir::Type type) {
      mlir::Type element = mlir::getElementTypeOrSelf(type);
      if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
        element = complex.getElementType();
      return llvm::isa<mlir::FloatType>(element) ? element.getIntOrFloatBitWidth() : 0;
    };
    unsigned widest = 0;
    for (unsigned operand : group) {
      unsigned bits = bitsOf(op->getOperand(operand).getType());
      if (bits == 0)
        return false;
      widest = std::max(widest, bits);
    }
    return llvm::all_of(op->getResultTypes(), [&](mlir::Type type) { return bitsOf(type) >= widest; });
  }

  /// Finds operands that may stay partial, with the placements of the results in that case.
  void findCandidate(unsigned index) {
    const Node &node = graph.nodes[index];
    NodePlan &plan = assignment.plans[index];
    bool hasPartial = false;
    for (unsigned i = 0; i < node.numOperands; ++i)
      hasPartial |= operandValue(index, i) != none && isPartial(potential[operandValue(index, i)]);
    auto linear = llvm::dyn_cast<pd::LinearOpInterface>(node.op);
    if (!hasPartial || node.edge || !linear)
      return;
    for (const auto &group : linear.getLinearGroups()) {
      if (group.empty() || !isPassable(index, group))
        continue;
      plan.passedOperands.assign(group.begin(), group.end());
      plan.passed = pool[potential[operandValue(index, group.front())]].partial;
      passes[index] = true;
      for (unsigned i = 0; i < node.numResults; ++i) {
        unsigned value = resultValue(index, i);
        if (!graph.states[graph.stateOfValue[value]].isPinned)
          potential[value] = withPassed(plan.results[i], plan);
      }
      return;
    }
  }

  unsigned withPassed(unsigned placement, const NodePlan &plan) {
    spmd::Placement result = pool[placement];
    result.partial.insert(result.partial.end(), plan.passed.begin(), plan.passed.end());
    std::ranges::sort(result.partial, {},
                      [](const spmd::PartialAxis &p) { return std::pair(p.axis.axis, p.axis.pre); });
    return pool.indexOf(result);
  }

  /// The time to combine a value, split as its uses want it.
  double combineSeconds(unsigned value) {
    const State &state = graph.states[graph.stateOfValue[value]];
    spmd::Placement whole = pool[potential[value]];
    whole.partial.clear();
    spmd::Placement target = targetOf(state, whole);
    target.partial.clear();
    return costs.seconds(potential[value], pool.indexOf(target), state.type);
  }

  llvm::SmallVector<unsigned> passedValues(unsigned index) const {
    llvm::SmallVector<unsigned> values;
    for (unsigned operand : assignment.plans[index].passedOperands)
      if (unsigned value = operandValue(index, operand); !llvm::is_contained(values, value))
        values.push_back(value);
    return values;
  }

  /// The least time for the results of a node, after those of later nodes; then whether passing is not
  /// slower.
  void estimate(unsigned index) {
    const Node &node = graph.nodes[index];
    double later = 0;
    for (unsigned i = 0; i < node.numResults; ++i) {
      unsigned value = resultValue(index, i);
      if (value == none || !isPartial(potential[value]))
        continue;
      // Where it makes no difference, values are combined early.
      least[value] = combineSeconds(value);
      double after = isPassedByAll(value) ? secondsAfter(value) : least[value];
      if (after < least[value])
        least[value] = after;
      else
        combined.push_back(value);
      later += least[value];
    }
    if (!passes[index])
      return;
    secondsOfResults[index] = later;
    double now = 0;
    for (unsigned value : passedValues(index))
      now += combineSeconds(value);
    passes[index] = later < now;
  }

  double secondsAfter(unsigned value) {
    double seconds = 0;
    unsigned last = none;
    for (Use use : uses[value]) {
      if (use.node != last)
        seconds += secondsOfResults[use.node] / static_cast<double>(passedValues(use.node).size());
      last = use.node;
    }
    return seconds;
  }

  /// The value is combined where it is defined, so no node passes it, and the other operands of these nodes
  /// are combined too.
  void drop(unsigned first) {
    llvm::SmallVector<unsigned> work{first};
    while (!work.empty()) {
      unsigned value = work.pop_back_val();
      if (isDropped[value])
        continue;
      isDropped[value] = true;
      for (Use use : uses[value]) {
        if (!isPassed(use))
          continue;
        passes[use.node] = false;
        llvm::append_range(work, passedValues(use.node));
        for (unsigned i = 0; i < graph.nodes[use.node].numResults; ++i)
          work.push_back(resultValue(use.node, i));
      }
    }
  }

  void apply() {
    for (unsigned index = 0; index < graph.nodes.size(); ++index) {
      NodePlan &plan = assignment.plans[index];
      if (!passes[index]) {
        plan.passedOperands.clear();
        plan.passed.clear();
        continue;
      }
      for (unsigned i = 0; i < graph.nodes[index].numResults; ++i) {
        plan.results[i] = withPassed(plan.results[i], plan);
        unsigned value = resultValue(index, i);
        if (!graph.states[graph.stateOfValue[value]].isPinned)
          assignment.natural[value] = plan.results[i];
      }
    }
  }

  const ShardingGraph &graph;
  Assignment &assignment;
  PlacementPool &pool;
  ReshardCosts &costs;
  std::vector<llvm::SmallVector<Use, 2>> uses;
  /// The placement of each value if partial values pass through every op that can pass them.
  std::vector<unsigned> potential;
  /// The least time to combine each partial value, where it is defined or later.
  std::vector<double> least;
  /// Values that are combined where they are defined because that is not slower.
  std::vector<unsigned> combined;
  std::vector<double> secondsOfResults;
  std::vector<bool> isDropped, passes;
};

} // namespace

void passPartials(const ShardingGraph &graph, Assignment &assignment, PlacementPool &pool,
                  ReshardCosts &costs) {
  PartialValues(graph, assignment, pool, costs).run();
}

} // namespace proa::sharding
