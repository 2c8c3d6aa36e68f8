/// The ranks of a mesh that this process runs.
#pragma once

#include "lib/runtime/ranks/Communicator.h"
#include "proa/Mesh.h"
#include "proa/Result.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace proa {

/// The errors of all ranks: errors of all ranks once, others with the rank in `where`.
Diagnostics diagnosticsOfRanks(const std::vector<Diagnostics> &byRank);

/// Errors as bytes that ranks exchange, and back.
std::string bytesOf(const Diagnostics &diagnostics);
Diagnostics diagnosticsOf(std::string_view bytes);

/// All ranks of a mesh as threads of this process, or this process as one rank of MPI. A rank of this process
/// has an index from 0 to count() - 1.
class RankGroup {
public:
  /// This process as a rank. Error: MPI cannot be used.
  static Result<std::unique_ptr<RankGroup>> openProcesses();
  /// Whether openProcesses() has succeeded before.
  static bool hasProcesses();
  static std::unique_ptr<RankGroup> simulate(int64_t size);
  /// Emulates a link between the ranks.
  void setLink(const runtime::EmulatedLink &emulated);
  /// The number of threads of each rank; 0: the number of the thread that runs it.
  void setThreads(int count) { threadsOfRank = count; }
  ~RankGroup();

  /// The number of ranks of the mesh.
  int64_t size() const { return communicators[0]->size(); }
  /// The number of ranks of this process.
  size_t count() const { return communicators.size(); }
  int64_t rankOf(size_t index) const { return communicators[index]->rank(); }
  const std::shared_ptr<runtime::Communicator> &communicator(size_t index) const {
    return communicators[index];
  }

  using Body = std::function<Result<void>(size_t index)>;
  /// Calls `body` for each rank of this process, all at once. A rank with errors, or whose body throws,
  /// fails on all ranks. Returns the errors of the ranks that failed first; each error once.
  Result<void> forEach(const Body &body);

  /// Exchanges the outcome of some work between the processes, so that all of them fail if one does. `what`
  /// names the work. It is also an error if `hash`, of what must be equal on all ranks, differs.
  Result<void> agree(const std::string &what, const Result<void> &outcome, uint64_t hash = 0);

  /// The texts of all processes, by rank; only the text of this process where ranks are simulated.
  Result<std::vector<std::string>> gather(const runtime::Operation &operation, std::string_view text);

  /// Ends what the processes were doing, also after a failure, and exchanges texts: a call of all processes.
  /// Returns the texts by rank. Error: a process does not come within `seconds`, or has ended.
  Result<std::vector<std::string>> meet(const std::string &what, const std::string &text, double seconds);

private:
  RankGroup(bool simulates, size_t count);
  void connect();
  void serve(size_t index);
  void call(size_t index);

  bool simulates;
  runtime::EmulatedLink link;
  int threadsOfRank = 0;
  std::vector<std::shared_ptr<runtime::Communicator>> communicators;

  // Threads of simulated ranks, if there are several. They live as long as the group, because libgomp keeps a
  // pool of threads for each.
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t round = 0; ///< number of calls of forEach
  size_t running = 0;
  bool isEnding = false;
  const Body *body = nullptr;
  std::vector<Diagnostics> diagnostics; ///< by index
  std::vector<uint8_t> isFirst;         ///< by index: no other rank had failed before
};

} // namespace proa
