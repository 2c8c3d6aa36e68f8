#include "lib/runtime/host/ForkCost.h"

#include "lib/base/support/Clock.h"
#include "lib/base/support/Cores.h"
#include "lib/base/target/TargetFacts.h"
#include "lib/runtime/host/CpuFeatures.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/host/WaitPolicy.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace proa::runtime {
namespace {

thread_local const CpuFacts *scopedCpu = nullptr;

/// A vector that the calling thread writes, a function of it that a region computes, and a sum that it reads
/// then: as in a program, whose kernels read what other cores have written.
class Exchange {
public:
  explicit Exchange(int64_t size) : x(static_cast<size_t>(size)), y(x.size()) {}

  /// Nanoseconds of one exchange with `threads` threads, `gap` nanoseconds after the one before.
  int64_t run(int threads, int64_t gap) {
    for (int64_t end = steadyNanoseconds() + gap; steadyNanoseconds() < end;) {
    }
    int64_t begin = steadyNanoseconds();
    std::ranges::fill(x, sum * 1e-30F);
    auto size = static_cast<int64_t>(x.size());
    parallelFor(size, threads > 1 ? size / threads : size, [this](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        float value = x[static_cast<size_t>(i)], power = 0;
        for (int degree = 0; degree < 16; ++degree)
          power = power * value + 0.5F;
        y[static_cast<size_t>(i)] = power;
      }
    });
    sum = 0;
    for (size_t i = 0; i < y.size(); i += 16) // of each cache line
      sum += y[i];
    return steadyNanoseconds() - begin;
  }

private:
  std::vector<float> x, y;
  float sum = 0;
};

/// The lower quartile of the nanoseconds of `count` exchanges with one thread and with two.
std::array<double, 2> nanosecondsOf(int64_t size, int count, int64_t gap) {
  Exchange exchange(size);
  std::array<double, 2> quartiles;
  for (int threads : {1, 2}) {
    std::vector<int64_t> times;
    for (int i = 0; i < count; ++i)
      times.push_back(exchange.run(threads, gap));
    auto quartile = times.begin() + count / 4;
    std::ranges::nth_element(times, quartile);
    quartiles[static_cast<size_t>(threads - 1)] = static_cast<double>(*quartile);
  }
  return quartiles;
}

/// Doubles a vector until two threads are faster than one, and interpolates.
std::optional<double> breakEven(int count, int64_t gap) {
  double before = 0, loss = 0; // of the size before
  for (int64_t size = 1 << 8; size <= 1 << 20; size *= 2) {
    auto [one, two] = nanosecondsOf(size, count, gap);
    if (two < one)
      return 0.5 * (before + (one - before) * loss / (loss + one - two));
    before = one;
    loss = two - one;
  }
  return std::nullopt;
}

} // namespace

const CpuFacts &factsOfThisCpu(const CpuFacts *ofProgram) {
  static const CpuFacts &known = *knownFacts<CpuFacts>(nameOf(vectorIsa()));
  return ofProgram && ofProgram->name == known.name ? *ofProgram : known;
}

CpuScope::CpuScope(const CpuFacts *ofProgram) : outer(std::exchange(scopedCpu, &factsOfThisCpu(ofProgram))) {}

CpuScope::~CpuScope() { scopedCpu = outer; }

double minimalForkNanoseconds() {
  const CpuFacts &cpu = scopedCpu ? *scopedCpu : factsOfThisCpu(nullptr);
  return static_cast<double>(threadsSleep() ? cpu.wakeNanoseconds : cpu.forkNanoseconds);
}

int64_t workersFor(double nanoseconds, int64_t count) {
  int64_t most = std::max<int64_t>(std::min<int64_t>(count, threads()), 1);
  return static_cast<int64_t>(
      std::clamp(nanoseconds / minimalForkNanoseconds(), 1.0, static_cast<double>(most)));
}

int64_t grainFor(double nanoseconds) {
  constexpr double least = 1e-3; // an estimate of nothing
  return static_cast<int64_t>(minimalForkNanoseconds() / std::max(nanoseconds, least)) + 1;
}

ForkTimes measureForks() {
  ForkTimes times;
  if (availableCores() < 2)
    return times;
  ThreadScope scope(2);
  if (!waitsAsleep())
    times.busily = breakEven(/*count=*/200, /*gap=*/20'000);
  if (userWaitsAsleep().value_or(true)) {
    SleepingTeam team; // with it, a waiting thread sleeps after about 5 microseconds
    times.asleep = breakEven(/*count=*/100, /*gap=*/200'000);
  }
  return times;
}

} // namespace proa::runtime
