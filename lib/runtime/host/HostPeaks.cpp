#include "lib/runtime/host/HostPeaks.h"

#include "lib/runtime/host/ThreadPool.h"

#include <dnnl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace proa::runtime {
namespace {

/// The shortest of some executions, in seconds. The first one also touches the memory. Short executions for
/// some time find the peak also where other processes take the cores now and then.
template <class Work> double shortest(Work &&work) {
  constexpr int leastAttempts = 4;
  constexpr double secondsInAll = 0.06;
  double best = 1e30, all = 0;
  for (int i = 0; i < leastAttempts || all < secondsInAll; ++i) {
    auto begin = std::chrono::steady_clock::now();
    work();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, seconds);
    all += seconds;
  }
  return best;
}

double copiedBytesPerSecond() {
  constexpr int64_t bytes = int64_t(64) << 20; // larger than the caches of most CPUs
  std::vector<char> from(bytes, 1), to(bytes);
  double seconds = shortest([&] {
    parallelFor(bytes, bytes / 256, [&](int64_t begin, int64_t end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<size_t>(end - begin));
    });
  });
  return 2 * static_cast<double>(bytes) / seconds;
}

double multipliedFlopsPerSecond() {
  constexpr dnnl_dim_t size = 512;
  std::vector<float> x(size * size, 1), y(size * size, 1), z(size * size);
  double seconds = shortest(
      [&] { dnnl_sgemm('N', 'N', size, size, size, 1, x.data(), size, y.data(), size, 0, z.data(), size); });
  return 2 * static_cast<double>(size * size * size) / seconds;
}

} // namespace

const DevicePeaks &hostPeaks(int threads) {
  static std::mutex mutex;
  static std::map<int, DevicePeaks> byThreads;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = byThreads.try_emplace(threads);
  if (isNew) {
    ThreadScope scope(threads);
    entry->second.bytesPerSecond = copiedBytesPerSecond();
    entry->second.flopsPerSecond = multipliedFlopsPerSecond();
  }
  return entry->second;
}

} // namespace proa::runtime
