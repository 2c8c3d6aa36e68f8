#include "tools/proa-run/Show.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace proa::tools {
namespace {

constexpr int64_t shownElements = 8;

/// The first elements, each in a column, so that rows below each other can be compared by eye.
std::string firstElements(const Tensor &tensor) {
  std::string text;
  for (int64_t i = 0; i < std::min(tensor.size(), shownElements); ++i)
    text += fmt::format(" {:>13}", check::elementText(tensor, i));
  return text + (tensor.size() > shownElements ? "  ..." : "");
}

/// `values` sorted; the nearest rank.
double percentile(const std::vector<double> &values, double part) {
  size_t rank = static_cast<size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::clamp<size_t>(rank, 1, values.size()) - 1];
}

} // namespace

RunTimes summarize(std::vector<double> milliseconds) {
  if (milliseconds.empty())
    return {};
  std::sort(milliseconds.begin(), milliseconds.end());
  return {.runs = static_cast<int>(milliseconds.size()),
          .median = percentile(milliseconds, 0.5),
          .p10 = percentile(milliseconds, 0.1),
          .p90 = percentile(milliseconds, 0.9)};
}

std::string outputText(const NamedTensor &output) {
  std::string text = fmt::format("{}  {}", output.name, output.tensor.describe());
  if (output.tensor.size() > 0) {
    check::Statistics facts = check::statisticsOf(output.tensor);
    text += fmt::format("  min {:.6g}, mean {:.6g}, max {:.6g}", facts.minimum, facts.mean, facts.maximum);
  }
  return text + "\n  got     " + firstElements(output.tensor) + "\n";
}

std::string comparisonText(const NamedTensor &output, const Tensor &expected,
                           const check::Comparison &comparison) {
  std::string text = outputText(output);
  text += "  expected" + firstElements(expected) + "\n";
  text += fmt::format("  max abs error {:.3g}, max rel error {:.3g}: {}\n", comparison.maxAbsolute,
                      comparison.maxRelative, comparison.passed() ? "PASS" : "FAIL");
  if (!comparison.passed())
    text += "  " + comparison.reason + "\n";
  return text;
}

std::string timesText(const ModelTimes &times, const RunTimes &runs, int64_t arenaBytes) {
  std::string text =
      fmt::format("read {:.1f} ms, import {:.1f} ms, compile {:.1f} ms{}, load {:.1f} ms\n", times.read,
                  times.import, times.compile, times.fromCache ? " (from cache)" : "", times.load);
  text += fmt::format("arena {} bytes\n", arenaBytes);
  if (runs.runs == 1)
    return text + fmt::format("run {:.3f} ms\n", runs.median);
  return text +
         fmt::format("run median {:.3f} ms, p10 {:.3f} ms, p90 {:.3f} ms ({} runs), the first {:.3f} ms\n",
                     runs.median, runs.p10, runs.p90, runs.runs, runs.first);
}

std::string timesJson(const std::string &model, int threads, const ModelTimes &times, const RunTimes &runs,
                      int64_t arenaBytes, const std::vector<check::ComparedOutput> &compared) {
  nlohmann::json value{{"model", model},
                       {"threads", threads},
                       {"read_ms", times.read},
                       {"import_ms", times.import},
                       {"compile_ms", times.compile},
                       {"from_cache", times.fromCache},
                       {"load_ms", times.load},
                       {"arena_bytes", arenaBytes},
                       {"first_ms", runs.first},
                       {"runs", runs.runs},
                       {"median_ms", runs.median},
                       {"p10_ms", runs.p10},
                       {"p90_ms", runs.p90}};
  for (const check::ComparedOutput &output : compared)
    value["outputs"].push_back({{"name", output.name},
                                {"passed", output.comparison.passed()},
                                {"reason", output.comparison.reason},
                                {"max_abs_error", output.comparison.maxAbsolute},
                                {"max_rel_error", output.comparison.maxRelative}});
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace proa::tools
