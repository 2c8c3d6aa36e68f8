#include "passes/spmd/propagation/Propagation.h"

#include <set>

namespace proa::sharding {

bool uses(const State &state, const spmd::AxisRef &axis) {
  auto hits = [&](const spmd::AxisRef &other) { return overlap(axis, other); };
  for (const spmd::DimPlacement &dim : state.placement.dims)
    if (llvm::any_of(dim.axes, hits))
      return true;
  return llvm::any_of(state.replicated, hits) ||
         llvm::any_of(state.placement.partial, [&](const spmd::PartialAxis &p) { return hits(p.axis); });
}

spmd::Placement targetOf(const State &state, const spmd::Placement &natural) {
  spmd::Placement target = state.placement;
  for (size_t dim = 0; dim < target.dims.size(); ++dim)
    if (target.dims[dim].axes.empty() && state.isOpen[dim] &&
        llvm::none_of(natural.dims[dim].axes, [&](const spmd::AxisRef &axis) { return uses(state, axis); }))
      target.dims[dim] = natural.dims[dim];
  return target;
}

double secondsOf(const ShardingGraph &graph, ReshardCosts &costs, LocalFormCosts &forms, const Node &node,
                 const FactorAxes &axes,
                 llvm::function_ref<const spmd::Placement &(unsigned)> placementOfOperand) {
  OpPlacements placements = placementsOf(node.rule->local, axes);
  unsigned mesh = graph.meshOf(node);
  double seconds = forms.seconds(node, mesh, axes);
  for (unsigned i = 0; i < node.numOperands; ++i)
    seconds +=
        costs.seconds(mesh, placementOfOperand(i), placements.operands[i], graph.stateOf(node, i).type);
  for (unsigned i = 0; i < node.numResults; ++i) {
    const State &state = graph.stateOf(node, node.numOperands + i);
    const spmd::Placement &natural = placements.results[i];
    seconds += costs.seconds(mesh, natural, targetOf(state, natural), state.type);
  }
  return seconds;
}

void Propagation::run() {
  std::set<int64_t> priorities{0};
  for (auto [index, state] : llvm::enumerate(graph.states)) {
    for (size_t dim = 0; dim < state.placement.dims.size(); ++dim) {
      if (!state.placement.dims[dim].axes.empty())
        decisions.push_back({unsigned(index), unsigned(dim), state.placement.dims[dim]});
      priorities.insert(state.priority[dim]);
    }
  }
  lastPriority = *priorities.rbegin();
  isQueued.assign(graph.nodes.size(), false);
  for (int64_t next : priorities)
    runRound(next);
}

void Propagation::runRound(int64_t round) {
  priority = round;
  for (unsigned state = 0; state < graph.states.size(); ++state)
    if (llvm::any_of(graph.states[state].placement.dims,
                     [](const spmd::DimPlacement &dim) { return !dim.axes.empty(); }))
      enqueueNodesOf(state);
  while (!queues[0].empty() || !queues[1].empty()) {
    std::deque<unsigned> &queue = queues[queues[0].empty() ? 1 : 0];
    unsigned node = queue.front();
    queue.pop_front();
    isQueued[node] = false;
    visit(node);
  }
}

void Propagation::enqueueNodesOf(unsigned state, unsigned except) {
  for (unsigned node : graph.nodesOfState[state])
    if (node != except && !isQueued[node]) {
      isQueued[node] = true;
      queues[graph.nodes[node].rule->isPassThrough ? 0 : 1].push_back(node);
    }
}

const spmd::Placement *Propagation::requestedOf(unsigned state) {
  const State &own = graph.states[state];
  if (priority == lastPriority)
    return &own.placement;
  spmd::Placement &placement = masked.emplace_back(own.placement);
  for (auto [dim, dimPriority] : llvm::zip_equal(placement.dims, own.priority))
    if (dimPriority > priority)
      dim = {};
  return &placement;
}

bool Propagation::appendAxes(unsigned index, unsigned dim, const spmd::DimPlacement &requested) {
  State &state = graph.states[index];
  const std::vector<spmd::AxisRef> &axes = requested.axes;
  std::vector<spmd::AxisRef> &own = state.placement.dims[dim].axes;
  if (!state.isOpen[dim] || state.priority[dim] > priority || !isPrefix(own, axes) || own == axes)
    return false;
  if (!own.empty() && state.placement.dims[dim].blocks != requested.blocks)
    return false;
  std::vector<spmd::AxisRef> previous = std::move(own);
  own.clear();
  llvm::SmallVector<spmd::AxisRef> next(previous.begin(), previous.end());
  for (size_t i = 0; i < axes.size(); ++i) {
    bool isKept = i < previous.size() && previous[i] == axes[i];
    // A sub-axis that grows is checked without its own shard, which was moved out of the state.
    if (!isKept && uses(state, axes[i]))
      break;
    if (i < previous.size())
      next[i] = axes[i];
    else
      next.push_back(axes[i]);
  }
  own.assign(next.begin(), next.end());
  if (!own.empty())
    state.placement.dims[dim].blocks = requested.blocks;
  return own != previous;
}

/// Between meshes, axes pass whose names and sizes both have.
void Propagation::visitMove(unsigned index) {
  const Node &node = graph.nodes[index];
  unsigned source = graph.nodeStates[node.first], target = graph.nodeStates[node.first + 1];
  if (passAxes(index, source, target))
    enqueueNodesOf(target, index);
  if (passAxes(index, target, source))
    enqueueNodesOf(source, index);
}

bool Propagation::passAxes(unsigned node, unsigned from, unsigned to) {
  const spmd::Mesh &own = graph.meshes[graph.states[from].mesh], &other = graph.meshes[graph.states[to].mesh];
  masked.clear();
  spmd::Placement placement = *requestedOf(from);
  bool isChanged = false;
  for (auto [dim, entry] : llvm::enumerate(placement.dims)) {
    spmd::DimPlacement passed{{}, entry.blocks};
    for (const spmd::AxisRef &axis : entry.axes) {
      std::optional<unsigned> index = other.indexOf(own.axes[axis.axis].name);
      if (!index || other.axes[*index].size != own.axes[axis.axis].size)
        break;
      passed.axes.push_back({*index, axis.pre, axis.size});
    }
    if (passed.axes.empty() || !appendAxes(to, static_cast<unsigned>(dim), passed))
      continue;
    isChanged = true;
    decisions.push_back({to, unsigned(dim), graph.states[to].placement.dims[dim], node, from});
  }
  return isChanged;
}

void Propagation::visit(unsigned index) {
  const Node &node = graph.nodes[index];
  if (graph.isMove(node))
    return visitMove(index);
  unsigned count = node.numOperands + node.numResults;
  llvm::SmallVector<const spmd::Placement *> requested;
  masked.clear();
  for (unsigned i = 0; i < count; ++i)
    requested.push_back(requestedOf(graph.nodeStates[node.first + i]));
  const pd::ShardingRule &rule = node.rule->rule;
  auto stateOfOperand = [&](unsigned i) -> const spmd::Placement & {
    return graph.states[graph.nodeStates[node.first + i]].placement;
  };
  FactorChoice choice = chooseAxes(
      *node.rule, requested, node.op->hasAttr(dist::shardingsAttribute),
      [&](const FactorAxes &axes) { return secondsOf(graph, costs, forms, node, axes, stateOfOperand); });
  for (unsigned i = 0; i < count; ++i) {
    unsigned state = graph.nodeStates[node.first + i];
    bool isChanged = false;
    for (auto [dim, factors] : llvm::enumerate(tensorOf(rule, i))) {
      unsigned from = none;
      for (unsigned factor : factors)
        if (!choice.axes[factor].empty())
          from = choice.source[factor];
      if (from == none ||
          !appendAxes(state, static_cast<unsigned>(dim), placementOf(rule, factors, choice.axes)))
        continue;
      isChanged = true;
      decisions.push_back({state, unsigned(dim), graph.states[state].placement.dims[dim], index,
                           graph.nodeStates[node.first + from]});
    }
    if (isChanged)
      enqueueNodesOf(state, index);
  }
}

} // namespace proa::sharding
