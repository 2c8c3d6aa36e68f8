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
        potential(assignment.natural), least(graph.values.size(), 0), sums(graph.nodes.size()),
        isDropped(graph.values.size(), false), passes(graph.nodes.size(), false) {}

  void run() {
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      for (unsigned i = 0; i < graph.nodes[node].numOperands; ++i)
        if (unsigned value = operandValue(node, i); value != none)
          uses[value].push_back({node, i});
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      findCandidate(node);
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      addUp(node);
    for (unsigned node = static_cast<unsigned>(graph.nodes.size()); node-- > 0;)
      estimate(node);
    for (unsigned value = 0; value < graph.values.size(); ++value)
      if (isPartial(potential[value]) && !isPassedByAll(value))
        drop(value);
    for (unsigned value : combined)
      drop(value);
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      if (!assignment.plans[node].passed.empty() && !passes[node])
        dropResults(node);
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
    return passes[use.node] && passedOperands.contains({use.node, use.operand});
  }

  bool isPassedByAll(unsigned value) const {
    return llvm::all_of(uses[value], [&](Use use) { return isPassed(use); });
  }

  /// The partial axes that the op can pass for a group of operands: the axes of its partial operands, which
  /// must be equal. The others become terms, which costs nothing. Empty if the op cannot.
  std::vector<spmd::PartialAxis> passableAxes(unsigned index, llvm::ArrayRef<unsigned> group) const {
    const NodePlan &plan = assignment.plans[index];
    std::vector<spmd::PartialAxis> axes;
    for (unsigned operand : group) {
      unsigned value = operandValue(index, operand);
      if (value == none || plan.operands[operand] == none)
        return {};
      const spmd::Placement &own = pool[potential[value]];
      if (own.partial.empty())
        continue;
      if ((!axes.empty() && own.partial != axes) || own.dims != pool[plan.operands[operand]].dims)
        return {};
      axes = own.partial;
    }
    if (axes.empty() || !keepsPrecision(index, group) || !areFree(plan, axes))
      return {};
    return axes;
  }

  /// Whether an op can have results that are partial over these axes in addition.
  bool areFree(const NodePlan &plan, llvm::ArrayRef<spmd::PartialAxis> axes) const {
    for (const spmd::PartialAxis &partial : axes) {
      if (partial.reduction != spmd::Reduction::Sum && partial.reduction != spmd::Reduction::Avg)
        return false;
      for (const auto &list : plan.axes)
        if (llvm::any_of(list, [&](const spmd::AxisRef &axis) { return overlap(axis, partial.axis); }))
          return false;
    }
    return llvm::all_of(plan.results, [&](unsigned placement) {
      return placement != none && llvm::all_of(pool[placement].partial, [&](const spmd::PartialAxis &own) {
               return spmd::commute(own.reduction, axes.front().reduction);
             });
    });
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
    // A local form takes no partial operands.
    if (!hasPartial || node.edge || (node.rule && needsLocalForm(node.rule->rule, plan.axes)))
      return;
    for (const auto &group : pd::partialGroupsOf(node.op)) {
      plan.passed = passableAxes(index, group);
      if (plan.passed.empty())
        continue;
      for (unsigned operand : group)
        (isPartial(potential[operandValue(index, operand)]) ? plan.passedOperands : plan.terms)
            .push_back(operand);
      passes[index] = true;
      for (unsigned i = 0; i < node.numResults; ++i) {
        unsigned value = resultValue(index, i);
        if (!graph.states[graph.stateOfValue[value]].isPinned)
          potential[value] = withPassed(plan.results[i], plan);
      }
      return;
    }
  }

  /// The placement, partial in addition over the axes that the node passes.
  unsigned withPassed(unsigned placement, const NodePlan &plan) {
    spmd::Placement result = pool[placement];
    result.partial.insert(result.partial.end(), plan.passed.begin(), plan.passed.end());
    result.partial = canonicalPartial(std::move(result.partial));
    return pool.indexOf(pool.meshOf(placement), result);
  }

  /// The time to combine a value, split as its uses want it.
  double combineSeconds(unsigned value) {
    const State &state = graph.states[graph.stateOfValue[value]];
    spmd::Placement whole = pool[potential[value]];
    whole.partial.clear();
    spmd::Placement target = targetOf(state, whole);
    target.partial.clear();
    return costs.seconds(potential[value], pool.indexOf(state.mesh, target), state.type);
  }

  /// The sums over the operands of a node that decide whether it passes partial values. They are kept while
  /// operands are dropped: an op may have thousands.
  struct Sums {
    /// Of the distinct values that it passes: their number, and the time to combine them before it.
    unsigned values = 0;
    double combining = 0;
    /// The time to make the other operands terms, and that after the node.
    double terms = 0, results = 0;
  };

  void addUp(unsigned index) {
    const NodePlan &plan = assignment.plans[index];
    if (!passes[index])
      return;
    for (unsigned operand : plan.passedOperands) {
      unsigned value = operandValue(index, operand);
      passedOperands.insert({index, operand});
      if (!passedValues.insert({index, value}).second)
        continue;
      ++sums[index].values;
      sums[index].combining += combineSeconds(value);
    }
    for (unsigned operand : plan.terms)
      sums[index].terms += termSeconds(index, operand);
  }

  /// The time to make an operand a term of the sum.
  double termSeconds(unsigned index, unsigned operand) {
    const NodePlan &plan = assignment.plans[index];
    return costs.seconds(plan.operands[operand], withPassed(plan.operands[operand], plan),
                         graph.states[graph.nodeStates[graph.nodes[index].first + operand]].type);
  }

  /// An operand is combined before the node, and becomes a term there.
  void makeTerm(Use use, unsigned value) {
    Sums &own = sums[use.node];
    passedOperands.erase({use.node, use.operand});
    assignment.plans[use.node].terms.push_back(use.operand);
    own.terms += termSeconds(use.node, use.operand);
    if (passedValues.erase({use.node, value}))
      own.combining = --own.values == 0 ? 0 : own.combining - combineSeconds(value);
  }

  /// The least time for the results of a node, after the results of later nodes; then whether passing is not
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
    sums[index].results = later;
    passes[index] = passes[index] && isCheaper(index);
  }

  /// Whether a node saves time by passing its partial operands, more than sums are rounded.
  bool isCheaper(unsigned index) const {
    constexpr double rounding = 1e-9;
    return secondsOfPassing(index) < sums[index].combining * (1 - rounding);
  }

  /// The time after a node that passes partial operands, and for its other operands.
  double secondsOfPassing(unsigned index) const { return sums[index].results + sums[index].terms; }

  double secondsAfter(unsigned value) {
    double seconds = 0;
    unsigned last = none;
    for (Use use : uses[value]) {
      if (use.node != last)
        seconds += secondsOfPassing(use.node) / sums[use.node].values;
      last = use.node;
    }
    return seconds;
  }

  /// The value is combined where it is defined. Nodes that pass it get it as a term; if passing the others
  /// does not save time then, these and the results are combined too.
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
        makeTerm(use, value);
        if (isCheaper(use.node))
          continue;
        for (unsigned operand : assignment.plans[use.node].passedOperands)
          if (passedOperands.contains({use.node, operand}))
            work.push_back(operandValue(use.node, operand));
        passes[use.node] = false;
        // The results are not partial for this reason.
        for (unsigned i = 0; i < graph.nodes[use.node].numResults; ++i)
          work.push_back(resultValue(use.node, i));
      }
    }
  }

  void dropResults(unsigned node) {
    for (unsigned i = 0; i < graph.nodes[node].numResults; ++i)
      drop(resultValue(node, i));
  }

  void apply() {
    for (unsigned index = 0; index < graph.nodes.size(); ++index) {
      NodePlan &plan = assignment.plans[index];
      if (!passes[index]) {
        plan.passedOperands.clear();
        plan.passed.clear();
        continue;
      }
      llvm::erase_if(plan.passedOperands,
                     [&](unsigned operand) { return !passedOperands.contains({index, operand}); });
      for (unsigned operand : plan.terms)
        plan.operands[operand] = withPassed(plan.operands[operand], plan);
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
  /// Partial values that are combined at their definition, because this is not slower.
  std::vector<unsigned> combined;
  /// By node.
  std::vector<Sums> sums;
  /// Operands that stay partial, and the values that they have, by node.
  llvm::DenseSet<std::pair<unsigned, unsigned>> passedOperands, passedValues;
  std::vector<bool> isDropped, passes;
};

} // namespace

void passPartials(const ShardingGraph &graph, Assignment &assignment, PlacementPool &pool,
                  ReshardCosts &costs) {
  PartialValues(graph, assignment, pool, costs).run();
}

} // namespace proa::sharding
