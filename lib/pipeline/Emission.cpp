//! Orders sends and receives.
#include "lib/pipeline/Emission.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::pipeline {
namespace {

/// Runs the jobs of all ranks in turn, and adds the transfer of a result to both ranks as soon as its job
/// ran.
class Emitter {
public:
  explicit Emitter(const Schedule &schedule)
      : schedule(schedule), shape(schedule.shape), index(schedule), isDone(index.size()),
        next(schedule.jobs.size()), actions(schedule.jobs.size()) {}

  std::vector<std::vector<Action>> run() {
    for (bool progress = true; progress;) {
      progress = false;
      // Only jobs that were ready at the start of the turn run in it, as on ranks with equal times.
      std::vector<bool> before = isDone;
      for (size_t rank = 0; rank < schedule.jobs.size(); ++rank)
        if (next[rank] < schedule.jobs[rank].size() && isReady(rank, before)) {
          runNext(rank);
          progress = true;
        }
      for (const auto &[rank, job] : ran)
        addTransfer(rank, job);
      ran.clear();
    }
    return std::move(actions);
  }

private:
  bool isReady(size_t rank, const std::vector<bool> &done) const {
    StageJob job = stageJobOf(shape, rank, schedule.jobs[rank][next[rank]]);
    return std::ranges::all_of(dependencies(shape, job),
                               [&](const StageJob &needed) { return done[index.indexOf(needed)]; });
  }

  void runNext(size_t rank) {
    const Job &job = schedule.jobs[rank][next[rank]++];
    actions[rank].push_back({ActionKind::Run, job});
    isDone[index.indexOf(stageJobOf(shape, rank, job))] = true;
    ran.emplace_back(rank, job);
  }

  void addTransfer(size_t rank, const Job &job) {
    StageJob stageJob = stageJobOf(shape, rank, job);
    if (stageJob.step == Step::WeightGradient)
      return;
    int64_t target = stageJob.step == Step::Forward ? stageJob.stage + 1 : stageJob.stage - 1;
    if (target < 0 || target == shape.stages())
      return;
    int64_t peer = shape.rankOf(target);
    if (peer == static_cast<int64_t>(rank))
      return;
    actions[rank].push_back({ActionKind::Send, job, peer});
    actions[peer].push_back({ActionKind::Receive, job, static_cast<int64_t>(rank)});
  }

  const Schedule &schedule;
  const Shape &shape;
  JobIndex index;
  std::vector<bool> isDone;
  std::vector<size_t> next;
  std::vector<std::pair<size_t, Job>> ran;
  std::vector<std::vector<Action>> actions;
};

} // namespace

std::vector<std::vector<Action>> emitActions(const Schedule &schedule) { return Emitter(schedule).run(); }

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
