/// The library kernel "reindex_graph" (x, neighbors, count). dialects/pd/ops/graph/Graph.td says what it
/// computes.
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/graph/Graph.kernels.inc"

#include <unordered_map>

namespace proa::runtime {
namespace {

Result<void> store(Call &call, size_t result, DType dtype, std::span<const int64_t> values) {
  if (!call.hasOutput(result))
    return {};
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  Result<View> out = call.output(result, dims);
  if (!out)
    return out.diagnostics();
  for (size_t i = 0; i < values.size(); ++i)
    if (dtype == DType::Int64)
      out->as<int64_t>()[i] = values[i];
    else
      out->as<int32_t>()[i] = static_cast<int32_t>(values[i]);
  return {};
}

Result<void> reindexGraph(Call &call) {
  Result<std::vector<int64_t>> x = integersOf(call.input(0)), neighbors = integersOf(call.input(1)),
                               count = integersOf(call.input(2));
  for (const auto *list : {&x, &neighbors, &count})
    if (!*list)
      return list->diagnostics();
  if (count->size() != x->size())
    return failure("there are {} counts for {} nodes", count->size(), x->size());
  std::unordered_map<int64_t, int64_t> indices;
  std::vector<int64_t> nodes, sources, targets;
  auto numberOf = [&](int64_t node) {
    auto [found, isNew] = indices.emplace(node, static_cast<int64_t>(nodes.size()));
    if (isNew)
      nodes.push_back(node);
    return found->second;
  };
  for (int64_t node : *x)
    numberOf(node);
  for (int64_t node : *neighbors)
    sources.push_back(numberOf(node));
  for (size_t i = 0; i < count->size(); ++i)
    targets.insert(targets.end(), static_cast<size_t>(std::max<int64_t>(0, (*count)[i])),
                   static_cast<int64_t>(i));
  if (targets.size() != sources.size())
    return failure("count names {} neighbours, there are {}", targets.size(), sources.size());
  DType dtype = call.input(0).dtype;
  for (auto [result, values] : {std::pair(0, &sources), std::pair(1, &targets), std::pair(2, &nodes)})
    if (Result<void> stored = store(call, static_cast<size_t>(result), dtype, *values); !stored)
      return stored;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeReindexGraph(const ReindexGraphAttributes &op,
                                                        const KernelRequest &request) {
  return makeKernel(reindexGraph);
}

} // namespace proa::runtime
