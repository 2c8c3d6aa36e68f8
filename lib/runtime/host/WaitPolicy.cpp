#include "lib/runtime/host/WaitPolicy.h"

#include "lib/base/support/Clock.h"
#include "lib/runtime/host/Libgomp.h"

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

namespace proa::runtime {

bool LoadWatch::update(const LoadSample &now) {
  window.seconds += now.seconds - last.seconds;
  window.waited += std::max(0., now.waited - last.waited); // the time of a thread that has ended is lost
  last = now;
  if (window.seconds < (isBusy ? idleSeconds : busySeconds))
    return isBusy;
  isBusy = window.waited > (isBusy ? idle : busy) * window.seconds;
  window = {};
  return isBusy;
}

std::optional<bool> userWaitsAsleep() {
  const char *spins = std::getenv("GOMP_SPINCOUNT"), *policy = std::getenv("OMP_WAIT_POLICY");
  if (spins)
    return std::string_view(spins) == "0";
  return policy ? std::optional(strcasecmp(policy, "passive") == 0) : std::nullopt;
}

struct SleepingTeam::Signal {
  std::atomic<bool> isEnded = false;
};

SleepingTeam::SleepingTeam() : signal(std::make_shared<Signal>()) {
  // The thread that begins a team is not one of libgomp's: its end ends the team.
  std::thread([signal = signal] {
    auto sleep = [](void *data) {
      observe(data);
      static_cast<Signal *>(data)->isEnded.wait(false);
      announce(data);
    };
    announce(signal.get());
    // As libgomp counts the cores, but without its shared buffer.
    GOMP_parallel(sleep, signal.get(), std::thread::hardware_concurrency(), 0);
    observe(signal.get());
  }).detach();
}

SleepingTeam::~SleepingTeam() {
  signal->isEnded = true;
  signal->isEnded.notify_all();
}

namespace {

/// Nanoseconds for which a thread has waited for a core; none if the system does not tell, or the thread has
/// ended.
std::optional<int64_t> waitedOf(const std::filesystem::path &thread) {
  int file = open((thread / "schedstat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  char text[96]; // nanoseconds run, nanoseconds waited, time slices
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[std::max<ssize_t>(size, 0)] = 0;
  long long run, waited;
  if (std::sscanf(text, "%lld %lld", &run, &waited) != 2)
    return std::nullopt;
  return waited;
}

/// Seconds for which the threads of this process have waited for a core; none if the system does not tell.
std::optional<double> waitedForCores() {
  int64_t sum = 0;
  bool isKnown = false;
  std::error_code error;
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task", error))
    if (std::optional<int64_t> waited = waitedOf(thread.path())) {
      isKnown = true;
      sum += *waited;
    }
  return isKnown ? std::optional(1e-9 * static_cast<double>(sum)) : std::nullopt;
}

class WaitPolicy {
public:
  void beginRun() {
    int64_t now = steadyNanoseconds(), end = lastEnd.load(std::memory_order_relaxed);
    if (isFixed || now - end <= longestGap)
      return;
    int64_t took = end - seriesBegin.exchange(now, std::memory_order_relaxed);
    state = State::Unknown;
    if (took >= leastSeries && now >= nextSample.load(std::memory_order_relaxed))
      resume(now, State::Resumed);
  }

  void endRun() {
    int64_t now = steadyNanoseconds();
    lastEnd.store(now, std::memory_order_relaxed);
    bool isDue = now >= nextSample.load(std::memory_order_relaxed);
    if (isFixed || (!isDue && state != State::Resumed))
      return;
    if (state != State::Unknown)
      update(now);
    else if (now - seriesBegin.load(std::memory_order_relaxed) >= leastSeries)
      resume(now, State::Continued);
  }

  bool waitsAsleep() const { return isAsleep.load(std::memory_order_relaxed); }

private:
  /// Of samples, in nanoseconds; a sample takes at most 0.1 % of the time until the next one.
  static constexpr int64_t period = 10'000'000, timesOfSample = 1000;
  /// Nanoseconds between the runs of a series.
  static constexpr int64_t longestGap = 5'000'000;
  /// A series that takes less is not sampled: two samples would take a tenth of it. On a busy machine it
  /// takes longer.
  static constexpr int64_t leastSeries = 500'000;

  enum class State {
    Unknown,  ///< no sample since the begin of the series
    Resumed,  ///< a sample at its begin, and no run of it has ended
    Continued ///< a sample later in it
  };

  void resume(int64_t now, State next) {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock)
      return;
    if (std::optional<LoadSample> load = sample(now)) {
      watch.resume(*load);
      state = next;
    } else {
      setSleepsSoon(true);
    }
  }

  void update(int64_t now) {
    if (std::unique_lock lock(mutex, std::try_to_lock); lock) {
      std::optional<LoadSample> load = sample(now);
      setSleepsSoon(!load || watch.update(*load));
      state = State::Continued;
    }
  }

  std::optional<LoadSample> sample(int64_t now) {
    std::optional<double> waited = waitedForCores();
    int64_t taken = steadyNanoseconds() - now;
    nextSample.store(now + std::max(period, timesOfSample * taken), std::memory_order_relaxed);
    if (!waited)
      return std::nullopt;
    return LoadSample{1e-9 * static_cast<double>(now), *waited};
  }

  void setSleepsSoon(bool sleepsSoon) {
    isAsleep.store(sleepsSoon, std::memory_order_relaxed);
    if (sleepsSoon && !team)
      team.emplace();
    else if (!sleepsSoon)
      team.reset();
  }

  const bool isFixed = userWaitsAsleep().has_value();
  std::atomic<bool> isAsleep = userWaitsAsleep().value_or(false);
  std::atomic<int64_t> nextSample = 0;
  std::atomic<int64_t> seriesBegin = std::numeric_limits<int64_t>::min() / 2, lastEnd = seriesBegin / 2;
  std::atomic<State> state = State::Unknown;
  std::mutex mutex; ///< for what follows
  LoadWatch watch;
  std::optional<SleepingTeam> team;
};

WaitPolicy &policy() {
  // Never destroyed: other threads may still run programs when the process ends.
  static auto &policy = *new WaitPolicy;
  return policy;
}

} // namespace

bool waitsAsleep() { return policy().waitsAsleep(); }

LoadScope::LoadScope(bool isActive) : isActive(isActive) {
  if (isActive)
    policy().beginRun();
}

LoadScope::~LoadScope() {
  if (isActive)
    policy().endRun();
}

} // namespace proa::runtime
