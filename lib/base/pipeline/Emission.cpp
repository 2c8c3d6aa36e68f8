//! Orders sends and receives.
#include "lib/base/pipeline/Emission.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::pipeline {
namespace {

/// Runs the jobs of all ranks in turns.
class TurnTaker {
public:
  explicit TurnTaker(const Schedule &schedule)
      : schedule(schedule), index(schedule), isDone(index.size()), next(schedule.jobs.size()) {}

  std::vector<std::vector<RankJob>> run() {
    std::vector<std::vector<RankJob>> turns;
    for (bool progress = true; progress;) {
      std::vector<RankJob> turn;
      for (size_t rank = 0; rank < schedule.jobs.size(); ++rank)
        if (next[rank] < schedule.jobs[rank].size() && isReady(rank))
          turn.push_back({static_cast<int64_t>(rank), schedule.jobs[rank][next[rank]]});
      for (const RankJob &ran : turn) {
        ++next[ran.rank];
        isDone[index.indexOf(stageJobOf(schedule.shape, ran.rank, ran.job))] = true;
      }
      progress = !turn.empty();
      if (progress)
        turns.push_back(std::move(turn));
    }
    return turns;
  }

private:
  bool isReady(size_t rank) const {
    StageJob job = stageJobOf(schedule.shape, static_cast<int64_t>(rank), schedule.jobs[rank][next[rank]]);
    return std::ranges::all_of(dependencies(schedule.shape, job),
                               [&](const StageJob &needed) { return isDone[index.indexOf(needed)]; });
  }

  const Schedule &schedule;
  JobIndex index;
  std::vector<bool> isDone;
  std::vector<size_t> next;
};

/// Adds the transfer of a job's result, if another rank needs it, to both ranks.
void addTransfer(const Shape &shape, const RankJob &ran, std::vector<std::vector<Action>> &actions) {
  StageJob stageJob = stageJobOf(shape, ran.rank, ran.job);
  if (stageJob.step == Step::WeightGradient)
    return;
  int64_t target = stageJob.step == Step::Forward ? stageJob.stage + 1 : stageJob.stage - 1;
  if (target < 0 || target == shape.stages())
    return;
  int64_t peer = shape.rankOf(target);
  if (peer == ran.rank)
    return;
  actions[ran.rank].push_back({ActionKind::Send, ran.job, peer});
  actions[peer].push_back({ActionKind::Receive, ran.job, ran.rank});
}

} // namespace

std::vector<std::vector<RankJob>> turnsOf(const Schedule &schedule) { return TurnTaker(schedule).run(); }

std::vector<std::vector<Action>> emitActions(const Schedule &schedule) {
  std::vector<std::vector<Action>> actions(schedule.jobs.size());
  for (const std::vector<RankJob> &turn : turnsOf(schedule)) {
    for (const RankJob &ran : turn)
      actions[ran.rank].push_back({ActionKind::Run, ran.job});
    for (const RankJob &ran : turn)
      addTransfer(schedule.shape, ran, actions);
  }
  return actions;
}

std::string textOf(const Action &action, int64_t chunks) {
  std::string job = textOf(action.job, chunks);
  switch (action.kind) {
  case ActionKind::Run:
    return job;
  case ActionKind::Send:
    return fmt::format("send {} to rank {}", job, action.peer);
  case ActionKind::Receive:
    return fmt::format("receive {} from rank {}", job, action.peer);
  }
  return job;
}

} // namespace proa::pipeline
