/// The ranks of a distributed run: messages between them, and how all end when one fails.
///
/// A rank is a device of a mesh (spmd::Mesh::deviceAt). `SimulatedMesh` runs all ranks as threads of one
/// process, `openMpi` is one rank among the processes that mpirun started.
///
/// Failures: the first rank that finds an error tells all others (`fail`). A rank that waits learns of it,
/// reports what it was waiting for, and its call returns an error that names the failed rank and the
/// operation. A rank that waits longer than the timeout, and one that gets a message of another operation
/// than its own, is the first to fail. After a failure each call returns that failure, until `restart`.
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
#include <string_view>
#include <vector>

namespace proa::runtime {

struct CommunicatorOptions {
  /// Seconds that a rank waits in one operation of a run while nothing arrives or leaves.
  double timeout = 6;
  /// The same for an operation where ranks meet after different work: compilation, reading of weights.
  double startTimeout = 600;
};

/// The purpose of a communication. Two ranks that exchange messages must give equal hashes.
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
  /// Bytes before `data`, a multiple of 64. The last `transportBytes` of them are for the implementation.
  static constexpr size_t envelopeBytes = 256, transportBytes = 8;

  MessageBuffer() = default;
  /// The bytes are not initialized.
  explicit MessageBuffer(size_t bytes);
  /// How many bytes fit without new memory.
  size_t capacity() const { return room; }
  /// Changes the number of bytes, at most to the capacity.
  void shrink(size_t count) { bytes = count; }
  std::byte *data() { return memory.get() + envelopeBytes; }
  const std::byte *data() const { return memory.get() + envelopeBytes; }
  size_t size() const { return bytes; }
  /// Envelope and bytes as they are sent.
  std::span<std::byte> all() { return {memory.get(), bytes + envelopeBytes}; }
  std::span<const std::byte> all() const { return {memory.get(), bytes + envelopeBytes}; }

private:
  std::unique_ptr<std::byte[]> memory;
  size_t bytes = 0, room = 0;
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
  /// Tells the others that this rank has ended: who still waits for it fails.
  virtual ~Communicator() = default;
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  int64_t rank() const { return self; }
  int64_t size() const { return count; }

  /// Sends messages and waits for others: at most one from each rank and channel, none from this rank.
  /// Messages between two ranks on one channel arrive in the order in which they are sent. Messages on
  /// channel 0 have left when it returns; those on others may leave later. Errors: a failed rank, a message
  /// of another operation or of another size, the timeout.
  Result<void> exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                        std::span<Incoming> incoming);

  /// A buffer for a message, perhaps with memory that was used before.
  MessageBuffer takeBuffer(size_t bytes);
  /// Keeps the memory of a message for later ones.
  void recycle(MessageBuffer buffer);

  /// Returns when all of `ranks` (empty: all ranks), with equal operations, have called it.
  Result<void> barrier(const Operation &operation, std::span<const int64_t> ranks = {});

  /// The bytes of each of `ranks` (empty: all ranks), by rank, on all of them. Sizes may differ.
  Result<std::map<int64_t, std::vector<std::byte>>>
  gather(const Operation &operation, std::span<const std::byte> bytes, std::span<const int64_t> ranks = {});

  /// Error: the text of another one of `ranks` differs; it names the first line that does.
  Result<void> compare(const Operation &operation, std::string_view text, std::span<const int64_t> ranks);

  /// Ends the operations of all ranks, because this rank found errors. Returns after the others know or a
  /// second has passed. The first failure of a rank stays.
  void fail(const Diagnostics &diagnostics);
  /// Ends what the ranks were doing, also after a failure, and starts again: a call of all ranks. Messages
  /// that a rank did not take are dropped. A rank that waits for one that has called it fails. A failure ends
  /// the work of all ranks up to their call: call it also after work that succeeded, before other work that
  /// may fail. Error: ranks have ended, or did not call it within `seconds`.
  Result<void> restart(double seconds);
  /// Looks for failures of other ranks, without waiting: for a rank that waits outside of `exchange`. `what`
  /// is what it waits for. Error: a rank has failed.
  Result<void> checkOthers(const std::string &what);
  /// Whether this rank or another one has failed.
  bool hasFailed() const { return !failure.empty(); }

protected:
  Communicator(int64_t rank, int64_t size, const CommunicatorOptions &options)
      : self(rank), count(size), options(options) {}

  static constexpr int64_t anyRank = -1;
  /// The tag of notes about failures and ends; those of other messages are their channels.
  static constexpr int64_t noteTag = -1;

  /// Sends a message without waiting.
  virtual void post(int64_t rank, int64_t tag, MessageBuffer buffer) = 0;
  /// The next message of a rank (or of any) with that tag, if it has arrived.
  virtual std::optional<MessageBuffer> poll(int64_t rank, int64_t tag) = 0;
  /// Waits a moment for what may arrive.
  virtual void idle() = 0;
  /// Whether all posted messages have left this process.
  virtual bool isFlushed() { return true; }
  /// Called when a part of a message has arrived or left: the timeout starts again.
  void noteProgress() { lastProgress = std::chrono::steady_clock::now(); }
  /// Why the run was ended from outside; empty as long as it was not.
  virtual std::string endedFromOutside() { return {}; }

  /// For destructors of implementations: tells all ranks that this one ends.
  void announceEnd();
  /// Waits until the messages have left; after a failure for the ends of the others, at most 1.5 s.
  /// Returns whether that happened.
  bool waitForEnd();

private:
  enum class Note : uint64_t { Failure, End, Restart };
  struct Wait;
  /// Numbers of messages since the last start, by channel.
  using Counts = std::map<int64_t, uint64_t>;
  /// Failures and starts of other ranks since the last start.
  struct Notes {
    std::map<int64_t, std::string> reports; ///< by rank: its failure
    /// By rank that has called `restart`: how many messages it had sent to this rank.
    std::map<int64_t, Counts> restarts;
  };

  Result<void> exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                        std::span<Incoming> incoming, bool anySize);
  Result<void> waitFor(Wait &wait);
  std::string receive(Wait &wait);
  std::string openEnvelope(const Wait &wait, const Incoming &incoming, const MessageBuffer &buffer);
  Result<void> failInWait(Wait &wait, const std::string &reason);
  void readNotes();
  void postNote(Note note, const std::string &text);
  void postCounts(Note note);
  void postNote(int64_t rank, Note note, const std::string &text);
  std::string countsTo(int64_t rank) const;
  bool dropMessagesOf(int64_t rank);
  bool hasLeft(int64_t rank) const { return ended.contains(rank) || notes.restarts.contains(rank); }
  bool sendsNoMoreOf(const Incoming &incoming);
  std::vector<int64_t> othersOf(std::span<const int64_t> ranks) const;
  template <class Condition> bool pollUntil(double seconds, const Condition &isDone);

  int64_t self, count;
  CommunicatorOptions options;
  Diagnostics failure;
  std::vector<MessageBuffer> freeBuffers;
  std::chrono::steady_clock::time_point lastProgress;
  /// A rank that has called `restart` may work, fail and call it again before this rank has returned from the
  /// first call.
  Notes notes, nextNotes;
  /// By rank that has ended: how many messages it had sent to this rank.
  std::map<int64_t, Counts> ended;
  /// Numbers of messages by rank and channel.
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

/// Calls `body` for each rank of a simulated mesh, in a thread of its own, and returns the errors of each
/// rank. A body that returns errors or throws fails on all ranks. It returns when all threads have ended: a
/// thread that hangs cannot be stopped. Kernels of all ranks share the thread pool's count (ThreadPool.h),
/// which is best 1.
std::vector<Diagnostics> runSimulated(int64_t size,
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
