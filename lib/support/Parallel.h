/// Work on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace proa {

/// Calls `work(i)` for all i below `count`, each once, on as many threads as there are cores; this thread is
/// one of them. Exceptions of `work` end up here, when all threads are done.
template <class Work> void parallelFor(size_t count, Work work) {
  std::atomic<size_t> next = 0;
  auto workOnSome = [&] {
    for (size_t i = next++; i < count; i = next++)
      work(i);
  };
  std::vector<std::future<void>> others;
  for (size_t thread = 1; thread < std::min<size_t>(std::thread::hardware_concurrency(), count); ++thread)
    others.push_back(std::async(std::launch::async, workOnSome));
  workOnSome();
  for (std::future<void> &other : others)
    other.get();
}

} // namespace proa
