#include "test/unit/plan/Workloads.h"

#include <algorithm>

namespace proa::plan {
namespace {

constexpr uint8_t rows = batchSplit | sequenceSplit;

Layer block(const Transformer &shape) {
  double h = shape.hidden, s = shape.sequence;
  Layer layer;
  layer.name = "block";
  layer.parameters = {{modelSplit, (4 + 2 * shape.ffn) * h * h}, {0, 4 * h}};
  double flops = 2 * s * (4 + 2 * shape.ffn) * h * h + 4 * s * s * h;
  layer.forward = {{rows | modelSplit, flops, 2 * s * (8 + 4 * shape.ffn) * h, 8}, {rows, 0, 20 * s * h, 6}};
  layer.backward = {{rows | modelSplit, 2 * flops, 4 * s * (8 + 4 * shape.ffn) * h, 16},
                    {rows, 0, 40 * s * h, 12}};
  layer.cheap = {{rows | modelSplit, 4 * s * s * h, 5 * shape.heads * s * s, 4}};
  layer.kept[0] = {{rows | modelSplit, 24 * s * h + 5 * shape.heads * s * s}, {rows, 10 * s * h}};
  layer.kept[1] = {{rows | modelSplit, 24 * s * h}, {rows, 10 * s * h}};
  layer.kept[2] = {{rows, 2 * s * h}};
  layer.working = {{rows | modelSplit, 4 * shape.ffn * s * h}};
  layer.output = {{rows, 2 * s * h}};
  for (auto *list : {&layer.forwardCollectives, &layer.backwardCollectives})
    *list = {{Collective::AllReduce, "mp", rows & ~sequenceSplit, 4 * s * h, 2}};
  return layer;
}

Layer vocabularyLayer(const Transformer &shape, bool isHead) {
  double h = shape.hidden, s = shape.sequence, v = shape.vocabulary;
  Layer layer;
  layer.name = isHead ? "head" : "embedding";
  layer.parameters = {{modelSplit, v * h}};
  double flops = isHead ? 2 * s * v * h : 0;
  layer.forward = {{rows | modelSplit, flops, 4 * s * h, 2}};
  layer.backward = {{rows | modelSplit, 2 * flops, 8 * s * h, 4}};
  if (isHead)
    layer.kept[0] = layer.kept[1] = layer.kept[2] = {{rows | modelSplit, 4 * s * v}};
  layer.output = {{rows, 2 * s * h}};
  return layer;
}

} // namespace

Workload transformer(const Transformer &shape) {
  Workload workload;
  workload.name = "transformer";
  workload.kinds = {vocabularyLayer(shape, false), block(shape), vocabularyLayer(shape, true)};
  workload.layers.assign(static_cast<size_t>(shape.layers) + 2, 1);
  workload.layers.front() = 0;
  workload.layers.back() = 2;
  workload.states = {2, 2, 12};
  workload.is16Bit = true;
  auto heads = static_cast<int64_t>(shape.heads);
  workload.divides = {{"mp", {heads}}, {"cp", {static_cast<int64_t>(shape.sequence)}}};
  workload.reasons = {{"ep", "the program has no experts"}};
  return workload;
}

Workload randomWorkload(std::mt19937 &random, int layers) {
  auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Workload workload;
  workload.name = "random";
  int kinds = std::uniform_int_distribution<int>(1, std::min(layers, 4))(random);
  for (int kind = 0; kind < kinds; ++kind) {
    Layer &layer = workload.kinds.emplace_back();
    layer.name = "kind" + std::to_string(kind);
    layer.parameters = {{modelSplit, uniform(1e6, 3e8)}, {0, uniform(1e3, 1e6)}};
    double flops = uniform(1e11, 5e12), activation = uniform(1e7, 3e8);
    layer.forward = {{rows | modelSplit, flops, activation, 4}, {rows, 0, activation, 4}};
    layer.backward = {{rows | modelSplit, uniform(1.8, 2.2) * flops, 2 * activation, 8},
                      {rows, 0, 2 * activation, 8}};
    layer.cheap = {{rows, 0, uniform(0.2, 1) * activation, 2}};
    layer.kept[0] = {{rows | modelSplit, uniform(1, 4) * activation}, {rows, activation}};
    layer.kept[1] = {{rows | modelSplit, activation}, {rows, uniform(0.3, 1) * activation}};
    layer.kept[2] = {{rows, 0.3 * activation}};
    layer.working = {{rows | modelSplit, uniform(0.5, 2) * activation}};
    layer.output = {{rows, 0.3 * activation}};
    for (auto *list : {&layer.forwardCollectives, &layer.backwardCollectives})
      *list = {{Collective::AllReduce, "mp", batchSplit, 0.6 * activation, 2}};
  }
  for (int layer = 0; layer < layers; ++layer)
    workload.layers.push_back(std::uniform_int_distribution<int>(0, kinds - 1)(random));
  workload.states = {2, 2, 12};
  workload.is16Bit = true;
  workload.divides = {{"mp", {16}}};
  workload.reasons = {{"ep", "the program has no experts"}, {"cp", "the program has no sequence"}};
  return workload;
}

Cluster hopperCluster(int64_t devices, double memory) {
  Cluster cluster{.device = "sm_90a",
                  .memory = memory,
                  .flops32 = 30e12,
                  .flops16 = 400e12,
                  .memoryBandwidth = 2e12,
                  .stepSeconds = 2e-6,
                  .hostBandwidth = 25e9};
  cluster.levels.push_back({"nvlink", std::min<int64_t>(devices, 8), 3e-6, 450e9});
  if (devices > 8)
    cluster.levels.push_back({"ib", devices / 8, 8e-6, 50e9});
  return cluster;
}

} // namespace proa::plan
