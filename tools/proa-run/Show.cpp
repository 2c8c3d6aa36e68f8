#include "tools/proa-run/Show.h"

#include "lib/base/support/CountText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace proa::tools {
namespace {

constexpr int64_t shownElements = 8;

/// The first elements in columns, so that rows can be compared.
std::string firstElements(const Tensor &tensor) {
  std::string text;
  for (int64_t i = 0; i < std::min(tensor.size(), shownElements); ++i)
    text += fmt::format(" {:>13}", elementText(tensor, i));
  return text + (tensor.size() > shownElements ? "  ..." : "");
}

/// A percentile of sorted values, by the nearest rank.
double percentile(const std::vector<double> &values, double fraction) {
  size_t rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

} // namespace

RunTimes summarize(std::vector<double> milliseconds) {
  if (milliseconds.empty())
    return {};
  RunTimes times;
  times.samples = milliseconds;
  std::sort(milliseconds.begin(), milliseconds.end());
  times.runs = static_cast<int>(milliseconds.size());
  times.median = percentile(milliseconds, 0.5);
  times.p10 = percentile(milliseconds, 0.1);
  times.p90 = percentile(milliseconds, 0.9);
  times.p99 = percentile(milliseconds, 0.99);
  times.p999 = percentile(milliseconds, 0.999);
  return times;
}

double RunTimes::perSecond() const {
  if (seconds > 0)
    return runs / seconds;
  return median > 0 ? 1000 / median : 0;
}

std::string outputText(const NamedTensor &output) {
  const Tensor &tensor = output.tensor;
  std::string text = fmt::format("{}  {}", output.name, tensor.describe());
  FiniteStatistics facts = finiteStatisticsOf(tensor);
  if (facts.finite > 0)
    text += fmt::format("  min {:.6g}, mean {:.6g}, max {:.6g}", facts.minimum, facts.mean, facts.maximum);
  if (facts.finite < tensor.size())
    text += fmt::format("  {} NaN, {} Inf", facts.nans, facts.infinities);
  if (!tensor.lod().empty())
    text += fmt::format("\n  LoD      {}", tensor.lod());
  return text + "\n  got     " + firstElements(tensor) + "\n";
}

StepValues singleValuesOf(const std::vector<NamedTensor> &outputs, int step) {
  StepValues result{step, {}};
  for (const NamedTensor &output : outputs)
    if (output.tensor.size() == 1)
      result.values.emplace_back(output.name, statisticsOf(output.tensor).mean);
  return result;
}

std::string stepText(const StepValues &values) {
  std::string text;
  for (const auto &[name, value] : values.values)
    text += fmt::format("  {} {:.8g}", name, value);
  return text.empty() ? "" : fmt::format("step {}{}\n", values.step, text);
}

std::vector<TensorInfo> infosOf(const std::vector<NamedTensor> &outputs) {
  std::vector<TensorInfo> infos;
  for (const NamedTensor &output : outputs)
    infos.push_back({output.name, output.tensor.dtype(), output.tensor.dims()});
  return infos;
}

std::string comparisonText(const NamedTensor &output, const Tensor &expected, const Comparison &comparison) {
  std::string text = outputText(output);
  text += "  expected" + firstElements(expected) + "\n";
  text += fmt::format("  max abs error {:.3g}, max rel error {:.3g}: {}\n", comparison.maxAbsolute,
                      comparison.maxRelative, comparison.passed() ? "PASS" : "FAIL");
  if (!comparison.passed())
    text += "  " + comparison.reason + "\n";
  return text;
}

/// Throughput and percentiles of --duration.
static std::string durationText(const RunTimes &runs, int64_t peakResidentBytes) {
  return fmt::format(
      "{} in {:.2f} s, {} at once: {:.1f} runs/s\n"
      "run median {:.3f} ms, p10 {:.3f} ms, p90 {:.3f} ms, p99 {:.3f} ms, p99.9 {:.3f} ms, first run "
      "{:.3f} ms\npeak memory of the process {:.1f} MiB\n",
      countText(runs.runs, "run"), runs.seconds, runs.concurrency, runs.perSecond(), runs.median, runs.p10,
      runs.p90, runs.p99, runs.p999, runs.first, static_cast<double>(peakResidentBytes) / (1 << 20));
}

std::string timesText(const ModelTimes &openTimes, const SessionTimes &times, const RunTimes &runs,
                      int64_t arenaBytes, int64_t peakResidentBytes) {
  std::string text =
      fmt::format("read {:.1f} ms, import {:.1f} ms, compile {:.1f} ms{}, load {:.1f} ms\n", openTimes.read,
                  openTimes.import, times.compile, times.fromCache ? " (from cache)" : "", times.load);
  text += fmt::format("arena {} bytes\n", arenaBytes);
  if (runs.seconds > 0)
    return text + durationText(runs, peakResidentBytes);
  if (runs.onlyFirst)
    return text +
           fmt::format("first run {:.3f} ms, including kernel creation and weight packing; --repeat measures "
                       "the steady time\n",
                       runs.first);
  if (runs.runs == 1)
    return text + fmt::format("first run {:.3f} ms, steady {:.3f} ms\n", runs.first, runs.median);
  return text + fmt::format("run median {:.3f} ms, p10 {:.3f} ms, p90 {:.3f} ms ({}), first run {:.3f} ms\n",
                            runs.median, runs.p10, runs.p90, countText(runs.runs, "run"), runs.first);
}

std::string nonFiniteText(const std::string &kind, const std::string &name, const Tensor &tensor) {
  FiniteStatistics facts = finiteStatisticsOf(tensor);
  return facts.finite == tensor.size() ? ""
                                       : fmt::format("note: {} '{}' holds {} NaN and {} Inf\n", kind, name,
                                                     facts.nans, facts.infinities);
}

std::string budgetText(std::optional<int64_t> budget, int64_t arenaBytes) {
  if (!budget || *budget < 0 || arenaBytes <= *budget)
    return "";
  return fmt::format("warning: --recompute={}: the budget cannot be met: peak memory is {} bytes "
                     "with maximum recomputation\n",
                     *budget, arenaBytes);
}

std::string reportJson(const RunReport &report) {
  const SessionTimes &times = report.times;
  const RunTimes &runs = report.runs;
  nlohmann::json value{{"model", report.model},
                       {"threads", report.threads},
                       {"read_ms", report.openTimes.read},
                       {"import_ms", report.openTimes.import},
                       {"compile_ms", times.compile},
                       {"from_cache", times.fromCache},
                       {"load_ms", times.load},
                       {"arena_bytes", report.arenaBytes},
                       {"first_ms", runs.first},
                       {"only_first_run", runs.onlyFirst},
                       {"runs", runs.runs},
                       {"median_ms", runs.median},
                       {"p10_ms", runs.p10},
                       {"p90_ms", runs.p90},
                       {"p99_ms", runs.p99},
                       {"p99_9_ms", runs.p999},
                       {"samples_ms", runs.samples},
                       {"runs_per_second", runs.perSecond()},
                       {"peak_rss_bytes", report.peakResidentBytes}};
  if (runs.seconds > 0) {
    value["seconds"] = runs.seconds;
    value["concurrency"] = runs.concurrency;
  }
  if (report.memoryBudget && *report.memoryBudget >= 0) {
    value["memory_budget"] = *report.memoryBudget;
    value["within_memory_budget"] = report.arenaBytes <= *report.memoryBudget;
  }
  for (const params::ComparedOutput &output : report.compared)
    value["outputs"].push_back({{"name", output.name},
                                {"passed", output.comparison.passed()},
                                {"reason", output.comparison.reason},
                                {"max_abs_error", output.comparison.maxAbsolute},
                                {"max_rel_error", output.comparison.maxRelative}});
  for (const StepValues &run : report.values) {
    nlohmann::json values = nlohmann::json::object();
    for (const auto &[name, scalar] : run.values)
      values[name] = scalar;
    value["runs_values"].push_back({{"run", run.step}, {"values", std::move(values)}});
  }
  for (const TensorInfo &output : report.outputs)
    value["output_types"].push_back(
        {{"name", output.name}, {"dtype", nameOf(output.dtype)}, {"dims", output.dims}});
  for (const StepTime &step : report.steps) {
    value["steps"].push_back({{"kernel", step.kernel},
                              {"ops", step.ops},
                              {"variable", step.variable},
                              {"types", step.types},
                              {"location", step.location},
                              {"calls", step.calls},
                              {"ms", step.milliseconds}});
    if (step.bytes > 0)
      value["steps"].back().update(
          {{"bytes", step.bytes}, {"flops", step.flops}, {"roofline", step.roofline}});
  }
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace proa::tools
