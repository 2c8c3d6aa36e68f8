#include "tools/proa-run/Benchmark.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

namespace proa::tools {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// State of all threads.
struct Shared {
  Clock::time_point begin = Clock::now();
  std::mutex mutex;
  std::vector<double> milliseconds;
  std::optional<Diagnostics> error;
  std::atomic<bool> ends = false;
};

void runThread(const BenchmarkRequest &request, size_t thread, Shared &shared) {
  std::vector<double> times;
  while (!shared.ends && secondsSince(shared.begin) < request.seconds) {
    Clock::time_point begin = Clock::now();
    Result<void> ran = request.runs[thread]();
    times.push_back(1e3 * secondsSince(begin));
    if (!ran) {
      std::lock_guard lock(shared.mutex);
      if (!shared.error)
        shared.error = ran.diagnostics();
      shared.ends = true;
    }
    if (request.isInterrupted && request.isInterrupted())
      shared.ends = true;
  }
  std::lock_guard lock(shared.mutex);
  shared.milliseconds.insert(shared.milliseconds.end(), times.begin(), times.end());
}

} // namespace

Result<BenchmarkResult> benchmark(const BenchmarkRequest &request) {
  Shared shared;
  std::vector<std::thread> threads;
  for (size_t i = 1; i < request.runs.size(); ++i)
    threads.emplace_back(runThread, std::cref(request), i, std::ref(shared));
  runThread(request, 0, shared);
  for (std::thread &thread : threads)
    thread.join();
  if (shared.error)
    return *shared.error;
  return BenchmarkResult{std::move(shared.milliseconds), secondsSince(shared.begin)};
}

} // namespace proa::tools
