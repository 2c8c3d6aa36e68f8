#include "tools/proa-run/ChoosePlan.h"

#include "lib/compiler/plan/ProgramWorkload.h"
#include "lib/plan/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace proa::tools {
namespace {

constexpr const char *automatic = "auto";

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
    options.model.mesh->strategy = stored.strategy;
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

/// The best plan that can run.
Result<plan::StoredPlan> bestPlan(const ToolOptions &options,
                                  const std::function<void(const std::string &)> &note) {
  auto cluster = plan::readCluster(options.cluster);
  if (!cluster)
    return cluster.diagnostics();
  WorkloadOptions workload{.name = options.path, .is16Bit = options.model.amp.has_value()};
  auto described = describeWorkload(options.path, options.model.feedDims, workload);
  if (!described)
    return described.diagnostics();
  plan::CostModel model(described->workload, *cluster, described->batch, options.model.mesh->overlap);
  plan::SearchOptions search{.best = 1, .explainsFamilies = false};
  search.accepts = [](const plan::Frame &frame) { return plan::whyNotExecutable({frame, {}, {}}).empty(); };
  plan::SearchResult result = plan::search(model, search);
  if (result.best.empty())
    return whyNothingFits(model, result);
  note(fmt::format("--strategy=auto chose {}", planText(result.best.front().plan)));
  return plan::planOf(planJson(model, result.best.front()), "--strategy=auto");
}

} // namespace

Result<void> choosePlan(ToolOptions &options, const std::function<void(const std::string &)> &note) {
  if (isAutomatic(options) != !options.cluster.empty())
    return errorAt("--cluster", "expected --strategy=auto and --cluster together");
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
