//! Checks schedules.
#include "lib/base/pipeline/Check.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::pipeline {
namespace {

/// The name of a step in messages.
std::string_view nameOf(Step step) {
  constexpr std::string_view names[] = {"F", "B or BW", "W or BW"};
  return names[static_cast<uint8_t>(step)];
}

std::string_view letterOf(Step step) {
  constexpr std::string_view letters[] = {"F", "B", "W"};
  return letters[static_cast<uint8_t>(step)];
}

class Checker {
public:
  Checker(const Schedule &schedule, const CheckOptions &options)
      : schedule(schedule), shape(schedule.shape), options(options) {}

  Diagnostics run() {
    checkRanges();
    if (!errors.empty())
      return errors;
    JobIndex index(schedule);
    checkComplete(index);
    checkOrder(index);
    if (errors.empty())
      checkCycles(index);
    if (!errors.empty())
      return errors;
    errors.append(checkBlocking(shape, emitActions(schedule)));
    checkMemory();
    return errors;
  }

private:
  void report(int64_t rank, int64_t position, std::string message) {
    const std::vector<Job> &jobs = schedule.jobs[rank];
    std::string job = position < std::ssize(jobs) ? textOf(jobs[position], shape.chunks) : "end";
    errors.add({.location = fmt::format("{}{}rank {}, position {} ({})", options.name,
                                        options.name.empty() ? "" : ": ", rank, position, job),
                .message = std::move(message),
                .code = code});
  }

  void checkRanges() {
    code = "job";
    if (std::ssize(schedule.jobs) != shape.ranks) {
      errors.add(std::string(options.name), fmt::format("the schedule has jobs of {} ranks, expected {}",
                                                        schedule.jobs.size(), shape.ranks));
      return;
    }
    for (int64_t rank = 0; rank < shape.ranks; ++rank)
      for (int64_t position = 0; position < std::ssize(schedule.jobs[rank]); ++position) {
        const Job &job = schedule.jobs[rank][position];
        if (job.microBatch < 0 || job.microBatch >= shape.microBatches)
          report(rank, position,
                 fmt::format("micro-batch {} does not exist, expected one below {}", job.microBatch,
                             shape.microBatches));
        if (job.chunk < 0 || job.chunk >= shape.chunks)
          report(rank, position,
                 fmt::format("chunk {} does not exist, expected one below {}", job.chunk, shape.chunks));
      }
  }

  /// Each step of each micro-batch on each stage is there, once.
  void checkComplete(const JobIndex &index) {
    code = "complete";
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      for (int64_t position = 0; position < std::ssize(schedule.jobs[rank]); ++position)
        checkTwice(index, rank, position);
      for (int64_t chunk = 0; chunk < shape.chunks; ++chunk)
        for (int64_t microBatch = 0; microBatch < shape.microBatches; ++microBatch)
          for (Step step : {Step::Forward, Step::InputGradient, Step::WeightGradient})
            if (!index.find({step, microBatch, shape.stageOf(rank, chunk)}).exists())
              report(rank, schedule.jobs[rank].size(),
                     fmt::format("{} of micro-batch {}{} is missing, expected it once", nameOf(step),
                                 microBatch, shape.chunks > 1 ? fmt::format(" on chunk {}", chunk) : ""));
    }
  }

  void checkTwice(const JobIndex &index, int64_t rank, int64_t position) {
    const Job &job = schedule.jobs[rank][position];
    StageJob stageJob = stageJobOf(shape, rank, job);
    std::vector<Step> steps{stageJob.step};
    if (job.kind == JobKind::Backward)
      steps.push_back(Step::WeightGradient);
    for (Step step : steps) {
      JobIndex::Slot slot = index.find({step, stageJob.microBatch, stageJob.stage});
      if (slot.position != position)
        return report(rank, position,
                      fmt::format("{} of this micro-batch is at position {} already, expected it once",
                                  letterOf(step), slot.position));
    }
  }

  /// A job is after the jobs of the same rank that it needs.
  void checkOrder(const JobIndex &index) {
    code = "order";
    for (int64_t rank = 0; rank < shape.ranks; ++rank)
      for (int64_t position = 0; position < std::ssize(schedule.jobs[rank]); ++position) {
        const Job &job = schedule.jobs[rank][position];
        for (const StageJob &needed : dependencies(shape, stageJobOf(shape, rank, job))) {
          JobIndex::Slot slot = index.find(needed);
          if (slot.exists() && slot.rank == rank && slot.position > position)
            report(rank, position,
                   fmt::format("the job needs {} at position {}, expected it earlier",
                               textOf(schedule.jobs[rank][slot.position], shape.chunks), slot.position));
        }
      }
  }

  void checkCycles(const JobIndex &index) {
    code = "deadlock";
    Timeline timeline = simulate(schedule, options.costs);
    for (int64_t rank = 0; rank < std::ssize(timeline.blocked); ++rank) {
      int64_t position = timeline.blocked[rank];
      if (position == std::ssize(schedule.jobs[rank]))
        continue;
      for (const StageJob &needed :
           dependencies(shape, stageJobOf(shape, rank, schedule.jobs[rank][position]))) {
        JobIndex::Slot slot = index.find(needed);
        if (slot.exists() && slot.position >= timeline.blocked[slot.rank])
          report(rank, position,
                 fmt::format("deadlock: the job waits for {} at position {} of rank {}, which never runs, "
                             "expected an order without cycles",
                             textOf(schedule.jobs[slot.rank][slot.position], shape.chunks), slot.position,
                             slot.rank));
      }
    }
  }

  /// Memory depends on the order of the jobs of a rank alone. One error for each rank.
  void checkMemory() {
    code = "memory";
    if (!options.memoryLimit)
      return;
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      double amount = 0;
      for (int64_t position = 0; position < std::ssize(schedule.jobs[rank]); ++position) {
        const Job &job = schedule.jobs[rank][position];
        double activation = options.costs.activationOf(shape.stageOf(rank, job.chunk));
        if (job.kind == JobKind::Forward)
          amount += activation;
        else if (job.kind != JobKind::InputGradient)
          amount -= activation;
        // Sums of fractions, as thirds, are not exact.
        if (amount > *options.memoryLimit * (1 + 1e-9)) {
          report(rank, position,
                 fmt::format("the rank holds activations of {:.6g}, expected at most {:.6g}", amount,
                             *options.memoryLimit));
          break;
        }
      }
    }
  }

  const Schedule &schedule;
  const Shape &shape;
  const CheckOptions &options;
  /// Of the errors of the current check.
  const char *code = "";
  Diagnostics errors;
};

/// Runs programs of ranks whose sends and receives wait for each other.
class Rendezvous {
public:
  Rendezvous(const Shape &shape, const std::vector<std::vector<Action>> &actions)
      : shape(shape), actions(actions), next(actions.size()) {}

  Diagnostics run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (size_t rank = 0; rank < actions.size(); ++rank)
        while (advance(rank))
          progress = true;
    }
    Diagnostics errors;
    for (size_t rank = 0; rank < actions.size(); ++rank)
      if (next[rank] < actions[rank].size())
        errors.add({.location = fmt::format("rank {}, action {} ({})", rank, next[rank],
                                            textOf(actions[rank][next[rank]], shape.chunks)),
                    .message = fmt::format("deadlock: {}, expected the matching action", stateOfPeer(rank)),
                    .code = "deadlock"});
    return errors;
  }

private:
  bool advance(size_t rank) {
    if (next[rank] == actions[rank].size())
      return false;
    const Action &action = actions[rank][next[rank]];
    if (action.kind != ActionKind::Run) {
      if (action.peer < 0 || action.peer >= std::ssize(actions) ||
          next[action.peer] == actions[action.peer].size())
        return false;
      const Action &other = actions[action.peer][next[action.peer]];
      ActionKind expected = action.kind == ActionKind::Send ? ActionKind::Receive : ActionKind::Send;
      if (other.kind != expected || other.peer != static_cast<int64_t>(rank) || !(other.job == action.job))
        return false;
      ++next[action.peer];
    }
    ++next[rank];
    return true;
  }

  std::string stateOfPeer(size_t rank) const {
    int64_t peer = actions[rank][next[rank]].peer;
    if (peer < 0 || peer >= std::ssize(actions))
      return fmt::format("rank {} does not exist", peer);
    if (next[peer] == actions[peer].size())
      return fmt::format("rank {} has ended", peer);
    return fmt::format("rank {} waits at action {} ({})", peer, next[peer],
                       textOf(actions[peer][next[peer]], shape.chunks));
  }

  const Shape &shape;
  const std::vector<std::vector<Action>> &actions;
  std::vector<size_t> next;
};

} // namespace

Diagnostics check(const Schedule &schedule, const CheckOptions &options) {
  return Checker(schedule, options).run();
}

Diagnostics checkBlocking(const Shape &shape, const std::vector<std::vector<Action>> &actions) {
  return Rendezvous(shape, actions).run();
}

} // namespace proa::pipeline
