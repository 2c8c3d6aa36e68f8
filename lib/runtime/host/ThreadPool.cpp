#include "lib/runtime/host/ThreadPool.h"

#include "lib/base/support/Clock.h"
#include "lib/base/support/Cores.h"
#include "lib/runtime/host/Libgomp.h"
#include "lib/runtime/host/WaitPolicy.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

namespace proa::runtime {
namespace {

std::atomic<int> &threadCount() {
  // libgomp reads OMP_NUM_THREADS, but no CPU quota.
  static std::atomic<int> count{
      std::max(1, std::getenv("OMP_NUM_THREADS") ? omp_get_max_threads() : availableCores())};
  return count;
}

/// Of the ThreadScope of this thread; 0: none.
thread_local int scopedThreads = 0;
thread_local ThreadPool *scopedPool = nullptr;
/// This thread runs a task of a region of a ThreadPool.
thread_local bool isInPool = false;

struct Region {
  detail::Body body;
  void *context;
  int64_t count;
  int ranges;
  ThreadTimes *times;
};

thread_local ThreadTimes *currentTimes = nullptr;

/// Runs range `i` of a region on the calling thread, which is number `thread` of the team.
void runRange(const Region &r, int64_t i, int64_t thread) {
  int64_t whole = r.count / r.ranges, rest = r.count % r.ranges;
  int64_t begin = i * whole + std::min<int64_t>(i, rest);
  int64_t start = r.times ? steadyNanoseconds() : 0;
  r.body(r.context, begin, begin + whole + (i < rest ? 1 : 0));
  if (r.times)
    r.times->byThread[static_cast<size_t>(thread)].push_back({start, steadyNanoseconds()});
}

/// Tells libgomp the count on the calling thread.
void applyThreads() {
  int ofLibgomp = scopedPool ? 1 : threads();
  if (omp_get_max_threads() != ofLibgomp)
    omp_set_num_threads(ofLibgomp);
}

void runInPool(ThreadPool &pool, const Region &region) {
  pool.run(region.ranges, [&](int64_t i) {
    bool before = std::exchange(isInPool, true);
    int ofLibgomp = omp_get_max_threads();
    omp_set_num_threads(1);
    runRange(region, i, i); // a pool has no numbers of threads
    omp_set_num_threads(ofLibgomp);
    isInPool = before;
  });
}

} // namespace

int threads() { return scopedThreads > 0 ? scopedThreads : threadCount().load(std::memory_order_relaxed); }

void setThreads(int count) {
  threadCount().store(std::max(1, count), std::memory_order_relaxed);
  applyThreads();
}

ThreadScope::ThreadScope(int count, ThreadPool *pool) : before(scopedThreads), poolBefore(scopedPool) {
  if (count <= 0)
    return;
  scopedThreads = count;
  scopedPool = pool;
  applyThreads();
}

ThreadScope::~ThreadScope() {
  scopedThreads = before;
  scopedPool = poolBefore;
}

RunScope::RunScope() : load(!scopedPool && threads() > 1) { applyThreads(); }

bool threadsSleep() { return scopedPool || waitsAsleep(); }

SingleThreadScope::SingleThreadScope(bool small) : active(small && threads() > 1) {
  if (active)
    omp_set_num_threads(1);
}

SingleThreadScope::~SingleThreadScope() {
  if (active)
    applyThreads();
}

ThreadTimesScope::ThreadTimesScope(ThreadTimes *times) : outer(currentTimes) { currentTimes = times; }

ThreadTimesScope::~ThreadTimesScope() { currentTimes = outer; }

int detail::rangesFor(int64_t count, int64_t grain) {
  int64_t most = count / std::max<int64_t>(1, grain);
  if (most < 2)
    return 1;
  int available = threads();
  if (available == 1 || isInPool || omp_in_parallel())
    return 1;
  return static_cast<int>(std::min<int64_t>(most, available));
}

void detail::parallelRanges(int64_t count, int ranges, Body body, void *context) {
  if (currentTimes && currentTimes->byThread.size() < static_cast<size_t>(threads()))
    currentTimes->byThread.resize(static_cast<size_t>(threads()));
  Region region{body, context, count, ranges, currentTimes};
  if (scopedPool)
    return runInPool(*scopedPool, region);
  announce(&region);
  GOMP_parallel(
      [](void *data) {
        observe(data);
        const Region &r = *static_cast<const Region *>(data);
        // libgomp may give fewer threads than there are ranges; then some do more.
        for (int i = omp_get_thread_num(), team = omp_get_num_threads(); i < r.ranges; i += team)
          runRange(r, i, omp_get_thread_num());
        announce(data);
      },
      // Always the whole team: libgomp ends the threads that a smaller team omits, and would have to start
      // them again.
      &region, static_cast<unsigned>(threads()), 0);
  observe(&region);
}

} // namespace proa::runtime
