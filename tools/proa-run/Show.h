/// Output of proa-run.
#pragma once

#include "translator/params/ModelTensors.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

/// Times of repeated runs, in milliseconds.
struct RunTimes {
  int runs = 0;
  double median = 0, p10 = 0, p90 = 0, p99 = 0, p999 = 0; ///< p999: the 99.9th percentile
  /// Time of the process's first run, which also creates library kernels and packs weights.
  double first = 0;
  /// Whether the times are from the first run only.
  bool onlyFirst = false;
  std::vector<double> samples; ///< of each measured run, in order
  double seconds = 0;          ///< of --duration, from the first run to the end of the last; 0: without it
  int concurrency = 1;

  /// Runs of all threads in a second: with --duration those that ended, else by the median.
  double perSecond() const;
};

/// The outputs of one run that are single numbers, such as a loss.
struct StepValues {
  int step = 0;
  std::vector<std::pair<std::string, double>> values;
};
StepValues singleValuesOf(const std::vector<NamedTensor> &outputs, int step);

/// "step 2  loss 1.25", or "" without values.
std::string stepText(const StepValues &values);

/// Names, dtypes and dims of outputs.
std::vector<TensorInfo> infosOf(const std::vector<NamedTensor> &outputs);

/// Data of proa-run --json.
struct RunReport {
  std::string model;
  int threads = 0;
  ModelTimes openTimes;
  SessionTimes times; ///< of the preparation
  RunTimes runs;
  int64_t arenaBytes = 0;
  int64_t peakResidentBytes = 0; ///< of the process
  std::optional<int64_t> memoryBudget;
  std::vector<params::ComparedOutput> compared;
  std::vector<StepValues> values;  ///< of each run, if the runs differ
  std::vector<TensorInfo> outputs; ///< of the last run
  std::vector<StepTime> steps;     ///< empty without a profile
};

/// Sorts the times of runs into percentiles.
RunTimes summarize(std::vector<double> milliseconds);

/// "out  float32[2, 3]  min -1, mean 0.5, max 2", then the first elements. The statistics are over the
/// finite elements; NaN and Inf are counted ("2 NaN, 1 Inf"). A LoD has its own line.
std::string outputText(const NamedTensor &output);

/// Name, the first elements of both tensors, the largest errors, PASS, or FAIL with the reason.
std::string comparisonText(const NamedTensor &output, const Tensor &expected, const Comparison &comparison);

/// Times of opening, compiling and running, and the memory.
std::string timesText(const ModelTimes &openTimes, const SessionTimes &times, const RunTimes &runs,
                      int64_t arenaBytes, int64_t peakResidentBytes);

/// "note: feed 'x' holds 2 NaN and 0 Inf", or "" for finite values.
std::string nonFiniteText(const std::string &kind, const std::string &name, const Tensor &tensor);

/// A warning if peak memory exceeds the budget of --recompute=BYTES, or "".
std::string budgetText(std::optional<int64_t> budget, int64_t arenaBytes);

/// The report as one line of JSON.
std::string reportJson(const RunReport &report);

} // namespace proa::tools
