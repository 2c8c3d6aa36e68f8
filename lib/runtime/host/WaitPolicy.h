/// How long threads of libgomp wait busily for each other.
///
/// By itself libgomp waits busily for 3 to 30 ms before a thread sleeps: the fastest on an idle machine,
/// where waking a thread takes longer than a short kernel. If other processes use the cores too, each
/// parallel region then waits that long for the thread that lost its core. Only environment variables, which
/// libgomp reads before main(), set this time; but if libgomp has more threads than there are cores, a
/// waiting thread sleeps after some microseconds. So this policy adds sleeping threads while the machine is
/// busy (decision 0038).
#pragma once

#include <memory>
#include <optional>

namespace proa::runtime {

/// Times of a process until a point of time.
struct LoadSample {
  double seconds; ///< of a clock that never goes back
  double waited;  ///< seconds for which its threads could run but had no core, summed
};

/// Tells a busy machine from an idle one by the time that threads of the process wait for a core.
///
/// Measured with a network of two threads on two cores (Linux 6.18): 0.01 to 0.08 threads wait on an idle
/// machine, 0.5 to 1.0 where other processes use one core or both, whether the threads wait for each other
/// busily or not.
class LoadWatch {
public:
  /// How many threads wait on average on a busy machine, at least, and on one that is idle again, at most.
  static constexpr double busy = 0.25, idle = 0.125;
  /// The time of runs after which the machine is found busy, or idle again.
  static constexpr double busySeconds = 0.05, idleSeconds = 0.2;

  /// A run begins: what the process used before, compiling for example, does not count.
  void resume(const LoadSample &now) { last = now; }
  /// Whether the machine is busy, after what runs used since the sample before.
  bool update(const LoadSample &now);

private:
  bool isBusy = false;
  LoadSample last{};
  LoadSample window{}; ///< of the runs since the last decision
};

/// Threads of libgomp that sleep while this lives, as many as there are cores: then libgomp has more threads
/// than cores, with any other team of two or more.
class SleepingTeam {
public:
  SleepingTeam();
  ~SleepingTeam(); ///< Does not wait for the threads' end.
  SleepingTeam(const SleepingTeam &) = delete;
  SleepingTeam &operator=(const SleepingTeam &) = delete;

private:
  struct Signal;
  std::shared_ptr<Signal> signal;
};

/// A run of a program with several threads, if `isActive`: the policy samples the load of the process at its
/// begin and end, and adds or ends the sleeping team. Where the system does not tell the load, there always
/// is a team. It does nothing if the user has chosen a wait policy (OMP_WAIT_POLICY, GOMP_SPINCOUNT).
class LoadScope {
public:
  explicit LoadScope(bool isActive);
  ~LoadScope();
  LoadScope(const LoadScope &) = delete;
  LoadScope &operator=(const LoadScope &) = delete;

private:
  bool isActive;
};

/// Whether the user has chosen that waiting threads sleep, or wait busily, by OMP_WAIT_POLICY or
/// GOMP_SPINCOUNT. None: the policy chooses.
std::optional<bool> userWaitsAsleep();

/// Whether threads of libgomp that wait sleep after some microseconds: the policy's choice, or the user's.
bool waitsAsleep();

/// A run of a program on the calling thread: tells libgomp (and so oneDNN) the number of threads, since
/// libgomp keeps it per thread, and lets the wait policy follow the load.
class RunScope {
public:
  RunScope();

private:
  LoadScope load;
};

} // namespace proa::runtime
