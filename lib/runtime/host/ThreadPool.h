/// One pool of threads for everything a program runs: compiled kernels, library kernels and oneDNN.
///
/// Debian's oneDNN runs on libgomp, so this pool is libgomp's too: two pools would spin against each other.
/// How long waiting threads stay busy follows the load of the machine (WaitPolicy.h).
#pragma once

#include "proa/Memory.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace proa::runtime {

/// How many threads a region of the calling thread may use: from its ThreadScope, else from setThreads;
/// at first the number of cores that the process may use (availableCores), or OMP_NUM_THREADS.
int threads();
/// Sets it for the whole process, 1 or more. oneDNN plans a primitive for the count at its creation, so set
/// it before programs are loaded.
void setThreads(int count);

/// The number of threads of regions that the calling thread begins while this lives. Programs that run at
/// once in several threads may differ in it.
class ThreadScope {
public:
  /// 0: leaves the number as it is. `pool` runs the tasks of regions; null: libgomp. oneDNN then uses the
  /// calling thread only.
  explicit ThreadScope(int count, ThreadPool *pool = nullptr);
  ~ThreadScope();
  ThreadScope(const ThreadScope &) = delete;
  ThreadScope &operator=(const ThreadScope &) = delete;

private:
  int before;
  ThreadPool *poolBefore;
};

/// Whether threads of regions that the calling thread begins sleep while they wait, and have to be woken: by
/// the wait policy (WaitPolicy.h), or as threads of a pool of the program do.
bool threadsSleep();

/// Keeps oneDNN on the calling thread while it lives, where `small` says that the work does not pay a second
/// one. A primitive must be created and run under the same count.
class SingleThreadScope {
public:
  explicit SingleThreadScope(bool small);
  ~SingleThreadScope();
  SingleThreadScope(const SingleThreadScope &) = delete;
  SingleThreadScope &operator=(const SingleThreadScope &) = delete;

private:
  bool active;
};

/// The times of ranges of parallel regions.
struct ThreadTimes {
  struct Range {
    int64_t begin, end; ///< nanoseconds of std::chrono::steady_clock
  };
  std::vector<std::vector<Range>> byThread;
};

/// Collects the ranges of the regions that the calling thread begins while it lives. Null: nothing is
/// collected.
class ThreadTimesScope {
public:
  explicit ThreadTimesScope(ThreadTimes *times);
  ~ThreadTimesScope();
  ThreadTimesScope(const ThreadTimesScope &) = delete;
  ThreadTimesScope &operator=(const ThreadTimesScope &) = delete;

private:
  ThreadTimes *outer;
};

namespace detail {
using Body = void (*)(void *context, int64_t begin, int64_t end);
void parallelRanges(int64_t count, int ranges, Body body, void *context);
int rangesFor(int64_t count, int64_t grain);
} // namespace detail

/// Calls body(begin, end) for ranges that partition [0, count), at most one per thread, each of at least
/// `grain` (as long as there are two). Inside another region, or with one range, the calling thread does it
/// all.
template <class Body> void parallelFor(int64_t count, int64_t grain, Body &&body) {
  if (count <= 0)
    return;
  int ranges = detail::rangesFor(count, grain);
  if (ranges == 1)
    return body(static_cast<int64_t>(0), count);
  using Callable = std::remove_reference_t<Body>;
  detail::parallelRanges(
      count, ranges,
      [](void *context, int64_t begin, int64_t end) { (*static_cast<Callable *>(context))(begin, end); },
      const_cast<void *>(static_cast<const void *>(&body)));
}

} // namespace proa::runtime
