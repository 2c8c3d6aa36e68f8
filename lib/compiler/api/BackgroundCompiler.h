/// A thread that compiles while sessions run.
#pragma once

#include "lib/base/support/LockFreeList.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <semaphore>
#include <thread>

namespace proa {

/// Runs work items one after the other in a thread, which starts with the first item.
class BackgroundCompiler {
public:
  /// `stop` is requested when the compiler is destroyed; long work should end early then.
  using Work = std::function<void(const std::stop_token &stop)>;

  /// `niceness` of the thread (setpriority): 0 as other threads, 19 yields nearly all time to them.
  explicit BackgroundCompiler(int niceness) : niceness(niceness) {}
  /// Drops work that has not begun, and waits for the end of the work that has.
  ~BackgroundCompiler();
  BackgroundCompiler(const BackgroundCompiler &) = delete;
  BackgroundCompiler &operator=(const BackgroundCompiler &) = delete;

  void add(Work work);
  /// Waits until nothing is left to do.
  void finish();

private:
  void loop(const std::stop_token &stop);

  const int niceness;
  LockFreeList<Work> added;
  std::counting_semaphore<> changes{0}; ///< one for each addition
  std::atomic<size_t> left = 0;         ///< work that has not ended
  std::once_flag hasBegun;
  std::jthread thread;
};

} // namespace proa
