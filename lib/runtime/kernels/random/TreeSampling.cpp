/// The library kernel "tdm_sampler" (items, travel, layers). dialects/pd/ops/graph/Sampling.td says what it
/// computes.
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/graph/Sampling.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

struct TreeAttributes {
  std::vector<int64_t> counts, layers;
  bool withPositive = true;
  uint64_t seed = 0;
};

struct TreeSamples {
  std::vector<int64_t> nodes, labels, mask;

  void add(int64_t node, int64_t label, int64_t counts) {
    nodes.push_back(node);
    labels.push_back(label);
    mask.push_back(counts);
  }
};

/// RandomState `count` different nodes of a layer other than `positive`.
Result<void> drawOthers(std::vector<int64_t> nodes, int64_t positive, int64_t count, RandomStream &random,
                        TreeSamples &samples) {
  nodes.erase(std::remove(nodes.begin(), nodes.end(), positive), nodes.end());
  if (static_cast<int64_t>(nodes.size()) < count)
    return failure("a layer has {} nodes other than {}, {} are to be drawn", nodes.size(), positive, count);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    std::swap(nodes[i], nodes[i + random() % (nodes.size() - i)]);
    samples.add(nodes[i], 0, 1);
  }
  return {};
}

Result<void> sampleTree(Call &call, const TreeAttributes &attributes) {
  Result<std::vector<int64_t>> items = integersOf(call.input(0)), travel = integersOf(call.input(1)),
                               layer = integersOf(call.input(2));
  for (const auto *list : {&items, &travel, &layer})
    if (!*list)
      return list->diagnostics();
  size_t layers = attributes.counts.size();
  auto rows = layers == 0 ? int64_t(0) : static_cast<int64_t>(travel->size() / layers);
  if (attributes.layers.front() < 0 || attributes.layers.back() > static_cast<int64_t>(layer->size()))
    return failure("layer_offset_lod goes to {}, there are {} nodes", attributes.layers.back(),
                   layer->size());
  RandomCall draw = drawOf(call, attributes.seed);
  TreeSamples samples;
  for (size_t i = 0; i < items->size(); ++i) {
    RandomStream random(draw, i);
    int64_t item = (*items)[i];
    if (item < 0 || item >= rows)
      return failure("item {} is not one of {}", item, rows);
    for (size_t l = 0; l < layers; ++l) {
      int64_t positive = (*travel)[static_cast<size_t>(item) * layers + l], count = attributes.counts[l];
      if (positive == 0) {
        for (int64_t k = attributes.withPositive ? -1 : 0; k < count; ++k)
          samples.add(0, 0, 0);
        continue;
      }
      if (attributes.withPositive)
        samples.add(positive, 1, 1);
      std::vector<int64_t> nodes(layer->begin() + attributes.layers[l],
                                 layer->begin() + attributes.layers[l + 1]);
      if (Result<void> drawn = drawOthers(std::move(nodes), positive, count, random, samples); !drawn)
        return drawn;
    }
  }
  auto count = static_cast<int64_t>(items->size());
  const int64_t dims[] = {count, count == 0 ? 0 : static_cast<int64_t>(samples.nodes.size()) / count};
  for (auto [output, values] :
       {std::pair(0, &samples.nodes), std::pair(1, &samples.labels), std::pair(2, &samples.mask)}) {
    auto index = static_cast<size_t>(output);
    if (!call.hasOutput(index))
      continue;
    Result<View> out = call.output(index, dims);
    if (!out)
      return out.diagnostics();
    dispatchIndex(out->dtype, [&, to = *out, from = values](auto zero) {
      std::copy(from->begin(), from->end(), to.template as<decltype(zero)>());
    });
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeTdmSampler(const TdmSamplerAttributes &op,
                                                      const KernelRequest &request) {
  Checks checks(request);
  TreeAttributes attributes;
  attributes.counts = op.negSamplesNumList;
  attributes.layers = op.layerOffsetLod;
  attributes.withPositive = op.outputPositive;
  attributes.seed = static_cast<uint64_t>(op.seed);
  checks.expectOperands(3, 0);
  checks.expect(attributes.layers.size() == attributes.counts.size() + 1 &&
                    std::is_sorted(attributes.layers.begin(), attributes.layers.end()),
                "layer_offset_lod must ascend, one element more than neg_samples_num_list");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return sampleTree(call, attributes); });
}

} // namespace proa::runtime
