/// Checks cases in several child processes at a time.
#pragma once

#include "tools/proa-check/Child.h"
#include "tools/proa-check/Discover.h"

#include <functional>

namespace proa::tools {

struct PoolOptions {
  /// Processes at a time; 0: cases are checked one by one in this process, for debuggers.
  int jobs = 1;
  std::chrono::milliseconds timeout{60000};
  CheckFunction check;
};

/// Checks all cases; `onDone` is called with the index of each case as it ends.
void checkAll(const std::vector<FoundCase> &cases, const PoolOptions &options,
              const std::function<void(size_t, Outcome)> &onDone);

} // namespace proa::tools
