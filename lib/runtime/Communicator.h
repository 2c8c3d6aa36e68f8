/// What one rank of a distributed run sees of the others: messages between ranks, and how all ranks end when
/// one fails.
///
/// A rank is a device of a mesh (spmd::Mesh::deviceAt). `SimulatedMesh` runs all ranks as threads of one
/// process, `openMpi` is one rank among the processes that mpirun started.
///
/// Failures: the first rank that finds an error tells all others (`fail`). A rank that waits learns of it,
/// reports what it was waiting for, and its call returns an error that names the failed rank and the
/// operation. A rank that waits longer than the timeout, and one that gets a message of another operation
/// than its own, is the first to fail. After a failure each call returns that failure.
#pragma once

#include "proa/Result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::runtime {

struct CommunicatorOptions {
  /// Seconds that a rank waits for the messages of one operation of a run.
  double timeout = 8;
  /// The same for an operation where ranks meet after different work: compilation, reading of weights.
  double startTimeout = 600;
};

/// What a rank communicates for. Two ranks that exchange messages must give equal hashes.
struct Operation {
  /// For messages: "all_reduce sum of tensor<8x16xfloat32>, collective 3".
  std::string text;
  /// Of everything that must be equal on the ranks; 0: the hash of `text`.
  uint64_t hash = 0;
  /// Whether ranks may come here at very different times (CommunicatorOptions::startTimeout).
  bool isStart = false;
};

/// The bytes of a message. Before them is room for what the communicator adds.
class MessageBuffer {
public:
  /// Bytes before `data`, a multiple of 64.
  static constexpr size_t envelopeBytes = 256;

  MessageBuffer() = default;
  /// The bytes are not initialized.
  explicit MessageBuffer(size_t bytes);
  std::byte *data() { return memory.get() + envelopeBytes; }
  const std::byte *data() const { return memory.get() + envelopeBytes; }
  size_t size() const { return bytes; }
  /// Envelope and bytes as they are sent.
  std::span<std::byte> all() { return {memory.get(), bytes + envelopeBytes}; }

private:
  std::unique_ptr<std::byte[]> memory;
  size_t bytes = 0;
};

/// Channels keep independent sequences of messages between two ranks apart. Channel 0 is that of collectives;
/// others are for `dist.send` and `dist.recv`.
struct Outgoing {
  int64_t rank = 0;
  MessageBuffer buffer;
  int64_t channel = 0;
};

struct Incoming {
  int64_t rank = 0;
  /// How many bytes must come.
  size_t bytes = 0;
  int64_t channel = 0;
  /// The message, when `exchange` returns.
  MessageBuffer buffer = {};
};

/// The communicator of one rank. Used by one thread at a time.
class Communicator {
public:
  /// Tells the others that this rank has ended, if they still wait for it.
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  int64_t rank() const { return self; }
  int64_t size() const { return count; }

  /// Sends messages and waits for others. Messages between two ranks on one channel arrive in the order in
  /// which they are sent. Sending does not wait for the receiver. No rank is this one. Errors: a failed rank,
  /// another operation or another number of bytes than expected, the timeout.
  Result<void> exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                        std::span<Incoming> incoming);

  /// Returns when all of `ranks` (empty: all ranks), with equal operations, have called it.
  Result<void> barrier(const Operation &operation, std::span<const int64_t> ranks = {});

  /// The bytes of each rank, by rank, on all ranks. Sizes may differ.
  Result<std::vector<std::vector<std::byte>>> gather(const Operation &operation,
                                                     std::span<const std::byte> bytes);

  /// Ends the operations of all ranks, because this rank found errors. Returns after the others know or a
  /// second has passed. The first failure of a rank stays.
  void fail(const Problems &problems);
  /// Whether this rank or another one has failed.
  bool hasFailed() const { return !failure.empty(); }

protected:
  Communicator(int64_t rank, int64_t size, const CommunicatorOptions &options)
      : self(rank), count(size), options(options) {}

  /// What the implementations provide. Tags are channels, or one of the tags below.
  virtual void post(int64_t rank, int64_t tag, MessageBuffer buffer) = 0;
  /// The next message of that rank and tag, if it has arrived. `bytes` of it are without the envelope.
  virtual std::optional<MessageBuffer> poll(int64_t rank, int64_t tag) = 0;
  /// Waits a moment for messages; `wait` is how long at most, in seconds.
  virtual void idle(double wait) = 0;
  /// Whether all posted messages have left, so that this process may end.
  virtual bool isFlushed() = 0;
  /// Why the run was ended from outside; empty as long as it was not.
  virtual std::string endedFromOutside() { return {}; }

  /// Of notes: a failure, and the normal end of a rank.
  static constexpr int64_t failureTag = -1, endTag = -2;
  /// Tells all ranks that this one ends, and waits for the same of the others after a failure. For
  /// destructors of implementations.
  void end();

private:
  using Clock = std::chrono::steady_clock;
  struct Wait;

  void seal(MessageBuffer &buffer, const Operation &operation, int64_t peer, int64_t channel);
  Result<void> open(const Operation &operation, Incoming &incoming, MessageBuffer buffer, bool anySize);
  Result<void> exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                        std::span<Incoming> incoming, bool anySize);
  bool receive(const Operation &operation, std::span<Incoming> incoming, std::vector<bool> &arrived,
               bool anySize);
  bool checkNotes(const Operation *waiting, std::span<const Incoming> incoming,
                  const std::vector<bool> &arrived);
  void report(const std::string &text);
  void collectReports();
  std::string textOf(const Operation &operation) const;

  int64_t self, count;
  CommunicatorOptions options;
  Problems failure;
  /// By rank: what it reported after a failure.
  std::map<int64_t, std::string> reports;
  std::vector<bool> hasEnded;
  /// Numbers of messages by (rank, channel).
  std::map<std::pair<int64_t, int64_t>, uint64_t> sent, received;
};

/// All ranks as threads of one process.
class SimulatedMesh {
public:
  explicit SimulatedMesh(int64_t size, const CommunicatorOptions &options = {});
  ~SimulatedMesh();
  /// The communicator of a rank; each is taken once. They may outlive the mesh.
  std::unique_ptr<Communicator> take(int64_t rank);

private:
  struct State;
  std::shared_ptr<State> state;
  friend class SimulatedCommunicator;
};

/// Calls `body` for each rank of a simulated mesh, in a thread of its own, and returns the problems of each
/// rank. A body that returns problems or throws fails on all ranks.
std::vector<Problems> runSimulated(int64_t size,
                                   const std::function<Result<void>(std::shared_ptr<Communicator>)> &body,
                                   const CommunicatorOptions &options = {});

/// This process as a rank of OpenMPI, which is loaded at run time (libmpi.so.40). At most one exists in a
/// process, once. When it is destroyed the process leaves MPI; after a failure it ends the processes of ranks
/// that do not answer. Errors: the library cannot be loaded, with the name of its package; it cannot start.
Result<std::unique_ptr<Communicator>> openMpi(const CommunicatorOptions &options = {});

/// Whether mpirun has started this process.
bool isStartedByMpi();

/// A hash of bytes that is the same on all machines.
uint64_t hashOf(std::string_view bytes);

} // namespace proa::runtime
