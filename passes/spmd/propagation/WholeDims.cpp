#include "passes/spmd/propagation/WholeDims.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa::sharding {

namespace {

/// The reason why a factor is not split, if the rule says it.
std::string reasonOf(const pd::ShardingFactor &factor, const NodePlan &plan) {
  if (factor.kind != pd::FactorKind::Replicated)
    return {};
  if (!factor.localKind || !plan.localForm)
    return factor.reason;
  double with = plan.localForm->with, without = plan.localForm->without;
  if (with >= LocalFormCosts::refused)
    return factor.reason + "; its local form does not cover these shards";
  return fmt::format("{}; its local form communicates for {:.1f} us, a gather {:.1f} us", factor.reason,
                     with * 1e6, without * 1e6);
}

} // namespace

std::string WholeDim::text(const spmd::Mesh &mesh) const {
  std::string axes = spmd::toText(mesh, {{split}, {}});
  axes = axes.substr(1, axes.size() - 2); // without the brackets of the dimensions
  if (isResult)
    return fmt::format("dimension {} of result {} is computed whole, and split over {} afterwards: {}", dim,
                       index, axes, reason);
  return fmt::format("dimension {} of operand {}, which is split over {}, is gathered: {}", dim, index, axes,
                     reason);
}

llvm::SmallVector<WholeDim> wholeDimsOf(const ShardingGraph &graph, const Assignment &assignment,
                                        const PlacementPool &pool, unsigned index) {
  llvm::SmallVector<WholeDim> found;
  const Node &node = graph.nodes[index];
  const NodePlan &plan = assignment.plans[index];
  if (node.edge || !node.rule)
    return found;
  const pd::ShardingRule &rule = node.rule->rule;
  auto add = [&](bool isResult, unsigned tensor, const spmd::Placement &requested,
                 const spmd::Placement &computed) {
    for (auto [dim, factors] :
         llvm::enumerate(tensorOf(rule, isResult ? node.numOperands + tensor : tensor))) {
      const spmd::DimPlacement &split = requested.dims[dim];
      if (split.axes.empty() || !computed.dims[dim].axes.empty())
        continue;
      std::string reason = "";
      if (factors.empty()) {
        auto stated = rule.reasons.find({isResult, tensor, unsigned(dim)});
        reason = stated == rule.reasons.end() ? "the op needs the whole dimension" : stated->second;
      }
      for (unsigned factor : factors)
        if (reason.empty())
          reason = reasonOf(rule.factors[factor], plan);
      if (!reason.empty())
        found.push_back({isResult, tensor, unsigned(dim), split, reason});
    }
  };
  for (unsigned i = 0; i < node.numOperands; ++i)
    if (unsigned value = graph.nodeValues[node.first + i]; value != none)
      add(false, i, pool[assignment.natural[value]], pool[plan.operands[i]]);
  for (unsigned i = 0; i < node.numResults; ++i)
    add(true, i, graph.stateOf(node, node.numOperands + i).placement, pool[plan.results[i]]);
  return found;
}

} // namespace proa::sharding
