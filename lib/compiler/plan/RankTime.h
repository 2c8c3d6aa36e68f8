/// The estimated time of a rank's program by the steps of its plan.
#pragma once

#include "lib/base/plan/Cluster.h"
#include "lib/runtime/plan/Plan.h"

namespace proa {

/// Seconds of one run.
struct RankTime {
  double computation = 0;
  double collectives = 0; ///< as far as steps wait for them
  double total() const { return computation + collectives; }
};

/// The time of the steps of `rank` on a device of the cluster, whose devices are the ranks:
/// - a step takes the longer of its arithmetic and its memory traffic, and the start of a kernel. Steps
///   without arithmetic (slices, lookups in tables) read no more of an operand than they write;
/// - a collective takes Cluster::seconds; of one that is started and waited for, the part that no steps hide.
///   Started collectives follow each other;
/// - a loop runs `trips` times: the micro-batches. Of a branch the longer body counts.
RankTime timeOfRank(const runtime::Plan &plan, const plan::Cluster &cluster, int64_t rank, int64_t trips);

} // namespace proa
