#include "tools/proa-run/ChoosePlan.h"

#include "lib/base/plan/Report.h"
#include "lib/compiler/measure/MeasureTarget.h"
#include "lib/compiler/plan/ImportedProgram.h"
#include "lib/compiler/plan/JudgePlans.h"
#include "lib/compiler/plan/ProgramWorkload.h"
#include "lib/runtime/ranks/Communicator.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace proa::tools {
namespace {

constexpr const char *automatic = "auto";
/// The number of plans whose programs are lowered.
constexpr size_t judgedPlans = 8;

bool isAutomatic(const ToolOptions &options) {
  return options.model.mesh && options.model.mesh->strategy == automatic;
}

Result<void> applyPlan(const plan::StoredPlan &stored, const std::string &source, ToolOptions &options) {
  Diagnostics diagnostics;
  auto refuse = [&](bool isGiven, const char *option) {
    if (isGiven)
      diagnostics.add(source, fmt::format("the plan sets {}, expected it once", option));
  };
  refuse(options.model.mesh && !options.model.mesh->strategy.empty() && !isAutomatic(options), "--strategy");
  refuse(stored.memoryBudget && options.model.memoryBudget, "--recompute");
  if (!diagnostics.empty())
    return diagnostics;
  if (!stored.strategy.empty() && !options.model.mesh)
    options.model.mesh.emplace();
  if (options.model.mesh)
    options.model.mesh->strategy = stored.strategy, options.model.mesh->schedule = stored.schedule;
  if (stored.strategy.empty() && options.model.mesh && options.model.mesh->axes.empty())
    options.model.mesh.reset(); // one device
  if (stored.memoryBudget)
    options.model.memoryBudget = stored.memoryBudget;
  if (stored.offload && !options.model.offload)
    options.model.offload.emplace();
  if (stored.is16Bit && !options.model.amp)
    options.model.amp = AmpOptions{.level = AmpOptions::Level::O2, .dtype = DType::BFloat16};
  return {};
}

/// The cluster of the calibration of this machine: the processes of mpirun, if there are any.
Result<plan::Cluster> calibratedCluster() {
  std::string path = defaultCalibrationFile();
  if (path.empty() || !std::filesystem::exists(path))
    return errorAt(
        "--strategy=auto",
        fmt::format("the machine is not measured: {} does not exist, expected --cluster FILE, or a "
                    "call of proa-plan --calibrate before",
                    path.empty() ? "the file of proa-plan --calibrate" : path));
  auto cluster = plan::readCluster(path);
  if (cluster && runtime::isStartedByMpi())
    cluster->levels.back().devices = runtime::rankStartedByMpi().size;
  return cluster;
}

/// The best plan that can run.
Result<plan::StoredPlan> bestPlan(const ToolOptions &options,
                                  const std::function<void(const std::string &)> &note) {
  auto cluster = options.cluster.empty() ? calibratedCluster() : plan::readCluster(options.cluster);
  if (!cluster)
    return cluster.diagnostics();
  WorkloadOptions workload{.name = options.path, .is16Bit = options.model.amp.has_value()};
  auto described = describeWorkload(options.path, options.model.feedDims, workload);
  if (!described)
    return described.diagnostics();
  plan::CostModel model(described->workload, *cluster, described->batch, options.model.mesh->overlap);
  plan::SearchOptions search{.best = judgedPlans, .explainsFamilies = false};
  search.accepts = [](const plan::Frame &frame) { return plan::whyNotExecutable(frame).empty(); };
  if (described->isTraining)
    search.judge = [&](std::vector<plan::Candidate> &candidates) {
      if (auto program = importProgram(options.path, options.model.feedDims))
        judgePlans(*program->module, model, {.targetFacts = options.model.targetFacts}, candidates);
    };
  plan::SearchResult result = plan::search(model, search);
  std::erase_if(result.best, [&](const plan::Candidate &candidate) {
    return !plan::whyNotExecutable(candidate.plan, model.workload).empty();
  });
  if (result.best.empty())
    return whyNothingFits(model, result);
  const plan::Candidate &best = result.best.front();
  if (!best.judged().fits())
    return errorAt("--strategy=auto",
                   fmt::format("none of the {} best plans fits: {} lacks {:.0f} bytes on a device",
                               result.best.size(), planText(best.plan), best.judged().missing));
  note(fmt::format("--strategy=auto chose {}", planText(best.plan)));
  return plan::planOf(planJson(model, best), "--strategy=auto");
}

} // namespace

Result<void> choosePlan(ToolOptions &options, const std::function<void(const std::string &)> &note) {
  if (!isAutomatic(options) && !options.cluster.empty())
    return errorAt("--cluster", "it is for --strategy=auto, expected this strategy");
  if (!options.plan.empty()) {
    if (isAutomatic(options))
      return errorAt("--plan", "--strategy=auto is given too, expected one of them");
    auto stored = plan::readPlan(options.plan);
    return stored ? applyPlan(*stored, options.plan, options) : stored.diagnostics();
  }
  if (!isAutomatic(options))
    return {};
  auto best = bestPlan(options, note);
  return best ? applyPlan(*best, "--strategy=auto", options) : best.diagnostics();
}

} // namespace proa::tools
