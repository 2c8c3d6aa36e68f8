/// A tool as several processes that mpirun started, one for each rank of a mesh.
#pragma once

#include "lib/compiler/mesh/RankGroup.h"

#include <memory>
#include <string>
#include <vector>

namespace proa::tools {

/// Whether mpirun started this process and its arguments ask for a mesh of processes.
bool areProcessesOfMesh(int argc, char **argv);

/// Makes the error functions of CommandLine.h print on rank 0 only: errors of all ranks once, errors of
/// single ranks with the rank. They wait until all ranks have ended with an error, or some seconds.
/// `startsMpi`: also before the processes have met. Then all of them must be ranks of one mesh.
void printErrorsOfRanks(bool startsMpi);

/// The processes of this run.
class Processes {
public:
  /// Error: MPI cannot be used.
  static Result<Processes> open();

  /// Whether this process has entered MPI.
  static bool areOpen() { return RankGroup::hasProcesses(); }

  int64_t rank() const { return group->rankOf(0); }
  /// The texts of all processes, by rank. Ends what they were doing. Error: a process does not come within
  /// `seconds`, or has ended.
  Result<std::vector<std::string>> meet(const std::string &what, const std::string &text, double seconds) {
    return group->meet(what, text, seconds);
  }
  bool hasFailed() const { return group->communicator(0)->hasFailed(); }

private:
  std::unique_ptr<RankGroup> group;
};

} // namespace proa::tools
