/// The library kernel "graph_sample_neighbors" (row, colptr, x, eids; sample_size, return_eids; results: out,
/// out_count, out_eids). dialects/pd/graph/Sampling.td says what it computes.
#include "lib/runtime/library/Convert.h"
#include "lib/runtime/library/Draw.h"
#include "lib/runtime/library/Metrics.h"
#include "lib/runtime/library/Sequences.h"

#include <algorithm>
#include <numeric>

namespace proa::runtime {
namespace {

Result<void> writeList(Call &call, size_t output, std::span<const int64_t> values) {
  if (!call.hasOutput(output))
    return {};
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  Result<View> out = call.output(output, dims);
  if (!out)
    return out.problems();
  bool known = dispatchIndex(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), out->as<T>(),
                   [](int64_t value) { return static_cast<T>(value); });
  });
  return known ? Result<void>() : failure("expected int32 or int64, found {}", nameOf(out->dtype));
}

Result<void> sampleNeighbors(Call &call, int64_t size, bool wantsEdges) {
  Result<std::vector<int64_t>> row = integersOf(call.input(0)), begins = integersOf(call.input(1)),
                               nodes = integersOf(call.input(2));
  for (const auto *list : {&row, &begins, &nodes})
    if (!*list)
      return list->problems();
  std::vector<int64_t> edges;
  if (wantsEdges) {
    Result<std::vector<int64_t>> given = integersOf(call.input(3));
    if (!given)
      return given.problems();
    edges = std::move(*given);
    if (edges.size() != row->size())
      return failure("there are {} eids for {} neighbours", edges.size(), row->size());
  }
  RandomCall draw = call.random().next();
  uint64_t drawn = 0;
  std::vector<int64_t> out, counts, outEdges;
  auto count = static_cast<int64_t>(begins->size()) - 1;
  for (int64_t node : *nodes) {
    if (node < 0 || node >= count)
      return failure("node {} is not one of {}", node, count);
    int64_t begin = (*begins)[static_cast<size_t>(node)], end = (*begins)[static_cast<size_t>(node) + 1];
    if (begin < 0 || end < begin || end > static_cast<int64_t>(row->size()))
      return failure("colptr gives node {} the neighbours {} to {} of {}", node, begin, end, row->size());
    std::vector<int64_t> places(static_cast<size_t>(end - begin));
    std::iota(places.begin(), places.end(), begin);
    if (size >= 0 && size < end - begin) {
      for (int64_t i = 0; i < size; ++i, ++drawn) {
        auto words = draw.block(drawn);
        uint64_t word = uint64_t(words[1]) << 32 | words[0];
        auto other =
            static_cast<size_t>(i) + static_cast<size_t>(word % (places.size() - static_cast<size_t>(i)));
        std::swap(places[static_cast<size_t>(i)], places[other]);
      }
      places.resize(static_cast<size_t>(size));
    }
    counts.push_back(static_cast<int64_t>(places.size()));
    for (int64_t place : places) {
      out.push_back((*row)[static_cast<size_t>(place)]);
      if (wantsEdges)
        outEdges.push_back(edges[static_cast<size_t>(place)]);
    }
  }
  for (auto [place, values] : {std::pair(0, &out), std::pair(1, &counts), std::pair(2, &outEdges)})
    if (Result<void> written = writeList(call, static_cast<size_t>(place), *values); !written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGraphSampleNeighbors(const KernelRequest &request) {
  Attributes reader(request);
  int64_t size = reader.integer("sample_size", -1);
  bool wantsEdges = reader.boolean("return_eids", false);
  reader.expectOperands(wantsEdges ? 4 : 3, 0);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) { return sampleNeighbors(call, size, wantsEdges); });
}

} // namespace proa::runtime
