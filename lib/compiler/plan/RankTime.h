/// The estimated time of a rank's program by the steps of its plan.
#pragma once

#include "lib/base/plan/Cluster.h"
#include "lib/runtime/plan/Plan.h"

#include <span>
#include <vector>

namespace proa {

/// Seconds of one run.
struct RankTime {
  double computation = 0;
  double collectives = 0; ///< as far as steps wait for them
  double waiting = 0;     ///< for messages of other stages
  double total() const { return computation + collectives + waiting; }
};

/// The time of the steps of `rank` on a device of the cluster, whose devices are the ranks:
/// - a step takes the longer of its arithmetic and its memory traffic, and the start of a kernel. Steps
///   without arithmetic (slices, lookups in tables) read no more of an operand than they write;
/// - a collective takes Cluster::seconds; of one that is started and waited for, the time that no steps hide.
///   Started collectives follow each other;
/// - a loop runs `trips` times: the micro-batches. Of a branch the longer body counts. A rank alone does not
///   wait for messages.
RankTime timeOfRank(const runtime::Plan &plan, const plan::Cluster &cluster, int64_t rank, int64_t trips);

/// The times of all ranks, whose programs begin at once, on one simulated clock: a receive, or the wait of a
/// started one, ends when the message of its channel has arrived, Cluster::seconds after it was sent. Sends
/// do not wait. The longest total is the time of the step, with the idle time of the rank that ends last.
std::vector<RankTime> timesOfRanks(std::span<const runtime::Plan *const> plans, const plan::Cluster &cluster,
                                   int64_t trips);

} // namespace proa
