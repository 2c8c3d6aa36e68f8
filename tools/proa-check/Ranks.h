/// Checks of cases on real ranks: each process that mpirun started checks all cases in the same order.
#pragma once

#include "tools/common/Processes.h"
#include "tools/proa-check/Child.h"

namespace proa::tools {

class Ranks {
public:
  /// `timeout`: the time limit of a case. A rank that exceeds it ends the run of all ranks, which need it.
  static Result<Ranks> open(std::chrono::milliseconds timeout);

  bool isMain() const { return processes.rank() == 0; }
  /// The check of a case with its time limit.
  CheckFunction withLimit(CheckFunction check) const;
  /// The outcome of a case on all ranks: it has failed if it failed on one. Throws if a rank does not answer.
  Outcome combine(const std::string &folder, const Outcome &own);
  /// The exit code of rank 0.
  int codeOfMain(int code);

private:
  Ranks(Processes processes, std::chrono::milliseconds timeout)
      : processes(std::move(processes)), timeout(timeout) {}
  std::vector<std::string> meet(const std::string &what, const std::string &text);

  Processes processes;
  std::chrono::milliseconds timeout;
};

} // namespace proa::tools
