/// Reasons to end a run before its last step.
#pragma once

#include "proa/Result.h"

#include <chrono>
#include <optional>
#include <stop_token>

namespace proa::runtime {

/// The limits of a run, checked before each step, also in loops. A step that has begun ends first.
struct RunLimits {
  std::stop_token stop;
  std::optional<std::chrono::steady_clock::time_point> deadline;

  bool isEmpty() const { return !stop.stop_possible() && !deadline; }
  /// Error: the run was stopped (code "stopped"), or its time is over (code "time-limit").
  Result<void> check() const {
    if (stop.stop_requested())
      return reason("stopped", "the run was stopped by its caller");
    if (deadline && std::chrono::steady_clock::now() >= *deadline)
      return reason("time-limit", "the time limit of the run is over");
    return {};
  }

private:
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
