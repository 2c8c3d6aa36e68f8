/// The time of the collectives inside of local forms.
#pragma once

#include "passes/spmd/FactorAxes.h"
#include "passes/spmd/ReshardExpander.h"
#include "passes/spmd/propagation/ReshardCosts.h"
#include "passes/spmd/propagation/ShardingGraph.h"

#include <map>

namespace proa::sharding {

/// Creates local forms on scratch blocks and adds up their collectives. The time of a rule and its axes is
/// computed once.
class LocalFormCosts {
public:
  LocalFormCosts(mlir::ModuleOp module, const Meshes &meshes, ReshardCosts &reshards)
      : placements(module), meshes(meshes), reshards(reshards) {}

  /// The time of the slowest position if these axes split the factors of a node: 0 if they do not need the
  /// local form, `refused` if it does not cover the shards of a position.
  double seconds(const Node &node, unsigned mesh, const FactorAxes &axes);

  static constexpr double refused = 1e9;

private:
  double compute(const Node &node, unsigned mesh, const FactorAxes &axes);
  double secondsAt(const Node &node, unsigned mesh, const FactorAxes &axes, llvm::ArrayRef<mlir::Type> locals,
                   int64_t position);
  double secondsOf(dist::StepOpInterface step);

  MeshPlacements placements;
  const Meshes &meshes;
  ReshardCosts &reshards;
  /// By the rule, and the numbers of the mesh and of the axes.
  std::map<std::pair<const CachedRule *, std::vector<int64_t>>, double> known;
};

} // namespace proa::sharding
