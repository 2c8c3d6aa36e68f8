/// Workloads and clusters for tests of the planner.
#pragma once

#include "lib/base/plan/Workload.h"

#include <random>

namespace proa::plan {

/// A transformer with the formulas of Korthikanti et al. 2022 ("Reducing Activation Recomputation in Large
/// Transformer Models"), 16 bits: layers between an embedding and a head.
struct Transformer {
  int layers = 32;
  double hidden = 4096, heads = 32, sequence = 2048, vocabulary = 32000, ffn = 4;
};
Workload transformer(const Transformer &shape);

/// Layers of random sizes; some of them repeat.
Workload randomWorkload(std::mt19937 &random, int layers);

/// Groups of 8 devices like H100, joined by slower links.
Cluster hopperCluster(int64_t devices, double memory = 80e9);

} // namespace proa::plan
