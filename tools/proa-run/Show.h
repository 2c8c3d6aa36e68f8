/// What proa-run prints.
#pragma once

#include "lib/check/CaseResult.h"

#include <string>
#include <vector>

namespace proa::tools {

/// Times of repeated runs, in milliseconds.
struct RunTimes {
  int runs = 0;
  double median = 0, p10 = 0, p90 = 0;
  /// The process's first run, which makes the library's kernels and packs weights besides; measured or not.
  double first = 0;
};

/// Sorts the times of single runs into their percentiles.
RunTimes summarize(std::vector<double> milliseconds);

/// "out  float32[2, 3]  min -1, mean 0.5, max 2", then the first elements.
std::string outputText(const NamedTensor &output);

/// Name, both tensors' first elements one above the other, the greatest errors, PASS or FAIL with the reason.
std::string comparisonText(const NamedTensor &output, const Tensor &expected,
                           const check::Comparison &comparison);

/// Where the time of opening, compiling and running went, and the memory.
std::string timesText(const ModelTimes &times, const RunTimes &runs, int64_t arenaBytes);

/// The same facts for other programs.
std::string timesJson(const std::string &model, int threads, const ModelTimes &times, const RunTimes &runs,
                      int64_t arenaBytes, const std::vector<check::ComparedOutput> &compared);

} // namespace proa::tools
