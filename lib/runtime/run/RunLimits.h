/// Reasons to end a run before its last step.
#pragma once

#include "proa/Result.h"

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

namespace proa::runtime {

/// The limits of a run, checked before each step, also in loops. A step that has begun ends first.
struct RunLimits {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<bool()> poll;
  mutable std::atomic<int64_t> lastPoll = 0; ///< nanoseconds; 0: not yet in this run
  mutable std::atomic<bool> endedByPoll = false;

  bool isEmpty() const { return !stop.stop_possible() && !deadline && !poll; }
  /// Error: the run was stopped (code "stopped"), or its time is over (code "time-limit").
  Result<void> check() const {
    if (isStopped())
      return reason("stopped", "the run was stopped by its caller");
    if (deadline && std::chrono::steady_clock::now() >= *deadline)
      return reason("time-limit", "the time limit of the run is over");
    return {};
  }

private:
  bool isStopped() const {
    if (poll && isPollDue() && poll())
      endedByPoll = true;
    return endedByPoll || stop.stop_requested();
  }

  /// Counts in ticks of the system, as a precise clock would cost more than the other checks.
  bool isPollDue() const {
    constexpr int64_t interval = 20'000'000;
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    int64_t time = int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    int64_t last = lastPoll;
    if (last != 0 && time - last < interval)
      return false;
    lastPoll = time;
    return last != 0;
  }

  static Diagnostics reason(const char *code, const char *message) {
    Diagnostics diagnostics;
    Diagnostic error;
    error.message = message;
    error.code = code;
    diagnostics.add(std::move(error));
    return diagnostics;
  }
};

} // namespace proa::runtime
