/// What proa-run prints.
#pragma once

#include "lib/check/CaseResult.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// Times of repeated runs, in milliseconds.
struct RunTimes {
  int runs = 0;
  double median = 0, p10 = 0, p90 = 0;
  /// The process's first run, which makes the library's kernels and packs weights besides; measured or not.
  double first = 0;
  /// Whether the times are those of the first run alone.
  bool onlyFirst = false;
};

/// What proa-run --json prints.
struct RunReport {
  std::string model;
  int threads = 0;
  ModelTimes times;
  RunTimes runs;
  int64_t arenaBytes = 0;
  std::optional<int64_t> memoryBudget;
  std::vector<check::ComparedOutput> compared;
  std::vector<StepTime> steps; ///< empty: not profiled
};

/// Sorts the times of single runs into their percentiles.
RunTimes summarize(std::vector<double> milliseconds);

/// "out  float32[2, 3]  min -1, mean 0.5, max 2", then the first elements. NaN and Inf are counted ("2 NaN,
/// 1 Inf"), and the statistics are those of the finite elements. A LoD has a line of its own.
std::string outputText(const NamedTensor &output);

/// Name, both tensors' first elements one above the other, the greatest errors, PASS or FAIL with the reason.
std::string comparisonText(const NamedTensor &output, const Tensor &expected,
                           const check::Comparison &comparison);

/// Where the time of opening, compiling and running went, and the memory.
std::string timesText(const ModelTimes &times, const RunTimes &runs, int64_t arenaBytes);

/// "note: feed 'x' holds 2 NaN and 0 Inf", or "" where it is finite.
std::string nonFiniteText(const std::string &kind, const std::string &name, const Tensor &tensor);

/// A warning where the values of a run take more bytes than the budget of --recompute=BYTES; else "".
std::string budgetText(std::optional<int64_t> budget, int64_t arenaBytes);

/// One line of JSON.
std::string reportJson(const RunReport &report);

} // namespace proa::tools
