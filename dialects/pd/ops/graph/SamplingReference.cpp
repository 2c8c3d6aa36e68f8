//! Reference kernels of sampling graphs and trees.
#include "dialects/pd/ops/graph/Sampling.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace proa::pd {
namespace {

/// Selects edges of a node; called in the order of the nodes.
using Choice = llvm::function_ref<std::vector<int64_t>(std::vector<int64_t> edges)>;

struct Graph {
  std::vector<int64_t> row, begins, numbers;

  FailureOr<std::vector<int64_t>> edgesOf(int64_t node) const {
    if (node < 0 || node + 1 >= static_cast<int64_t>(begins.size()))
      return failure();
    std::vector<int64_t> out;
    for (int64_t i = begins[static_cast<size_t>(node)]; i < begins[static_cast<size_t>(node) + 1]; ++i)
      out.push_back(i);
    if (!out.empty() && (out.front() < 0 || out.back() >= static_cast<int64_t>(row.size())))
      return failure();
    return out;
  }
};

/// The graph that an op samples: its edges, the offset of each node's edges, and the edge ids if requested.
template <class Sample> Graph graphOf(Sample sample, llvm::ArrayRef<Tensor> operands) {
  const Tensor *numbers = sample.getReturnEids() ? operandOf(sample, operands, sample.getEids()) : nullptr;
  return {integersOf(operands[0]), integersOf(operands[1]),
          numbers ? integersOf(*numbers) : std::vector<int64_t>()};
}

struct Found {
  std::vector<int64_t> edges, counts;
};

FailureOr<Found> find(const Graph &graph, llvm::ArrayRef<int64_t> nodes, Choice choose) {
  Found out;
  for (int64_t node : nodes) {
    auto edges = graph.edgesOf(node);
    if (failed(edges))
      return failure();
    std::vector<int64_t> kept = choose(std::move(*edges));
    out.counts.push_back(static_cast<int64_t>(kept.size()));
    llvm::append_range(out.edges, kept);
  }
  return out;
}

std::vector<int64_t> pick(llvm::ArrayRef<int64_t> list, llvm::ArrayRef<int64_t> positions) {
  std::vector<int64_t> out;
  for (int64_t position : positions)
    if (!list.empty())
      out.push_back(list[static_cast<size_t>(position)]);
  return out;
}

/// Exchanges each of the first elements with one at or after it, by one block of the sequence for each.
class EqualChoice {
public:
  EqualChoice(const Sequence &sequence) : sequence(sequence) {}

  std::vector<int64_t> operator()(std::vector<int64_t> edges, int64_t most) {
    auto count = static_cast<int64_t>(edges.size());
    if (most < 0 || most >= count)
      return edges;
    for (int64_t i = 0; i < most; ++i) {
      Sequence::Words words = sequence.block(taken++);
      uint64_t word = uint64_t(words[1]) << 32 | words[0];
      auto position = static_cast<size_t>(i + static_cast<int64_t>(word % static_cast<uint64_t>(count - i)));
      std::swap(edges[static_cast<size_t>(i)], edges[position]);
    }
    edges.resize(static_cast<size_t>(most));
    return edges;
  }

private:
  Sequence sequence;
  uint64_t taken = 0;
};

void setNeighbors(const Graph &graph, const Found &found, llvm::MutableArrayRef<Tensor> results) {
  results[0] = vectorOf(results[0].dtype(), pick(graph.row, found.edges));
  results[1] = vectorOf(results[1].dtype(), found.counts);
  results[2] = vectorOf(results[2].dtype(), pick(graph.numbers, found.edges));
}

Tensor columnOf(DType dtype, const std::vector<int64_t> &values) {
  return vectorOf(dtype, values).reshaped({static_cast<int64_t>(values.size()), 1});
}

//===-- tdm_sampler -------------------------------------------------------------------------------------===//

struct Row {
  std::vector<int64_t> nodes, labels, mask;
  void add(int64_t node, int64_t label, int64_t isThere) {
    nodes.push_back(node);
    labels.push_back(label);
    mask.push_back(isThere);
  }
};

/// Adds the samples of one layer to the row of an item.
LogicalResult addLayer(TdmSamplerOp op, size_t layer, int64_t onTheWay, llvm::ArrayRef<int64_t> nodes,
                       Stream &stream, Row &row) {
  int64_t count = op.getNegSamplesNumList()[layer];
  if (op.getOutputPositive())
    row.add(onTheWay, onTheWay != 0, onTheWay != 0);
  if (onTheWay == 0) {
    for (int64_t k = 0; k < count; ++k)
      row.add(0, 0, 0);
    return success();
  }
  std::vector<int64_t> others;
  llvm::copy_if(nodes, std::back_inserter(others), [&](int64_t node) { return node != onTheWay; });
  if (static_cast<int64_t>(others.size()) < count)
    return failure();
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    std::swap(others[i], others[i + stream() % (others.size() - i)]);
    row.add(others[i], 0, 1);
  }
  return success();
}

} // namespace

LogicalResult GraphSampleNeighborsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                       llvm::MutableArrayRef<Tensor> results,
                                                       RandomState *state) {
  if (!state)
    return failure();
  Graph graph = graphOf(*this, operands);
  EqualChoice choice(state->next());
  auto most = static_cast<int64_t>(getSampleSize());
  auto found = find(graph, integersOf(operands[2]),
                    [&](std::vector<int64_t> edges) { return choice(std::move(edges), most); });
  if (succeeded(found))
    setNeighbors(graph, *found, results);
  return success(succeeded(found));
}

LogicalResult WeightedSampleNeighborsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                          llvm::MutableArrayRef<Tensor> results,
                                                          RandomState *state) {
  if (!state)
    return failure();
  Graph graph = graphOf(*this, operands);
  Stream stream(state->next(), 0);
  auto most = static_cast<int64_t>(getSampleSize());
  auto choose = [&](std::vector<int64_t> edges) {
    if (most < 0 || most >= static_cast<int64_t>(edges.size()))
      return edges;
    std::vector<std::pair<double, int64_t>> keys;
    for (int64_t edge : edges)
      keys.emplace_back(std::log(stream.unit()) / realAt(operands[2], edge), edge);
    llvm::sort(keys);
    std::vector<int64_t> kept;
    for (const auto &[key, edge] : llvm::ArrayRef(keys).take_back(static_cast<size_t>(most)))
      kept.push_back(edge);
    return kept;
  };
  auto found = find(graph, integersOf(operands[3]), choose);
  if (succeeded(found))
    setNeighbors(graph, *found, results);
  return success(succeeded(found));
}

LogicalResult GraphKhopSamplerOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                   llvm::MutableArrayRef<Tensor> results,
                                                   RandomState *state) {
  if (!state)
    return failure();
  Graph graph = graphOf(*this, operands);
  EqualChoice choice(state->next());
  std::vector<int64_t> x = integersOf(operands[2]), here = x, nodes, edges, ends;
  here.erase(llvm::unique(here), here.end());
  for (int64_t most : getSampleSizes()) {
    auto found = find(graph, here, [&](std::vector<int64_t> all) { return choice(std::move(all), most); });
    if (failed(found))
      return failure();
    for (auto [node, count] : llvm::zip(here, found->counts))
      ends.insert(ends.end(), static_cast<size_t>(count), node);
    llvm::append_range(nodes, here);
    llvm::append_range(edges, found->edges);
    std::set<int64_t> next;
    for (int64_t node : pick(graph.row, found->edges))
      if (!llvm::is_contained(here, node))
        next.insert(node);
    here.assign(next.begin(), next.end());
  }
  // A node of several steps has its last number.
  auto numberOf = [&](int64_t node) {
    for (size_t i = nodes.size(); i-- > 0;)
      if (nodes[i] == node)
        return static_cast<int64_t>(i);
    nodes.push_back(node);
    return static_cast<int64_t>(nodes.size()) - 1;
  };
  std::vector<int64_t> from, to, starts;
  for (int64_t node : ends)
    to.push_back(numberOf(node));
  for (int64_t node : pick(graph.row, edges))
    from.push_back(numberOf(node));
  for (int64_t node : x)
    starts.push_back(numberOf(node));
  results[0] = columnOf(results[0].dtype(), from);
  results[1] = columnOf(results[1].dtype(), to);
  results[2] = vectorOf(results[2].dtype(), nodes);
  results[3] = vectorOf(results[3].dtype(), starts);
  results[4] = vectorOf(results[4].dtype(), pick(graph.numbers, edges));
  return success();
}

LogicalResult TdmSamplerOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                             llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  std::vector<int64_t> items = integersOf(operands[0]), travel = integersOf(operands[1]),
                       nodes = integersOf(operands[2]);
  llvm::ArrayRef<int64_t> begins = getLayerOffsetLod();
  size_t layers = begins.size() - 1;
  Sequence sequence = state->next(static_cast<uint64_t>(getSeed()));
  Row all;
  for (auto [i, item] : llvm::enumerate(items)) {
    Stream stream(sequence, i);
    for (size_t layer = 0; layer < layers; ++layer) {
      size_t position = static_cast<size_t>(item) * layers + layer;
      if (item < 0 || position >= travel.size() || begins.back() > static_cast<int64_t>(nodes.size()))
        return failure();
      auto own = llvm::ArrayRef(nodes).slice(static_cast<size_t>(begins[layer]),
                                             static_cast<size_t>(begins[layer + 1] - begins[layer]));
      if (failed(addLayer(*this, layer, travel[position], own, stream, all)))
        return failure();
    }
  }
  auto rows = static_cast<int64_t>(items.size());
  std::vector<int64_t> dims{rows, rows == 0 ? 0 : static_cast<int64_t>(all.nodes.size()) / rows};
  for (auto [result, values] : llvm::zip(results, std::array{&all.nodes, &all.labels, &all.mask}))
    result = vectorOf(result.dtype(), *values).reshaped(dims);
  return success();
}

} // namespace proa::pd
