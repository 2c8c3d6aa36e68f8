#include "lib/base/spmd/Reshard.h"
#include "lib/base/spmd/Refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>

namespace proa::spmd {

namespace {

/// The cost of steps on a refined mesh.
class CostModel {
public:
  CostModel(const Mesh &mesh, std::vector<Link> links, Dims dims, const ReshardOptions &options)
      : mesh(mesh), links(std::move(links)), dims(dims), options(options) {}

  double seconds(StepKind kind, const Placement &from, const Placement &to) const {
    double local = static_cast<double>(bytes(to)) / options.copyBandwidth + options.stepSeconds;
    if (kind == StepKind::Slice || kind == StepKind::ToPartial)
      return local;
    int64_t received = largestReceivedCount(kind, mesh, from, to, dims) * options.elementBytes;
    // The slowest link of the group decides.
    std::vector<bool> group = groupAxes(kind, mesh, from, to);
    double latency = 0, bandwidth = std::numeric_limits<double>::infinity();
    int64_t size = 1;
    for (size_t i = 0; i < group.size(); ++i)
      if (group[i]) {
        latency = std::max(latency, links[i].latency);
        bandwidth = std::min(bandwidth, links[i].bandwidth);
        size *= mesh.axes[i].size;
      }
    return local + latency * messages(kind, group, size) + static_cast<double>(received) / bandwidth;
  }

  int64_t peakBytes(const Placement &from, const Placement &to) const { return bytes(from) + bytes(to); }
  bool fits(const Placement &from, const Placement &to) const {
    return options.memoryLimit == 0 || peakBytes(from, to) <= options.memoryLimit;
  }

private:
  int64_t bytes(const Placement &placement) const {
    return largestLocalCount(placement, dims) * options.elementBytes;
  }
  /// Rounds of messages: reductions and gathers over several axes do one axis after the other.
  double messages(StepKind kind, const std::vector<bool> &group, int64_t size) const {
    if (kind == StepKind::Permute)
      return 1;
    if (kind == StepKind::AllToAll)
      return static_cast<double>(size - 1);
    int64_t rounds = 0;
    for (size_t i = 0; i < group.size(); ++i)
      rounds += group[i] ? mesh.axes[i].size - 1 : 0;
    return static_cast<double>(kind == StepKind::AllReduce ? 2 * rounds : rounds);
  }

  const Mesh &mesh;
  std::vector<Link> links;
  Dims dims;
  const ReshardOptions &options;
};

/// Generates the steps from a placement that may lead to the target. The axes are full axes of the refined
/// mesh.
class Neighbors {
public:
  struct Edge {
    StepKind kind;
    Placement to;
  };

  Neighbors(const Mesh &mesh, const Placement &source, const Placement &target, Dims dims)
      : mesh(mesh), target(target), dims(dims) {
    bool reduces =
        std::ranges::any_of(source.partial, [&](const PartialAxis &p) { return !isPartialInTarget(p); });
    for (unsigned i = 0; i < mesh.axes.size(); ++i)
      // Slices over other axes help only reductions, whose terms then move on all links.
      maySlice.push_back(isUsed(target, i) || isPartial(target, i) ||
                         (reduces && mesh.axes.size() * dims.size() <= maxDetours));
  }

  std::vector<Edge> of(const Placement &state) {
    edges.clear();
    addGathers(state);
    addSlices(state);
    addReductions(state);
    addPartial(state);
    addRedistributions(state);
    return std::move(edges);
  }

private:
  /// Limits the number of placements on detours: three axes and two dimensions.
  static constexpr size_t maxDetours = 6;

  static bool isUsed(const Placement &state, unsigned axis) {
    return std::ranges::any_of(state.dims, [&](const DimPlacement &dim) {
      return std::ranges::any_of(dim.axes, [&](const AxisRef &ref) { return ref.axis == axis; });
    });
  }
  static bool isPartial(const Placement &state, unsigned axis) {
    return std::ranges::any_of(state.partial, [&](const PartialAxis &p) { return p.axis.axis == axis; });
  }
  bool isPartialInTarget(const PartialAxis &partial) const {
    return std::ranges::find(target.partial, partial) != target.partial.end();
  }

  /// The dimensions to which steps add axes: all of a matrix, otherwise those that the target splits, and the
  /// one with the most elements for each shard.
  std::vector<size_t> splitDims(const Placement &state) const {
    std::vector<size_t> result;
    size_t longest = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims.size() <= 2 || !target.dims[d].axes.empty())
        result.push_back(d);
      if (dims[d] / state.dims[d].shardCount() > dims[longest] / state.dims[longest].shardCount())
        longest = d;
    }
    if (!dims.empty() && std::ranges::find(result, longest) == result.end())
      result.push_back(longest);
    return result;
  }

  Placement withAxis(const Placement &state, size_t dim, const AxisRef &axis) const {
    Placement next = state;
    if (next.dims[dim].axes.empty())
      next.dims[dim].blocks = target.dims[dim].blocks;
    next.dims[dim].axes.push_back(axis);
    return next;
  }
  static Placement withoutLast(const Placement &state, size_t dim) {
    Placement next = state;
    next.dims[dim].axes.pop_back();
    if (next.dims[dim].axes.empty())
      next.dims[dim].blocks.clear();
    return next;
  }

  void addGathers(const Placement &state) {
    for (size_t d = 0; d < state.dims.size(); ++d)
      if (!state.dims[d].axes.empty())
        edges.push_back({StepKind::AllGather, withoutLast(state, d)});
  }

  void addSlices(const Placement &state) {
    for (unsigned i = 0; i < mesh.axes.size(); ++i)
      if (maySlice[i] && !isUsed(state, i) && !isPartial(state, i))
        for (size_t d : splitDims(state))
          edges.push_back({StepKind::Slice, withAxis(state, d, mesh.full(i))});
  }

  void addReductions(const Placement &state) {
    for (size_t k = 0; k < state.partial.size(); ++k) {
      if (isPartialInTarget(state.partial[k]))
        continue;
      Placement reduced = state;
      reduced.partial.erase(reduced.partial.begin() + static_cast<ptrdiff_t>(k));
      edges.push_back({StepKind::AllReduce, reduced});
      for (size_t d : splitDims(state))
        edges.push_back({StepKind::ReduceScatter, withAxis(reduced, d, state.partial[k].axis)});
    }
    Placement next = target;
    std::erase_if(next.partial, [&](const PartialAxis &p) {
      return std::ranges::find(state.partial, p) == state.partial.end();
    });
    if (mismatchOfFullAxes(StepKind::ReduceScatter, state, next).empty())
      edges.push_back({StepKind::ReduceScatter, next});
  }

  void addPartial(const Placement &state) {
    for (const PartialAxis &partial : target.partial) {
      bool allowed = std::ranges::all_of(
          state.partial, [&](const PartialAxis &p) { return commute(p.reduction, partial.reduction); });
      if (!allowed || isPartial(state, partial.axis.axis))
        continue;
      auto add = [&](Placement next) {
        next.partial.push_back(partial);
        std::ranges::sort(next.partial, {}, [](const PartialAxis &p) { return p.axis.axis; });
        edges.push_back({StepKind::ToPartial, std::move(next)});
      };
      if (!isUsed(state, partial.axis.axis))
        add(state);
      for (size_t d = 0; d < state.dims.size(); ++d)
        if (!state.dims[d].axes.empty() && state.dims[d].axes.back() == partial.axis &&
            partial.reduction != Reduction::Avg)
          add(withoutLast(state, d));
    }
  }

  /// Moves to the target, or to a split of it over the axes that only the state uses, which are gathered
  /// afterwards. Axes that are still partial cannot split a dimension: those and the more minor ones follow.
  void addRedistributions(const Placement &state) {
    Placement next = target;
    next.partial = state.partial;
    for (DimPlacement &dim : next.dims) {
      dim.axes.erase(
          std::ranges::find_if(dim.axes, [&](const AxisRef &axis) { return isPartial(state, axis.axis); }),
          dim.axes.end());
      if (dim.axes.empty())
        dim.blocks.clear();
    }
    addRedistribution(state, next);
    std::vector<AxisRef> others;
    for (const DimPlacement &dim : state.dims)
      for (const AxisRef &axis : dim.axes)
        if (!isUsed(next, axis.axis))
          others.push_back(axis);
    if (!others.empty())
      distribute(state, next, others);
  }

  void distribute(const Placement &state, const Placement &next, const std::vector<AxisRef> &others) {
    if (others.empty())
      return addRedistribution(state, next);
    // All orders of few axes; of many, the one order that they have.
    size_t choices = others.size() <= 3 ? others.size() : 1;
    for (size_t k = 0; k < choices; ++k) {
      std::vector<AxisRef> rest = others;
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(k));
      for (size_t d : splitDims(next))
        distribute(state, withAxis(next, d, others[k]), rest);
    }
  }

  void addRedistribution(const Placement &state, const Placement &next) {
    for (StepKind kind : {StepKind::Permute, StepKind::AllToAll})
      if (mismatchOfFullAxes(kind, state, next).empty())
        edges.push_back({kind, next});
  }

  const Mesh &mesh;
  const Placement &target;
  Dims dims;
  std::vector<bool> maySlice;
  std::vector<Edge> edges;
};

/// The text of a placement of full axes, as a key.
std::string keyOf(const Placement &placement) {
  std::string key;
  for (const DimPlacement &dim : placement.dims) {
    for (const AxisRef &axis : dim.axes)
      key += static_cast<char>('A' + axis.axis);
    key += '|';
    for (int64_t block : dim.blocks)
      key += fmt::format("{},", block);
  }
  for (const PartialAxis &partial : placement.partial)
    key +=
        fmt::format("/{}{}", static_cast<char>('A' + partial.axis.axis), static_cast<int>(partial.reduction));
  return key;
}

/// Dijkstra's algorithm on placements of a refined mesh.
class Search {
public:
  Search(const Mesh &mesh, const CostModel &costs, const Placement &source, const Placement &target,
         Dims dims)
      : costs(costs), neighbors(mesh, source, target, dims), target(keyOf(target)) {
    reach({source, 0, none, StepKind::Slice});
  }

  /// The steps, without the source.
  std::optional<std::vector<Neighbors::Edge>> run() {
    while (!queue.empty()) {
      auto [seconds, index] = queue.top();
      queue.pop();
      if (nodes[index].seconds < seconds || isDone[index])
        continue;
      isDone[index] = true;
      const Placement state = nodes[index].state;
      if (keyOf(state) == target)
        return pathTo(index);
      for (Neighbors::Edge &edge : neighbors.of(state))
        if (costs.fits(state, edge.to))
          reach({edge.to, seconds + costs.seconds(edge.kind, state, edge.to), index, edge.kind});
    }
    return std::nullopt;
  }

private:
  static constexpr size_t none = ~size_t(0);
  struct Node {
    Placement state;
    double seconds;
    size_t previous;
    StepKind kind;
  };

  void reach(Node node) {
    auto [known, isNew] = indexOfKey.try_emplace(keyOf(node.state), nodes.size());
    size_t index = known->second;
    if (isNew) {
      nodes.push_back(node);
      isDone.push_back(false);
    } else if (isDone[index] || nodes[index].seconds <= node.seconds) {
      return;
    } else {
      nodes[index] = node;
    }
    queue.push({node.seconds, index});
  }

  std::vector<Neighbors::Edge> pathTo(size_t index) const {
    std::vector<Neighbors::Edge> path;
    for (; nodes[index].previous != none; index = nodes[index].previous)
      path.push_back({nodes[index].kind, nodes[index].state});
    std::ranges::reverse(path);
    return path;
  }

  const CostModel &costs;
  Neighbors neighbors;
  std::string target;
  std::vector<Node> nodes;
  std::vector<bool> isDone;
  std::map<std::string, size_t> indexOfKey;
  using Entry = std::pair<double, size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

/// `from` without the axes whose sub-axes do not nest with the sub-axes of `to`.
Placement withoutConflicts(const Mesh &mesh, const Placement &from, const Placement &to) {
  auto conflicts = [&](const AxisRef &ref) {
    Placement a, b;
    for (const DimPlacement &dim : from.dims)
      for (const AxisRef &axis : dim.axes)
        if (axis.axis == ref.axis)
          a.dims.push_back({{axis}});
    for (const PartialAxis &p : from.partial)
      if (p.axis.axis == ref.axis)
        a.dims.push_back({{p.axis}});
    for (const DimPlacement &dim : to.dims)
      for (const AxisRef &axis : dim.axes)
        if (axis.axis == ref.axis)
          b.dims.push_back({{axis}});
    for (const PartialAxis &p : to.partial)
      if (p.axis.axis == ref.axis)
        b.dims.push_back({{p.axis}});
    return !refine(mesh, std::array{a, b});
  };
  Placement result = from;
  for (DimPlacement &dim : result.dims)
    dim.axes.erase(std::ranges::find_if(dim.axes, conflicts), dim.axes.end());
  std::erase_if(result.partial, [&](const PartialAxis &p) { return conflicts(p.axis); });
  return canonical(mesh, result);
}

/// Joins adjacent steps of one kind if one step of that kind does both.
void joinSteps(const Placement &from, const CostModel &costs, std::vector<Neighbors::Edge> &steps) {
  for (size_t i = 0; i + 1 < steps.size();) {
    const Placement &source = i ? steps[i - 1].to : from;
    if (steps[i].kind == steps[i + 1].kind && costs.fits(source, steps[i + 1].to) &&
        mismatchOfFullAxes(steps[i].kind, source, steps[i + 1].to).empty())
      steps.erase(steps.begin() + static_cast<ptrdiff_t>(i));
    else
      ++i;
  }
}

} // namespace

Result<ReshardPlan> planReshard(const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                                const ReshardOptions &options) {
  ReshardPlan plan;
  if (from == to)
    return plan;
  std::optional<Refinement> refined = refine(mesh, std::array{from, to});
  if (!refined) {
    Placement middle = withoutConflicts(mesh, from, to);
    if (middle == from)
      return errorAt("", fmt::format("no sequence of collectives from {} to {}: sub-axes of a placement do "
                                     "not nest",
                                     toText(mesh, from), toText(mesh, to)));
    Result<ReshardPlan> first = planReshard(mesh, from, middle, dims, options);
    Result<ReshardPlan> second = planReshard(mesh, middle, to, dims, options);
    if (!first || !second)
      return first ? second : first;
    std::ranges::copy(second->steps, std::back_inserter(first->steps));
    first->seconds += second->seconds;
    first->peakBytes = std::max(first->peakBytes, second->peakBytes);
    return first;
  }
  std::vector<Link> links;
  for (const AxisRef &subAxis : refined->original)
    links.push_back(options.links.empty() ? options.link : options.links[subAxis.axis]);
  const Placement &source = refined->placements[0], &target = refined->placements[1];
  CostModel costs(refined->mesh, links, dims, options);
  auto steps = Search(refined->mesh, costs, source, target, dims).run();
  if (!steps)
    return errorAt("", fmt::format("no sequence of collectives from {} to {} fits {} bytes per device",
                                   toText(mesh, from), toText(mesh, to), options.memoryLimit));
  joinSteps(source, costs, *steps);
  const Placement *previous = &source;
  for (const Neighbors::Edge &step : *steps) {
    plan.seconds += costs.seconds(step.kind, *previous, step.to);
    plan.peakBytes = std::max(plan.peakBytes, costs.peakBytes(*previous, step.to));
    plan.steps.push_back({step.kind, refined->toOriginal(mesh, step.to)});
    previous = &step.to;
  }
  return plan;
}

} // namespace proa::spmd
