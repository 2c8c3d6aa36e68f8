/// Checks of cases on real ranks: each process that mpirun started checks all cases in the same order.
#pragma once

#include "tools/common/Processes.h"
#include "tools/proa-check/Child.h"

namespace proa::tools {

class Ranks {
public:
  /// `limits`: the limits of a case. A rank that exceeds one ends the run of all ranks, which need it.
  static Result<Ranks> open(const TimeLimits &limits);

  bool isMain() const { return processes.rank() == 0; }
  /// The check of a case with its time limits.
  CheckFunction withLimit(CheckFunction check) const;
  /// The outcome of a case on all ranks: it has failed if it failed on one. Throws if a rank does not answer.
  Outcome combine(const std::string &folder, const Outcome &own);
  /// The exit code of rank 0.
  int codeOfMain(int code);

private:
  Ranks(Processes processes, const TimeLimits &limits) : processes(std::move(processes)), limits(limits) {}
  std::vector<std::string> meet(const std::string &what, const std::string &text);

  Processes processes;
  TimeLimits limits;
};

} // namespace proa::tools
