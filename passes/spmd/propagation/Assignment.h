/// The placements that ops compute with, chosen after the fixed point.
#pragma once

#include "passes/spmd/propagation/Propagation.h"

namespace proa::sharding {

/// How a node computes.
struct NodePlan {
  FactorAxes axes;
  std::optional<LocalFormDecision> localForm;
  /// The placements of operands and results (indices of the pool): what the op needs and gives, if no partial
  /// value passes through it.
  llvm::SmallVector<unsigned, 3> operands, results;
  /// Operands that stay partial, because the op is linear in them, and the axes over which its results are
  /// partial for that reason.
  llvm::SmallVector<unsigned, 2> passedOperands;
  /// Other operands of a sum, which become terms of it.
  llvm::SmallVector<unsigned, 2> terms;
  std::vector<spmd::PartialAxis> passed;
};

/// Chooses the axes of each op from the placements that its operands have and its results should have, in
/// program order; reshards decide among contradicting ones. Then decides where partial values are combined.
class Assignment {
public:
  Assignment(const ShardingGraph &graph, PlacementPool &pool, ReshardCosts &costs, LocalFormCosts &forms)
      : graph(graph), pool(pool), costs(costs), forms(forms) {}
  void run();

  std::vector<NodePlan> plans;
  /// The placement of each value where it is defined.
  std::vector<unsigned> natural;
  /// The placement that each state needs, for targets of edges.
  unsigned placementOfState(unsigned state) {
    return pool.indexOf(graph.states[state].mesh, graph.states[state].placement);
  }

private:
  void plan(unsigned node);
  void planWhole(const Node &node, NodePlan &plan);

  const ShardingGraph &graph;
  PlacementPool &pool;
  ReshardCosts &costs;
  LocalFormCosts &forms;
};

/// Lets partial values pass through linear ops where it is cheaper to combine them later: sets `passed` of
/// the plans and the placements of results.
void passPartials(const ShardingGraph &graph, Assignment &assignment, PlacementPool &pool,
                  ReshardCosts &costs);

} // namespace proa::sharding
