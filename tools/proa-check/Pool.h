/// Checks of cases in several child processes at a time.
#pragma once

#include "tools/proa-check/Child.h"
#include "tools/proa-check/Discover.h"

#include <functional>

namespace proa::tools {

struct PoolOptions {
  /// Number of processes; 0: cases are checked in this process, for debuggers.
  int jobs = 1;
  std::chrono::milliseconds timeout{60000};
  CheckFunction check;
};

/// Checks all cases. Calls `onDone` with the index of each case when it ends.
void checkAll(const std::vector<FoundCase> &cases, const PoolOptions &options,
              const std::function<void(size_t, Outcome)> &onDone);

} // namespace proa::tools
