#include "tools/common/Processes.h"

#include "tools/common/CommandLine.h"

#include <algorithm>

namespace proa::tools {
namespace {

/// The errors that this process prints. The processes meet again afterwards, because mpirun ends all of
/// them when the first one ends with an error.
void printTogether(const Diagnostics &diagnostics, const std::function<void(const Diagnostics &)> &print) {
  // After a failed communication the others end soon, or never.
  constexpr double secondsAfterFailure = 1, seconds = 7;
  Result<Processes> processes = Processes::open();
  if (!processes)
    return print(diagnostics);
  double limit = processes->hasFailed() ? secondsAfterFailure : seconds;
  auto texts = processes->meet("reporting errors", bytesOf(diagnostics), limit);
  if (!texts) {
    std::vector<Diagnostics> byRank(static_cast<size_t>(processes->rank()) + 2);
    byRank[static_cast<size_t>(processes->rank())] = diagnostics;
    return print(diagnosticsOfRanks(byRank));
  }
  std::vector<Diagnostics> byRank;
  for (const std::string &text : *texts)
    byRank.push_back(diagnosticsOf(text));
  if (processes->rank() == 0)
    print(diagnosticsOfRanks(byRank));
  (void)processes->meet("reporting errors", "", secondsAfterFailure);
}

} // namespace

bool areProcessesOfMesh(int argc, char **argv) {
  bool hasMesh = false, simulates = false;
  for (std::string_view argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
    simulates |= argument == "--simulate-mesh";
    for (std::string_view option : {"--mesh", "--shardings", "--strategy"})
      hasMesh |= argument == option || argument.starts_with(std::string(option) + "=");
  }
  return hasMesh && !simulates && runtime::isStartedByMpi();
}

void printErrorsOfRanks(bool startsMpi) {
  setErrorPrinter(
      [startsMpi](const Diagnostics &diagnostics, const std::function<void(const Diagnostics &)> &print) {
        // MPI waits for all processes when it starts. The processes of a program without a mesh never come.
        if (startsMpi || Processes::areOpen())
          printTogether(diagnostics, print);
        else
          print(diagnostics);
      });
}

Result<Processes> Processes::open() {
  auto group = RankGroup::openProcesses();
  if (!group)
    return group.diagnostics();
  Processes processes;
  processes.group = std::move(*group);
  return processes;
}

} // namespace proa::tools
