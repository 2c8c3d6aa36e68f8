/// Checks of cases in several child processes at a time.
#pragma once

#include "tools/proa-check/Child.h"
#include "tools/proa-check/Discover.h"

#include <functional>

namespace proa::tools {

struct PoolOptions {
  /// Number of processes; 0: cases are checked in this process, for debuggers.
  int jobs = 1;
  TimeLimits limits;
  CheckFunction check;
  /// Combines the outcome of a case with the outcomes of other processes that check the same cases. Cases are
  /// then checked in this process. None: this process checks all cases alone.
  std::function<Outcome(const std::string &folder, const Outcome &own)> combine;
};

/// Checks all cases, or the first ones until Ctrl-C. Calls `onDone` with the index of each case when it ends.
void checkAll(const std::vector<FoundCase> &cases, const PoolOptions &options,
              const std::function<void(size_t, Outcome)> &onDone);

} // namespace proa::tools
