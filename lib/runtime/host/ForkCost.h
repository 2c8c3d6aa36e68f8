/// How much work is worth a second thread.
#pragma once

#include <cstdint>
#include <optional>

namespace proa {
struct CpuFacts;
}

namespace proa::runtime {

/// The facts by which the runtime chooses: `ofProgram`, if they are of a CPU with the instructions that this
/// process uses (vectorIsa()), else the known ones. Null: the program has none.
const CpuFacts &factsOfThisCpu(const CpuFacts *ofProgram);

/// The facts of the program that the calling thread loads or runs, while this lives; null: it has none.
class CpuScope {
public:
  explicit CpuScope(const CpuFacts *ofProgram);
  ~CpuScope();
  CpuScope(const CpuScope &) = delete;
  CpuScope &operator=(const CpuScope &) = delete;

private:
  const CpuFacts *outer;
};

/// Nanoseconds of work that a thread must take over to be worth it: `fork_nanoseconds` of the CPU, or
/// `wake_nanoseconds` while waiting threads sleep (threadsSleep()).
double minimalForkNanoseconds();

/// How many threads share `count` items of work that take `nanoseconds` in all: at least 1, at most
/// threads().
int64_t workersFor(double nanoseconds, int64_t count);

/// The `grain` of parallelFor() for items that take `nanoseconds` each.
int64_t grainFor(double nanoseconds);

/// The break-even of a second thread: nanoseconds that each of two threads works when both together are as
/// fast as one thread with all of it. None: two threads never are, the process may use one core only, or the
/// wait policy (WaitPolicy.h) does not let threads wait so.
struct ForkTimes {
  std::optional<double> busily; ///< where the second thread waits busily for a region
  std::optional<double> asleep; ///< where it sleeps
};

/// Measures them in about 0.5 s, by lower quartiles: other processes take the cores now and then.
ForkTimes measureForks();

} // namespace proa::runtime
