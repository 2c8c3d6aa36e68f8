/// The programs of ranks: jobs with the sends and receives between them.
#pragma once

#include "lib/base/pipeline/Schedule.h"

namespace proa::pipeline {

enum class ActionKind : uint8_t { Run, Send, Receive };

struct Action {
  ActionKind kind = ActionKind::Run;
  /// The job that the rank runs, or whose result moves. The chunk is numbered on the rank that runs the job.
  Job job;
  /// The other rank of a send or receive.
  int64_t peer = -1;
  bool operator==(const Action &) const = default;
};

/// A job on a rank.
struct RankJob {
  int64_t rank = 0;
  Job job;
};

/// The jobs of a schedule in turns: a rank runs its next job in a turn if it was ready at the start of the
/// turn, as if all jobs took the same time. The schedule must be complete and without cycles.
std::vector<std::vector<RankJob>> turnsOf(const Schedule &schedule);

/// The actions of each rank. F sends its result to the next stage, B and BW to the one before, unless the
/// same rank has it. All ranks have the transfers in the order of a run in which each job begins as
/// soon as possible. So programs whose sends wait for their receivers end: the first transfer that is not
/// done has both ranks ready for it. The schedule must be complete and without cycles.
std::vector<std::vector<Action>> emitActions(const Schedule &schedule);

/// "send F0 to rank 1", "receive F0 from rank 0" or "F0".
std::string textOf(const Action &action, int64_t chunks);

} // namespace proa::pipeline
