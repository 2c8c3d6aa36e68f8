#include "lib/base/spmd/RingCost.h"

#include <algorithm>

namespace proa::spmd {

RingCost costOfRing(const RingWork &work, const RingModel &model) {
  auto steps = static_cast<double>(work.shards - 1);
  double bytesSeconds = static_cast<double>(work.messageBytes) / model.link.bandwidth;
  double message = static_cast<double>(work.messages) * model.link.latency + bytesSeconds;
  double compute = work.operations / model.operationsPerSecond;
  double ofStep = compute / static_cast<double>(work.shards);
  RingCost cost;
  cost.gatherSeconds = steps * message + compute;
  cost.ringSeconds = model.overlaps ? steps * std::max(message, ofStep) + ofStep : cost.gatherSeconds;
  cost.ringSeconds += steps * model.stepSeconds + static_cast<double>(work.copiedBytes) / model.copyBandwidth;
  bool savesMemory = work.gatherBytes - work.ringBytes >= model.leastBytes &&
                     cost.ringSeconds <= model.slowdown * cost.gatherSeconds;
  cost.isRing = cost.ringSeconds < 0.95 * cost.gatherSeconds || savesMemory;
  return cost;
}

} // namespace proa::spmd
