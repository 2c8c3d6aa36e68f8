#include "tools/proa-check/Ranks.h"

#include <fmt/format.h>

#include <csignal>
#include <stdexcept>
#include <sys/time.h>
#include <unistd.h>

namespace proa::tools {
namespace {

/// The message of the time limit, written by a signal handler.
std::string limitMessage;

void setTimer(__itimer_which_t clock, std::chrono::milliseconds time) {
  itimerval timer{};
  timer.it_value.tv_sec = time.count() / 1000;
  timer.it_value.tv_usec = time.count() % 1000 * 1000;
  ::setitimer(clock, &timer, nullptr);
}

void setTimers(const TimeLimits &limits) {
  setTimer(ITIMER_PROF, limits.cpu);
  setTimer(ITIMER_REAL, limits.real);
}

void endProcess(int) {
  (void)!::write(STDERR_FILENO, limitMessage.data(), limitMessage.size());
  ::_exit(1); // mpirun ends the other processes
}

} // namespace

Result<Ranks> Ranks::open(const TimeLimits &limits) {
  auto processes = Processes::open();
  if (!processes)
    return processes.diagnostics();
  return Ranks(std::move(*processes), limits);
}

CheckFunction Ranks::withLimit(CheckFunction check) const {
  std::signal(SIGALRM, endProcess);
  std::signal(SIGPROF, endProcess);
  return [check = std::move(check), limits = limits, rank = processes.rank()](
             const std::string &folder, const std::function<void(check::Stage)> &onStage) {
    limitMessage = fmt::format("error: rank {}: {}: time-out after {:.1f} s of CPU time, or {:.1f} s\n", rank,
                               folder, static_cast<double>(limits.cpu.count()) / 1000,
                               static_cast<double>(limits.real.count()) / 1000);
    setTimers(limits);
    check::CaseResult result = check(folder, onStage);
    setTimers({std::chrono::milliseconds(0), std::chrono::milliseconds(0)});
    return result;
  };
}

std::vector<std::string> Ranks::meet(const std::string &what, const std::string &text) {
  double limit = static_cast<double>(limits.real.count()) / 1000;
  auto texts = processes.meet(what, text, limit);
  if (!texts)
    throw std::runtime_error(what + ": " + texts.diagnostics()[0].message);
  return std::move(*texts);
}

Outcome Ranks::combine(const std::string &folder, const Outcome &own) {
  std::vector<Diagnostics> byRank;
  Outcome combined = own;
  bool isFirst = true;
  for (const std::string &text : meet(folder, lineOf(own))) {
    std::optional<Outcome> outcome = outcomeOfLine(text);
    if (!outcome)
      throw std::runtime_error(folder + ": expected the outcome of a rank, found '" + text + "'");
    byRank.push_back(outcome->diagnostics);
    bool isWorse = outcome->status == check::Status::Failed && combined.status != check::Status::Failed;
    if (isFirst || isWorse) {
      combined.status = outcome->status;
      combined.stage = outcome->stage;
    }
    combined.maxAbsolute = std::max(combined.maxAbsolute, outcome->maxAbsolute);
    isFirst = false;
  }
  combined.diagnostics = diagnosticsOfRanks(byRank);
  return combined;
}

int Ranks::codeOfMain(int code) { return std::stoi(meet("the end", std::to_string(code))[0]); }

} // namespace proa::tools
