#include "lib/base/plan/Report.h"

#include "lib/base/pipeline/Check.h"
#include "lib/base/pipeline/Text.h"
#include "lib/base/plan/StageSchedule.h"
#include "lib/base/support/Json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace proa::plan {
namespace {

std::string bytesText(double bytes) {
  constexpr std::pair<double, const char *> units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}};
  for (auto [unit, name] : units)
    if (bytes >= unit)
      return fmt::format("{:.2f} {}", bytes / unit, name);
  return fmt::format("{:.0f} B", bytes);
}

/// Three significant digits.
std::string secondsText(double seconds) {
  constexpr std::pair<double, const char *> units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  const auto *unit = std::ranges::find_if(units, [&](const auto &own) { return seconds >= own.first; });
  auto [size, name] = unit == std::end(units) ? units[2] : *unit;
  double value = seconds / size;
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, name);
}

double parametersOf(const Workload &workload) {
  double sum = 0;
  for (int kind : workload.layers)
    for (const Parameters &own : workload.kinds[static_cast<size_t>(kind)].parameters)
      sum += own.elements;
  return sum;
}

constexpr std::pair<const char *, double MemoryUse::*> memoryKinds[] = {
    {"weights", &MemoryUse::weights},     {"gradients", &MemoryUse::gradients},
    {"optimizer", &MemoryUse::optimizer}, {"activations", &MemoryUse::activations},
    {"working", &MemoryUse::working},     {"buffers", &MemoryUse::buffers},
    {"states", &MemoryUse::states},       {"arena", &MemoryUse::arena}};

/// Rows of cells; the first column is aligned to the left.
std::string tableText(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line = fmt::format("{:<{}}", row.front(), widths.front());
    for (size_t i = 1; i < row.size(); ++i)
      line += fmt::format("  {:>{}}", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// The terms that any of the plans has, in their order.
std::vector<std::string> termsOf(const std::vector<Candidate> &candidates) {
  constexpr const char *order[] = {"forward",        "backward",       "recompute",     "mp collectives",
                                   "ep collectives", "cp collectives", "dp statistics", "pp messages",
                                   "idle",           "dp collectives", "optimizer",     "computation",
                                   "collectives"};
  std::vector<std::string> terms;
  for (const char *name : order)
    if (std::ranges::any_of(candidates, [&](const Candidate &c) { return c.judged().secondsOf(name) > 0; }))
      terms.emplace_back(name);
  return terms;
}

std::string timesText(const std::vector<Candidate> &candidates) {
  std::vector<std::string> terms = termsOf(candidates);
  std::vector<std::vector<std::string>> rows{{"plan", "step"}};
  rows.front().insert(rows.front().end(), terms.begin(), terms.end());
  rows.front().emplace_back("limit");
  for (const Candidate &candidate : candidates) {
    std::vector<std::string> &row = rows.emplace_back();
    const Estimate &estimate = candidate.judged();
    row = {planText(candidate.plan), secondsText(estimate.seconds)};
    for (const std::string &term : terms) {
      double seconds = estimate.secondsOf(term);
      row.push_back(seconds > 0 ? secondsText(seconds) : "-");
    }
    row.push_back(estimate.limit());
  }
  return tableText(rows);
}

std::string memoryText(const std::vector<Candidate> &candidates) {
  std::vector<std::vector<std::string>> rows{{"memory of the fullest device", "total"}};
  for (const Candidate &candidate : candidates)
    rows.push_back({planText(candidate.plan), bytesText(candidate.judged().memory.total())});
  for (auto [name, member] : memoryKinds) {
    auto has = [&, kind = member](const Candidate &c) { return c.judged().memory.*kind >= 1; };
    if (std::ranges::none_of(candidates, has))
      continue;
    rows.front().emplace_back(name);
    for (size_t i = 0; i < candidates.size(); ++i)
      rows[i + 1].push_back(has(candidates[i]) ? bytesText(candidates[i].judged().memory.*member) : "-");
  }
  return tableText(rows);
}

/// Which plans were lowered, and which of them do not fit.
std::string loweredText(const std::vector<Candidate> &candidates, double memory) {
  auto lowered = std::ranges::count_if(candidates, [](const Candidate &c) { return c.lowered.has_value(); });
  std::string text;
  if (lowered > 0)
    text = fmt::format("Time and memory of {} of {} plans come from their lowered programs (states and "
                       "arena), of the others from formulas.\n",
                       lowered, candidates.size());
  for (const Candidate &candidate : candidates)
    if (!candidate.judged().fits())
      text += fmt::format("{} does not fit: its lowered program needs {}, of {}.\n", planText(candidate.plan),
                          bytesText(candidate.judged().memory.total()), bytesText(memory));
  return text;
}

} // namespace

std::string describe(const CostModel &model) {
  const Workload &workload = model.workload;
  const Cluster &cluster = model.cluster;
  double flops = 0;
  for (int kind : workload.layers)
    for (auto list : {&Layer::forward, &Layer::backward})
      for (const Work &work : workload.kinds[static_cast<size_t>(kind)].*list)
        flops += work.splits & batchSplit ? work.flops : 0;
  std::string text =
      fmt::format("{}: {} layers, {} of them equal, {:.4g} parameters, {:.3g} TFLOP for each example, {}\n",
                  workload.name, workload.layers.size(), equalLayers(workload).second, parametersOf(workload),
                  flops / 1e12, workload.is16Bit ? "16-bit floats" : "float32");
  text +=
      fmt::format("{} devices {} of {}, {:.3g} TFLOP/s each:", cluster.size(), cluster.device,
                  bytesText(cluster.memory), (workload.is16Bit ? cluster.flops16 : cluster.flops32) / 1e12);
  for (const LinkLevel &level : cluster.levels)
    text += fmt::format(" {} x {} ({:g} GB/s, {:g} us)", level.devices, level.name, level.bandwidth / 1e9,
                        level.latency * 1e6);
  return text + "\n";
}

std::string describe(const CostModel &model, const SearchResult &result) {
  std::string text = timesText(result.best) + "\n" + memoryText(result.best) + "\n" +
                     loweredText(result.best, model.cluster.memory);
  text += fmt::format(
      "No plan takes less than {} ({} of {} combinations solved, the others are slower by their "
      "bounds){}; the best is within {:.2f} %.\n",
      secondsText(result.lowerBound), result.solved, result.frames,
      result.best.front().lowered ? " by formulas" : "", 100 * (result.bestSeconds / result.lowerBound - 1));
  if (std::string reason = whyNotExecutable(result.best.front().plan, model.workload); !reason.empty())
    text += "The best plan cannot be executed: " + reason + ".\n";
  if (!result.rejected.empty())
    text += "\nnot used:\n";
  for (const RejectedFamily &family : result.rejected)
    text += fmt::format("  {}: {}\n", family.name, family.reason);
  return text;
}

std::string explain(const CostModel &model, const Candidate &candidate) {
  std::vector<Candidate> one{candidate};
  const Estimate &estimate = candidate.judged();
  std::string text = timesText(one) + "\n" + memoryText(one) + "\n";
  if (estimate.fits())
    text += fmt::format("It fits: {} are left.\n", bytesText(model.cluster.memory - estimate.memory.total()));
  else
    text += fmt::format("It does not fit: {} are missing on stage {}.\n", bytesText(estimate.missing),
                        estimate.stage);
  std::vector<Saving> savings = savingsOf(model, candidate.plan);
  if (savings.empty())
    return text + "No single change saves memory.\n";
  text += estimate.fits() ? "Changes that save memory:\n"
                          : "Changes that save memory, the cheapest that fits first:\n";
  std::vector<std::vector<std::string>> rows{{"  change", "saves", "step", "fits"}};
  for (const Saving &saving : savings)
    rows.push_back({"  " + saving.change, bytesText(saving.saved), secondsText(saving.estimate.seconds),
                    saving.estimate.fits() ? "yes" : bytesText(saving.estimate.missing) + " missing"});
  text += tableText(rows);
  if (estimate.fits() || savings.front().estimate.fits())
    return text;
  std::optional<Saving> together = cheapestSaving(model, candidate.plan);
  return text + (together ? fmt::format("Together these fit: {}: {} less, a step of {}.\n", together->change,
                                        bytesText(together->saved), secondsText(together->estimate.seconds))
                          : "No changes together suffice.\n");
}

Diagnostics whyNothingFits(const CostModel &model, const SearchResult &result) {
  if (!result.nearest)
    return errorAt("the cluster",
                   fmt::format("no strategy divides {} devices and the batch {}, expected another "
                               "--global-batch or number of devices",
                               model.cluster.size(), model.batch));
  const Candidate &nearest = *result.nearest;
  std::string needed = fmt::format("devices of {}", bytesText(nearest.estimate.memory.total()));
  constexpr int64_t mostDevices = 4096;
  for (int64_t times = 2; times * model.cluster.size() <= mostDevices; times *= 2) {
    Cluster larger = model.cluster;
    larger.levels.back().devices *= times;
    SearchResult found = search(CostModel(model.workload, larger, model.batch, model.overlaps),
                                {.best = 1, .explainsFamilies = false});
    if (found.best.empty())
      continue;
    needed += fmt::format(", or {} devices ({})", larger.size(), planText(found.best.front().plan));
    break;
  }
  return errorAt("the cluster",
                 fmt::format("no plan fits {} devices of {}: the nearest, {}, lacks {} on each; expected {}",
                             model.cluster.size(), bytesText(model.cluster.memory), planText(nearest.plan),
                             bytesText(nearest.estimate.missing), needed));
}

StoredPlan storedPlanOf(const CostModel &model, const Candidate &candidate) {
  const Plan &plan = candidate.plan;
  const MemoryUse &memory = candidate.estimate.memory;
  bool isFull = std::ranges::count(plan.recompute, Recompute::Full) > 0;
  StoredPlan stored{.strategy = executedText(plan, model.workload),
                    .devices = plan.frame.devices(),
                    .memoryBudget = std::nullopt,
                    .offload = plan.frame.offload,
                    .is16Bit = model.workload.is16Bit};
  if (isFull) // pd-rematerialize keeps a budget; gradients are in the arena too
    stored.memoryBudget = static_cast<int64_t>(memory.activations + memory.working + memory.gradients);
  if (plan.frame.schedule == ScheduleKind::Automatic)
    if (auto searched = searchSchedule(model, plan))
      stored.schedule = textOf(searched->schedule);
  return stored;
}

static nlohmann::ordered_json linesOf(const std::string &text) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

nlohmann::ordered_json planJson(const CostModel &model, const Candidate &candidate) {
  const Plan &plan = candidate.plan;
  const Estimate &estimate = candidate.judged();
  StoredPlan stored = storedPlanOf(model, candidate);
  nlohmann::ordered_json json{{"plan", planText(plan)},
                              {"model", model.workload.name},
                              {"devices", stored.devices},
                              {"global_batch", model.batch},
                              {"strategy", stored.strategy}};
  if (stored.memoryBudget)
    json["memory_budget"] = *stored.memoryBudget;
  json["offload"] = stored.offload;
  json["mixed_precision"] = stored.is16Bit;
  json["lowered"] = candidate.lowered.has_value();
  constexpr const char *modes[] = {"none", "selective", "full"};
  for (Recompute mode : plan.recompute)
    json["recompute"].push_back(modes[static_cast<size_t>(mode)]);
  if (plan.frame.pipeline > 1)
    json["pipeline"] = {{"stages", plan.frame.pipeline},
                        {"schedule", std::string(pipeline::nameOf(plan.frame.schedule))},
                        {"chunks", plan.frame.chunks},
                        {"cuts", plan.cuts}};
  if (!stored.schedule.empty())
    json["schedule"] = linesOf(stored.schedule);
  if (std::string reason = whyNotExecutable(plan, model.workload); !reason.empty())
    json["not_executable"] = reason;
  json["seconds"] = estimate.seconds;
  for (const Estimate::Term &term : estimate.terms)
    json["terms"][term.name] = term.seconds;
  json["limit"] = estimate.limit();
  for (auto [name, member] : memoryKinds)
    json["memory"][name] = std::round(estimate.memory.*member);
  json["memory"]["total"] = std::round(estimate.memory.total());
  return json;
}

nlohmann::ordered_json resultJson(const CostModel &model, const SearchResult &result) {
  nlohmann::ordered_json json;
  for (const Candidate &candidate : result.best)
    json["best"].push_back(planJson(model, candidate));
  json["lower_bound_seconds"] = result.lowerBound;
  json["combinations"] = result.frames;
  json["solved"] = result.solved;
  for (const RejectedFamily &family : result.rejected)
    json["not_used"][family.name] = family.reason;
  return json;
}

namespace {

/// Reads a plan, and collects all its errors.
class PlanReader {
public:
  PlanReader(const nlohmann::json &root, const std::string &where) : root(root), where(where) {}

  Result<StoredPlan> read() {
    if (!root.is_object())
      return errorAt(where, fmt::format("found {}, expected a plan of proa-plan", root.type_name()));
    readFields();
    readSchedule();
    if (auto found = root.find("not_executable"); found != root.end())
      fail("/not_executable", found->is_string() ? found->get<std::string>() : found->dump());
    checkStrategy();
    if (!diagnostics.empty())
      return diagnostics;
    return stored;
  }

private:
  const nlohmann::json &root;
  const std::string &where;
  StoredPlan stored;
  Diagnostics diagnostics;

  void fail(const std::string &path, const std::string &message) {
    diagnostics.add(where + ": " + path, message);
  }

  /// A member; null after an error.
  template <class IsRight>
  const nlohmann::json *member(const char *name, const char *expected, IsRight &&isRight) {
    auto found = root.find(name);
    if (found != root.end() && isRight(*found))
      return &*found;
    fail(
        fmt::format("/{}", name),
        fmt::format("{}, expected {}", found == root.end() ? "missing" : "found " + found->dump(), expected));
    return nullptr;
  }

  void readFields() {
    auto isBool = [](const nlohmann::json &json) { return json.is_boolean(); };
    auto isCount = [](const nlohmann::json &json) {
      return json.is_number_integer() && json.get<double>() >= 1 && json.get<double>() < 1e18;
    };
    if (auto found = member("strategy", "a text such as \"dp2,zero1\"",
                            [](const nlohmann::json &json) { return json.is_string(); }))
      stored.strategy = found->get<std::string>();
    if (auto found = member("devices", "a number of devices", isCount))
      stored.devices = found->get<int64_t>();
    if (root.contains("memory_budget"))
      if (auto found = member("memory_budget", "a number of bytes", isCount))
        stored.memoryBudget = found->get<int64_t>();
    if (root.contains("offload"))
      if (auto found = member("offload", "true or false", isBool))
        stored.offload = found->get<bool>();
    if (root.contains("mixed_precision"))
      if (auto found = member("mixed_precision", "true or false", isBool))
        stored.is16Bit = found->get<bool>();
  }

  void readSchedule() {
    auto isLines = [](const nlohmann::json &json) {
      return json.is_array() && std::ranges::all_of(json, [](const auto &line) { return line.is_string(); });
    };
    if (!root.contains("schedule"))
      return;
    const nlohmann::json *found = member("schedule", "the lines of a schedule", isLines);
    if (!found)
      return;
    for (const auto &line : *found)
      stored.schedule += line.get<std::string>() + "\n";
    auto schedule = pipeline::parseSchedule(stored.schedule, "");
    for (const Diagnostic &error : schedule ? pipeline::check(*schedule) : schedule.diagnostics())
      fail("/schedule" + error.location, error.message);
  }

  /// The strategy is valid, and of the number of devices.
  void checkStrategy() {
    if (stored.strategy.empty())
      return;
    auto parsed = spmd::parseStrategy(stored.strategy);
    auto complete = parsed ? spmd::strategyOnMesh(*parsed, nullptr) : parsed;
    if (!complete)
      for (const Diagnostic &error : complete.diagnostics())
        fail("/strategy", error.message);
    else if (complete->mesh().size() != stored.devices)
      fail("/devices", fmt::format("found {}, expected {} for the strategy \"{}\"", stored.devices,
                                   complete->mesh().size(), stored.strategy));
  }
};

} // namespace

Result<StoredPlan> planOf(const nlohmann::json &root, const std::string &where) {
  return PlanReader(root, where).read();
}

Result<StoredPlan> readPlan(const std::string &path) {
  auto root = readJsonFile(path);
  return root ? planOf(*root, path) : root.diagnostics();
}

/// The layers that begin with the cuts of a strategy, or after them.
static std::vector<int> layersAt(const Workload &workload, const spmd::Strategy &strategy) {
  std::vector<int> layers{0};
  for (int64_t op : strategy.cuts) {
    auto found = std::ranges::lower_bound(workload.firstOps, op) - workload.firstOps.begin();
    layers.push_back(
        std::clamp(static_cast<int>(found), layers.back(), static_cast<int>(workload.layers.size()) - 1));
  }
  return layers;
}

/// As a run chooses it: the largest number up to twice the number of stages that divides the batch.
static int64_t defaultMicroBatches(const CostModel &model, const Frame &frame) {
  for (int64_t count = frame.pipeline > 1 ? 2 * frame.pipeline : 1; count > 1; --count)
    if (model.batch % (count * frame.batchWays()) == 0)
      return count;
  return 1;
}

Result<Plan> planOfStrategy(const CostModel &model, const std::string &text) {
  auto parsed = spmd::parseStrategy(text);
  auto strategy = parsed ? spmd::strategyOnMesh(*parsed, nullptr) : parsed;
  if (!strategy)
    return strategy.diagnostics();
  Frame frame{.data = strategy->data,
              .context = strategy->context,
              .expert = strategy->expert,
              .model = strategy->model,
              .pipeline = strategy->pipeline,
              .sequence = strategy->sequence,
              .zero = strategy->zero};
  frame.microBatches = strategy->microBatches.value_or(defaultMicroBatches(model, frame));
  if (frame.pipeline > 1) {
    frame.schedule = strategy->schedule.value_or(ScheduleKind::OneFOneB);
    frame.chunks = strategy->chunks > 0 ? strategy->chunks : pipeline::defaultChunks(frame.schedule);
    if (frame.schedule == ScheduleKind::Automatic) { // no schedule needs more activations
      frame.chunks = std::max(frame.chunks, (std::ssize(strategy->cuts) + 1) / frame.pipeline);
      frame.activations = static_cast<double>(std::min(frame.microBatches, 2 * frame.pipeline - 1));
    }
  }
  if (frame.devices() != model.cluster.size())
    return errorAt("--strategy", fmt::format("'{}' has {} devices, expected {} as in the cluster", text,
                                             frame.devices(), model.cluster.size()));
  if (std::string reason = model.whyInvalid(frame); !reason.empty())
    return errorAt("--strategy", fmt::format("'{}': {}", text, reason));
  Recompute mode = strategy->recompute ? Recompute::Selective : Recompute::None;
  std::vector<int> cuts{0};
  if (frame.pipeline > 1)
    cuts = strategy->cuts.empty() ? FrameSolver(model, frame).leanest().cuts
                                  : layersAt(model.workload, *strategy);
  Plan plan{frame, cuts, std::vector<Recompute>(model.workload.layers.size(), mode)};
  double memory = std::min(model.cluster.memory, strategy->memory.value_or(model.cluster.memory));
  while (plan.frame.activations > 1 && model.estimate(plan).memory.total() > memory)
    --plan.frame.activations;
  return plan;
}

} // namespace proa::plan
