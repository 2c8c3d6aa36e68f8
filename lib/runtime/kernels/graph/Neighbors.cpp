/// The library kernels "graph_sample_neighbors" (row, colptr, x, eids), "weighted_sample_neighbors" (row,
/// colptr, weights, x, eids) and "graph_khop_sampler" (row, colptr, x, eids).
/// dialects/pd/ops/graph/Sampling.td says what they compute.
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/graph/Sampling.kernels.inc"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace proa::runtime {
namespace {

Result<void> writeList(Call &call, size_t output, std::span<const int64_t> values,
                       std::span<const int64_t> dims) {
  if (!call.hasOutput(output))
    return {};
  Result<View> out = call.output(output, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchIndex(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), out->as<T>(),
                   [](int64_t value) { return static_cast<T>(value); });
  });
  return known ? Result<void>() : failure("expected int32 or int64, found {}", nameOf(out->dtype));
}

Result<void> writeList(Call &call, size_t output, std::span<const int64_t> values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return writeList(call, output, values, dims);
}

/// A graph as the neighbours of its nodes, and the ids of its edges if they are requested.
struct Neighborhoods {
  std::vector<int64_t> row, begins, edges;
  bool wantsEdges;

  static Result<Neighborhoods> read(const View &row, const View &begins, const View &edges, bool wantsEdges) {
    Result<std::vector<int64_t>> rows = integersOf(row), starts = integersOf(begins),
                                 numbers = wantsEdges ? integersOf(edges) : std::vector<int64_t>();
    for (const auto *list : {&rows, &starts, &numbers})
      if (!*list)
        return list->diagnostics();
    if (wantsEdges && numbers->size() != rows->size())
      return failure("there are {} eids for {} neighbours", numbers->size(), rows->size());
    return Neighborhoods{std::move(*rows), std::move(*starts), std::move(*numbers), wantsEdges};
  }

  /// Indices of the neighbours of a node in `row`.
  Result<std::vector<int64_t>> positionsOf(int64_t node) const {
    auto count = static_cast<int64_t>(begins.size()) - 1;
    if (node < 0 || node >= count)
      return failure("node {} is not one of {}", node, count);
    int64_t begin = begins[static_cast<size_t>(node)], end = begins[static_cast<size_t>(node) + 1];
    if (begin < 0 || end < begin || end > static_cast<int64_t>(row.size()))
      return failure("colptr gives node {} the neighbours {} to {} of {}", node, begin, end, row.size());
    std::vector<int64_t> positions(static_cast<size_t>(end - begin));
    std::iota(positions.begin(), positions.end(), begin);
    return positions;
  }
};

/// The sampled neighbours of a list of nodes.
struct DrawnNeighbors {
  std::vector<int64_t> nodes, counts, edges;

  void add(const Neighborhoods &graph, const std::vector<int64_t> &positions) {
    counts.push_back(static_cast<int64_t>(positions.size()));
    for (int64_t position : positions) {
      nodes.push_back(graph.row[static_cast<size_t>(position)]);
      if (graph.wantsEdges)
        edges.push_back(graph.edges[static_cast<size_t>(position)]);
    }
  }
};

/// RandomState neighbours one after the other, without replacement.
class UniformDraw {
public:
  explicit UniformDraw(Call &call) : draw(call.random().next()) {}

  void keep(std::vector<int64_t> &positions, int64_t size) {
    if (size < 0 || size >= static_cast<int64_t>(positions.size()))
      return;
    for (int64_t i = 0; i < size; ++i, ++drawn) {
      auto words = draw.block(drawn);
      uint64_t word = uint64_t(words[1]) << 32 | words[0];
      auto other =
          static_cast<size_t>(i) + static_cast<size_t>(word % (positions.size() - static_cast<size_t>(i)));
      std::swap(positions[static_cast<size_t>(i)], positions[other]);
    }
    positions.resize(static_cast<size_t>(size));
  }

private:
  RandomCall draw;
  uint64_t drawn = 0;
};

Result<DrawnNeighbors> drawUniformly(const Neighborhoods &graph, std::span<const int64_t> nodes, int64_t size,
                                     UniformDraw &draw) {
  DrawnNeighbors out;
  for (int64_t node : nodes) {
    Result<std::vector<int64_t>> positions = graph.positionsOf(node);
    if (!positions)
      return positions.diagnostics();
    draw.keep(*positions, size);
    out.add(graph, *positions);
  }
  return out;
}

Result<void> writeNeighbors(Call &call, const DrawnNeighbors &drawn) {
  for (auto [position, values] :
       {std::pair(0, &drawn.nodes), std::pair(1, &drawn.counts), std::pair(2, &drawn.edges)})
    if (Result<void> written = writeList(call, static_cast<size_t>(position), *values); !written)
      return written;
  return {};
}

Result<void> sampleNeighbors(Call &call, int64_t size, bool wantsEdges) {
  Result<Neighborhoods> graph = Neighborhoods::read(call.input(0), call.input(1), call.input(3), wantsEdges);
  Result<std::vector<int64_t>> nodes = integersOf(call.input(2));
  if (!graph || !nodes)
    return graph ? nodes.diagnostics() : graph.diagnostics();
  UniformDraw draw(call);
  Result<DrawnNeighbors> drawn = drawUniformly(*graph, *nodes, size, draw);
  return drawn ? writeNeighbors(call, *drawn) : drawn.diagnostics();
}

Result<void> sampleByWeight(Call &call, int64_t size, bool wantsEdges) {
  Result<Neighborhoods> graph = Neighborhoods::read(call.input(0), call.input(1), call.input(4), wantsEdges);
  Result<std::vector<int64_t>> nodes = integersOf(call.input(3));
  if (!graph || !nodes)
    return graph ? nodes.diagnostics() : graph.diagnostics();
  const View &weights = call.input(2);
  if (weights.dtype != DType::Float32 || weights.size() != static_cast<int64_t>(graph->row.size()))
    return failure("the weights are {}; expected {} elements of float32",
                   describe(weights.dtype, weights.dims), graph->row.size());
  RandomStream random(call.random().next(), 0);
  DrawnNeighbors drawn;
  for (int64_t node : *nodes) {
    Result<std::vector<int64_t>> positions = graph->positionsOf(node);
    if (!positions)
      return positions.diagnostics();
    if (size >= 0 && size < static_cast<int64_t>(positions->size())) {
      std::vector<std::pair<double, int64_t>> keys;
      for (int64_t position : *positions)
        keys.emplace_back(std::log(random.uniform()) / static_cast<double>(weights.as<float>()[position]),
                          position);
      std::sort(keys.begin(), keys.end());
      positions->clear();
      for (size_t i = keys.size() - static_cast<size_t>(size); i < keys.size(); ++i)
        positions->push_back(keys[i].second);
    }
    drawn.add(*graph, *positions);
  }
  return writeNeighbors(call, drawn);
}

//===-- graph_khop_sampler ------------------------------------------------------------------------------===//

std::vector<int64_t> sortedOnce(std::vector<int64_t> list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// All steps one after the other: which nodes each had, how many neighbours of each were drawn, and which.
struct Hops {
  std::vector<int64_t> nodes;
  DrawnNeighbors drawn;
};

Result<Hops> hop(const Neighborhoods &graph, std::vector<int64_t> nodes, const std::vector<int64_t> &sizes,
                 UniformDraw &draw) {
  Hops out;
  for (int64_t size : sizes) {
    Result<DrawnNeighbors> drawn = drawUniformly(graph, nodes, size, draw);
    if (!drawn)
      return drawn.diagnostics();
    auto append = [](std::vector<int64_t> &to, const std::vector<int64_t> &from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(out.nodes, nodes);
    append(out.drawn.counts, drawn->counts);
    append(out.drawn.nodes, drawn->nodes);
    append(out.drawn.edges, drawn->edges);
    std::vector<int64_t> here = sortedOnce(nodes), reached = sortedOnce(drawn->nodes);
    nodes.clear();
    std::set_difference(reached.begin(), reached.end(), here.begin(), here.end(), std::back_inserter(nodes));
  }
  return out;
}

Result<void> sampleHops(Call &call, const std::vector<int64_t> &sizes, bool wantsEdges) {
  Result<Neighborhoods> graph = Neighborhoods::read(call.input(0), call.input(1), call.input(3), wantsEdges);
  Result<std::vector<int64_t>> x = integersOf(call.input(2));
  if (!graph || !x)
    return graph ? x.diagnostics() : graph.diagnostics();
  std::vector<int64_t> first = *x;
  first.erase(std::unique(first.begin(), first.end()), first.end());
  UniformDraw draw(call);
  Result<Hops> hops = hop(*graph, std::move(first), sizes, draw);
  if (!hops)
    return hops.diagnostics();
  std::unordered_map<int64_t, int64_t> indices;
  std::vector<int64_t> &nodes = hops->nodes, sources, targets, starts;
  for (size_t i = 0; i < nodes.size(); ++i)
    indices[nodes[i]] = static_cast<int64_t>(i);
  for (size_t i = 0; i < hops->drawn.counts.size(); ++i)
    targets.insert(targets.end(), static_cast<size_t>(hops->drawn.counts[i]), indices[nodes[i]]);
  for (int64_t node : hops->drawn.nodes) {
    auto [found, isNew] = indices.emplace(node, static_cast<int64_t>(nodes.size()));
    if (isNew)
      nodes.push_back(node);
    sources.push_back(found->second);
  }
  for (int64_t node : *x)
    starts.push_back(indices[node]);
  const int64_t edgeDims[] = {static_cast<int64_t>(sources.size()), 1};
  for (const Result<void> &written :
       {writeList(call, 0, sources, edgeDims), writeList(call, 1, targets, edgeDims),
        writeList(call, 2, nodes), writeList(call, 3, starts), writeList(call, 4, hops->drawn.edges)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGraphSampleNeighbors(const GraphSampleNeighborsAttributes &op,
                                                                const KernelRequest &request) {
  Checks checks(request);
  int64_t size = op.sampleSize;
  bool wantsEdges = op.returnEids;
  checks.expectOperands(wantsEdges ? 4 : 3, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return sampleNeighbors(call, size, wantsEdges); });
}

Result<std::unique_ptr<LibraryKernel>>
makeWeightedSampleNeighbors(const WeightedSampleNeighborsAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  int64_t size = op.sampleSize;
  bool wantsEdges = op.returnEids;
  checks.expectOperands(wantsEdges ? 5 : 4, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return sampleByWeight(call, size, wantsEdges); });
}

Result<std::unique_ptr<LibraryKernel>> makeGraphKhopSampler(const GraphKhopSamplerAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  std::vector<int64_t> sizes = op.sampleSizes;
  bool wantsEdges = op.returnEids;
  checks.expectOperands(wantsEdges ? 4 : 3, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return sampleHops(call, sizes, wantsEdges); });
}

} // namespace proa::runtime
