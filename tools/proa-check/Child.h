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

/// A running check. The process is forked and not executed: the parent has no threads, and a fork is much
/// cheaper than loading the compiler.
class Child {
public:
  using Clock = std::chrono::steady_clock;

  Child(const CheckFunction &check, const std::string &folder, std::chrono::milliseconds timeout);
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// File descriptors to poll; -1 after their end.
  int resultDescriptor() const { return result.descriptor; }
  int outputDescriptor() const { return output.descriptor; }
  Clock::time_point deadline() const { return limit; }

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
  pid_t process = -1;
  bool timedOut = false;
  std::chrono::milliseconds timeout;
  Clock::time_point start, limit;
};

/// An outcome as one line of JSON, without its time and output, and back.
std::string lineOf(const Outcome &outcome);
std::optional<Outcome> outcomeOfLine(const std::string &line);

/// Checks a case in this process.
Outcome checkHere(const CheckFunction &check, const std::string &folder);

} // namespace proa::tools
