#include "passes/spmd/propagation/Assignment.h"

namespace proa::sharding {

void Assignment::run() {
  for (unsigned state : graph.stateOfValue)
    natural.push_back(placementOfState(state));
  plans.resize(graph.nodes.size());
  for (unsigned node = 0; node < graph.nodes.size(); ++node)
    plan(node);
  passPartials(graph, *this, pool, costs);
}

void Assignment::planWhole(const Node &node, NodePlan &plan) {
  for (unsigned i = 0; i < node.numOperands + node.numResults; ++i) {
    unsigned state = graph.nodeStates[node.first + i];
    unsigned placement =
        state == none ? none : pool.whole(graph.states[state].mesh, graph.states[state].type.getRank());
    (i < node.numOperands ? plan.operands : plan.results).push_back(placement);
  }
}

void Assignment::plan(unsigned index) {
  const Node &node = graph.nodes[index];
  NodePlan &plan = plans[index];
  if (node.edge) {
    plan.operands.push_back(placementOfState(graph.nodeStates[node.first + 1]));
    return;
  }
  if (!node.rule) {
    planWhole(node, plan);
  } else {
    llvm::SmallVector<const spmd::Placement *> requested;
    for (unsigned i = 0; i < node.numOperands; ++i)
      requested.push_back(&pool[natural[graph.nodeValues[node.first + i]]]);
    for (unsigned i = 0; i < node.numResults; ++i)
      requested.push_back(&graph.states[graph.nodeStates[node.first + node.numOperands + i]].placement);
    auto naturalOfOperand = [&](unsigned i) -> const spmd::Placement & { return *requested[i]; };
    FactorChoice choice = chooseAxes(
        *node.rule, requested, node.op->hasAttr(dist::shardingsAttribute),
        [&](const FactorAxes &axes) { return secondsOf(graph, costs, forms, node, axes, naturalOfOperand); });
    plan.axes = std::move(choice.axes);
    plan.localForm = choice.localForm;
    OpPlacements placements = placementsOf(node.rule->local, plan.axes);
    unsigned mesh = graph.meshOf(node);
    for (const spmd::Placement &placement : placements.operands)
      plan.operands.push_back(pool.indexOf(mesh, placement));
    for (const spmd::Placement &placement : placements.results)
      plan.results.push_back(pool.indexOf(mesh, placement));
  }
  for (unsigned i = 0; i < node.numResults; ++i)
    if (unsigned value = graph.nodeValues[node.first + node.numOperands + i]; value != none) {
      // Uses of an annotated result see the annotation.
      const State &state = graph.states[graph.stateOfValue[value]];
      natural[value] = state.isPinned ? placementOfState(graph.stateOfValue[value]) : plan.results[i];
    }
}

} // namespace proa::sharding
