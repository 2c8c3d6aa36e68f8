/// The fixed point: axes pass through ops and edges to the states of values.
#pragma once

#include "passes/spmd/propagation/FactorMerge.h"
#include "passes/spmd/propagation/LocalFormCosts.h"
#include "passes/spmd/propagation/ShardingGraph.h"

#include <deque>

namespace proa::sharding {

/// Why a state has axes in a dimension.
struct Decision {
  unsigned state = none;
  unsigned dim = 0;
  /// The split of the dimension from now on.
  spmd::DimPlacement split;
  /// The node that passed the axes, and the state that they come from; `none` for annotations.
  unsigned node = none, from = none;
};

/// Propagates by priority: dimensions of priority p take part from round p on. In a round, ops whose rules
/// have pass-through factors only go first. A state only grows, so the fixed point is reached.
class Propagation {
public:
  Propagation(ShardingGraph &graph, ReshardCosts &costs, LocalFormCosts &forms)
      : graph(graph), costs(costs), forms(forms) {}
  void run();

  std::vector<Decision> decisions;

private:
  void runRound(int64_t priority);
  void visit(unsigned node);
  void visitMove(unsigned node);
  bool passAxes(unsigned node, unsigned from, unsigned to);
  void enqueueNodesOf(unsigned state, unsigned except = none);
  bool appendAxes(unsigned state, unsigned dim, const spmd::DimPlacement &requested);
  const spmd::Placement *requestedOf(unsigned state);

  ShardingGraph &graph;
  ReshardCosts &costs;
  LocalFormCosts &forms;
  int64_t priority = 0, lastPriority = 0;
  /// Nodes to visit: nodes with pass-through factors only, and the others.
  std::deque<unsigned> queues[2];
  std::vector<bool> isQueued;
  /// Placements without the dimensions of later rounds.
  std::deque<spmd::Placement> masked;
};

/// Whether an axis overlaps one that a state uses or must not use.
bool uses(const State &state, const spmd::AxisRef &axis);

/// The time of the reshards that a node causes if its factors have these axes, from the placements of its
/// operands and to the placements that its results should have, and of the collectives in its local form.
double secondsOf(const ShardingGraph &graph, ReshardCosts &costs, LocalFormCosts &forms, const Node &node,
                 const FactorAxes &axes,
                 llvm::function_ref<const spmd::Placement &(unsigned)> placementOfOperand);

/// The placement that a result gets: the state's, where it has axes or is closed, otherwise the placement of
/// `natural`.
spmd::Placement targetOf(const State &state, const spmd::Placement &natural);

} // namespace proa::sharding
