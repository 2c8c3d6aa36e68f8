#include "lib/compiler/plan/JudgePlans.h"

#include "lib/base/plan/Report.h"
#include "lib/compiler/plan/PlannedStep.h"

#include <algorithm>
#include <chrono>

using namespace mlir;

namespace proa {
namespace {

/// The program of one rank alone does not show how long it waits for other stages: then the share of its time
/// comes from the formulas.
plan::Estimate estimateOf(const PlannedStep &step, const plan::Estimate &formulas, double memory) {
  double own = step.time.computation + step.time.collectives, idle = step.time.waiting;
  if (!step.isOfAllRanks) {
    double share = formulas.secondsOf("idle");
    idle = share > 0 ? own * share / (formulas.seconds - share) : 0;
  }
  plan::Estimate estimate;
  estimate.seconds = own + idle;
  for (auto [name, seconds] : {std::pair{"computation", step.time.computation},
                               {"collectives", step.time.collectives},
                               {"idle", idle}})
    if (seconds > 0)
      estimate.terms.push_back({name, seconds});
  estimate.memory.states = static_cast<double>(step.states);
  estimate.memory.arena = static_cast<double>(step.arena);
  estimate.missing = std::max(0.0, estimate.memory.total() - memory);
  return estimate;
}

/// Seconds to lower a program of two ranks, about.
double expectedSeconds(ModuleOp module) {
  constexpr double secondsOfOp = 2e-4;
  int64_t ops = 0;
  module.walk([&](Operation *) { ++ops; });
  return secondsOfOp * static_cast<double>(ops);
}

/// Those that are known to fit, by their time; those that may; those that do not.
int groupOf(const plan::Candidate &candidate) {
  return !candidate.lowered ? 1 : candidate.lowered->fits() ? 0 : 2;
}

} // namespace

void judgePlans(ModuleOp module, const plan::CostModel &model, const JudgeOptions &options,
                std::vector<plan::Candidate> &candidates) {
  using Time = std::chrono::steady_clock;
  auto secondsSince = [](Time::time_point begin) {
    return std::chrono::duration<double>(Time::now() - begin).count();
  };
  Time::time_point begin = Time::now();
  double expected = expectedSeconds(module);
  for (plan::Candidate &candidate : candidates) {
    if (!plan::whyNotExecutable(candidate.plan, model.workload).empty() || candidate.plan.frame.offload)
      continue;
    if (secondsSince(begin) + expected > options.seconds)
      break;
    Time::time_point start = Time::now();
    plan::StoredPlan stored = storedPlanOf(model, candidate);
    auto step = plannedStep(module, stored.strategy, model.cluster,
                            {.memoryBudget = stored.memoryBudget,
                             .is16Bit = stored.is16Bit,
                             .targetFacts = options.targetFacts,
                             .schedule = stored.schedule});
    expected = secondsSince(start);
    if (step)
      candidate.lowered = estimateOf(*step, candidate.estimate, model.cluster.memory);
  }
  std::ranges::stable_sort(candidates, [](const plan::Candidate &a, const plan::Candidate &b) {
    if (int first = groupOf(a), second = groupOf(b); first != second || first != 0)
      return first < second;
    return a.lowered->seconds < b.lowered->seconds;
  });
}

} // namespace proa
