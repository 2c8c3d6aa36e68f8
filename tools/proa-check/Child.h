/// Checks one case in a process of its own, so that a crash or an endless loop costs that case only.
#pragma once

#include "lib/check/CaseResult.h"

#include <chrono>
#include <functional>
#include <string>

#include <sys/types.h>

namespace proa::tools {

/// What became of one case.
struct Outcome {
  check::Status status = check::Status::Failed;
  /// "import", "compile", ...; "crash" or "time-out" where the process ended early.
  std::string stage;
  Problems problems;
  double milliseconds = 0;
  /// Greatest absolute error of all outputs.
  double maxAbsolute = 0;
  /// The end of what the process wrote on stdout and stderr.
  std::string output;
};

/// Checks the case in a folder and tells each stage as it begins: check::checkCase, or what stands for it in
/// tests.
using CheckFunction = std::function<check::CaseResult(const std::string &folder,
                                                      const std::function<void(check::Stage)> &onStage)>;

/// A running check. The process is forked, not started anew: the parent has no threads, and a fork is much
/// cheaper than loading the compiler again.
class Child {
public:
  using Clock = std::chrono::steady_clock;

  Child(const CheckFunction &check, const std::string &folder, std::chrono::milliseconds timeout);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// The descriptors to poll; -1 once they are at their end.
  int resultDescriptor() const { return result.descriptor; }
  int outputDescriptor() const { return output.descriptor; }
  Clock::time_point deadline() const { return limit; }

  /// Takes what can be read now. True when the process has closed both descriptors.
  bool read();
  /// Ends the process and its children.
  void kill();
  /// Waits for the process and tells what it found.
  Outcome finish();

private:
  /// One direction of a pipe and what has come through it.
  struct Stream {
    int descriptor = -1;
    std::string text;
    void read();
    void close();
  };

  Outcome interpret(int status);

  Stream result, output;
  pid_t process = -1;
  bool timedOut = false;
  std::chrono::milliseconds timeout;
  Clock::time_point start, limit;
};

/// Checks a case in this process.
Outcome checkHere(const CheckFunction &check, const std::string &folder);

} // namespace proa::tools
