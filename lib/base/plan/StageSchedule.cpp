#include "lib/base/plan/StageSchedule.h"

#include <algorithm>

namespace proa::plan {

Result<pipeline::SearchResult> searchSchedule(const CostModel &model, const Plan &plan) {
  const Frame &frame = plan.frame;
  auto shape = pipeline::shapeFor(frame.schedule, frame.pipeline, frame.microBatches, frame.chunks);
  if (!shape)
    return shape.diagnostics();
  pipeline::SearchOptions options{.memoryLimit = model.cluster.memory};
  options.costs.times.clear();
  options.costs.activations.clear();
  for (const StageCost &chunk : model.chunkCosts(plan)) {
    double links =
        (chunk.seconds() - chunk.sum.forward - chunk.sum.backward - chunk.extra - chunk.transfers) / 2;
    double forward = chunk.sum.forward + links, backward = chunk.sum.backward + links + chunk.extra;
    options.costs.times.push_back({forward, backward - chunk.sum.backward / 2, chunk.sum.backward / 2});
    options.costs.latency = std::max(options.costs.latency, chunk.transfers / 2);
    options.costs.activations.push_back(chunk.kept);
  }
  for (const StageCost &stage : model.stageCosts(plan))
    options.reserved.push_back(model.fixedBytes(frame, stage));
  options.attempts = 4000;
  options.limits = 2;
  options.work = int64_t(1) << 22;
  return pipeline::searchSchedule(*shape, options);
}

} // namespace proa::plan
