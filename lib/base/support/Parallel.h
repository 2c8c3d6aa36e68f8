/// Parallel loops over all cores.
#pragma once

#include "lib/base/support/Cores.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <vector>

namespace proa {

/// Calls `work()` on one thread for each available core, at most `maxThreads`; this thread is one of them.
/// Rethrows exceptions of `work` after all threads have ended.
template <class Work> void onAllCores(size_t maxThreads, Work work) {
  std::vector<std::future<void>> others;
  for (size_t thread = 1; thread < std::min(static_cast<size_t>(availableCores()), maxThreads); ++thread)
    others.push_back(std::async(std::launch::async, std::ref(work)));
  work();
  for (std::future<void> &other : others)
    other.get();
}

/// Calls `work(i)` once for each i below `count`, on all cores.
template <class Work> void parallelFor(size_t count, Work work) {
  std::atomic<size_t> next = 0;
  onAllCores(count, [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  });
}

} // namespace proa
