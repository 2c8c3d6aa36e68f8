/// A check of one case in its own process, so that a crash or an endless loop affects that case only.
#pragma once

#include "lib/check/CaseResult.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

namespace proa::tools {

/// The result of one case.
struct Outcome {
  check::Status status = check::Status::Failed;
  /// "import", "compile", ...; "crash" or "time-out" if the process ended early.
  std::string stage;
  Diagnostics diagnostics;
  double milliseconds = 0;
  /// The largest absolute error of all outputs.
  double maxAbsolute = 0;
  /// The end of the process's stdout and stderr.
  std::string output;
};

/// Checks the case in a folder and reports each stage as it begins: check::checkCase, or a replacement in
/// tests.
using CheckFunction = std::function<check::CaseResult(const std::string &folder,
                                                      const std::function<void(check::Stage)> &onStage)>;

/// Limits of a check. CPU time does not depend on other processes of the machine; the limit of real time ends
/// a process that waits forever.
struct TimeLimits {
  std::chrono::milliseconds cpu{60000}; ///< of all threads of the process together
  std::chrono::milliseconds real{1200000};
};

/// A running check. The process is forked and not executed: the parent has no threads, and a fork is much
/// cheaper than loading the compiler.
class Child {
public:
  using Clock = std::chrono::steady_clock;

  Child(const CheckFunction &check, const std::string &folder, const TimeLimits &limits);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// File descriptors to poll; -1 after their end.
  int resultDescriptor() const { return result.descriptor; }
  int outputDescriptor() const { return output.descriptor; }
  /// The earliest time at which it may have reached a limit.
  std::chrono::milliseconds untilLimit() const;
  bool isOverLimit() const { return untilLimit().count() <= 0; }

  /// Reads available data. True after the process has closed both descriptors.
  bool read();
  /// Kills the process and its children.
  void kill();
  /// Waits for the process and returns its result.
  Outcome finish();

private:
  /// A pipe and the data read from it.
  struct Stream {
    int descriptor = -1;
    std::string text;
    void read();
    void close();
  };

  Outcome interpret(int status);

  Stream result, output;
  /// CPU time of the process so far.
  std::chrono::milliseconds cpuTime() const;

  pid_t process = -1;
  std::string timeOut; ///< which limit it has reached; empty: none
  TimeLimits limits;
  Clock::time_point start;
};

/// An outcome as one line of JSON, without its time and output, and back.
std::string lineOf(const Outcome &outcome);
std::optional<Outcome> outcomeOfLine(const std::string &line);

/// Checks a case in this process.
Outcome checkHere(const CheckFunction &check, const std::string &folder);

} // namespace proa::tools
