/// Many runs for a time, in several threads at once: `--duration`, `--concurrency`.
#pragma once

#include "proa/Result.h"

#include <atomic>
#include <functional>
#include <vector>

namespace proa::tools {

struct BenchmarkRequest {
  double seconds = 0; ///< runs that begin before this time has passed are counted
  /// A run of each thread.
  std::vector<std::function<Result<void>()>> runs;
  /// Whether the runs shall end; null: never.
  std::function<bool()> isInterrupted;
};

struct BenchmarkResult {
  std::vector<double> milliseconds; ///< of each run, thread after thread
  double seconds = 0;               ///< until the last run ended
};

/// Runs each thread's function again and again, all at once. Error: the first one of a run, after which no
/// other begins.
Result<BenchmarkResult> benchmark(const BenchmarkRequest &request);

} // namespace proa::tools
