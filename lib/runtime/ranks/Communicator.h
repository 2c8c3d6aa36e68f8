/// The ranks of a distributed run: messages between them, and how all end when one fails.
///
/// A rank is a device of a mesh (spmd::Mesh::deviceAt). `SimulatedMesh` runs all ranks as threads of one
/// process, `openMpi` is one rank among the processes that mpirun started.
///
/// Failures: the first rank that finds an error tells all others (`fail`). A rank that waits learns of it,
/// reports what it was waiting for, and its call returns an error that names the failed rank and the
/// operation. A rank that waits longer than the timeout, and one that gets a message of another operation
/// than its own, is the first to fail. After a failure each call returns that failure, until `restart`.
///
/// A started operation (`start`) communicates while the caller works: a thread of the communicator, which
/// exists from the first one on, takes its messages and sends those that follow.
#pragma once

#include "proa/Result.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace proa::runtime {

/// A link that is slower than the one that ranks of one machine have, for measurements: a message arrives
/// after `latency` and the time of its bytes; messages to a rank follow each other.
struct EmulatedLink {
  double latency = 0;   ///< seconds
  double bandwidth = 0; ///< bytes per second; 0: the messages are not delayed
};

struct CommunicatorOptions {
  /// Seconds that a rank waits in one operation of a run while nothing arrives or leaves.
  double timeout = 6;
  /// The same for an operation where ranks meet after different work: compilation, reading of weights.
  double startTimeout = 600;
  /// All ranks must be on one machine, if there is one.
  EmulatedLink link = {};
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

/// Channels keep independent sequences of messages between two ranks apart. Channel 0 is for collectives
/// that are not started; others are for started ones, and for `dist.send` and `dist.recv`.
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

/// An operation as a sequence of rounds: each sends messages and waits for others.
class Rounds {
public:
  struct Round {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
  };
  virtual ~Rounds() = default;
  /// The next round, from the messages of the one before (at first none), which it may take; nothing at the
  /// end. Called by one thread at a time. Error: the operation fails.
  virtual Result<std::optional<Round>> next(std::span<Incoming> received) = 0;
};

/// The communicator of one rank. Used by one thread at a time.
class Communicator {
public:
  /// Tells the others that this rank has ended: who still waits for it fails.
  virtual ~Communicator();
  Communicator(const Communicator &) = delete;
  Communicator &operator=(const Communicator &) = delete;

  /// Changes the emulated link (CommunicatorOptions::link), before messages are under way.
  void setLink(const EmulatedLink &link) { options.link = link; }

  int64_t rank() const { return self; }
  int64_t size() const { return count; }

  /// Sends messages and waits for others: at most one from each rank and channel. Messages of a rank to
  /// itself stay in its memory. Messages between two ranks on one channel arrive in the order in which they
  /// are sent. Messages on channel 0 have left when it returns; those on others may leave later. Errors: a
  /// failed rank, a message of another operation or of another size, the timeout.
  Result<void> exchange(const Operation &operation, std::vector<Outgoing> outgoing,
                        std::span<Incoming> incoming);

  /// Runs all rounds of an operation. Errors: from exchange and from the rounds.
  Result<void> run(const Operation &operation, Rounds &rounds);

  /// Starts an operation, whose rounds use `channel` and no other operation under way does. What the rounds
  /// refer to must live until `wait`, `fail` or `restart` has returned. Error: a failed rank.
  Result<void> start(const Operation &operation, int64_t channel, std::unique_ptr<Rounds> rounds);
  /// Waits for the end of the operation that was started on `channel`. Errors: as `run`; no operation was
  /// started.
  Result<void> wait(int64_t channel);

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
  Communicator(int64_t rank, int64_t size, const CommunicatorOptions &options);

  /// One of the two threads that wait: the caller's thread and the thread of started operations.
  struct Idler {
    bool isCaller = true;
    int rounds = 0;         ///< since something arrived or left
    uint64_t seen = 0;      ///< for implementations: the arrivals that it knows of
    double seconds = 20e-3; ///< the longest wait
  };

  static constexpr int64_t anyRank = -1;
  /// The tag of notes about failures and ends; the tags of other messages are their channels.
  static constexpr int64_t noteTag = -1;

  /// Sends a message without waiting.
  virtual void post(int64_t rank, int64_t tag, MessageBuffer buffer) = 0;
  /// The next message of a rank (or of any) with that tag, if it has arrived.
  virtual std::optional<MessageBuffer> poll(int64_t rank, int64_t tag) = 0;
  /// Waits a moment for what may arrive. Both threads may be in it at once, unlike in other functions.
  virtual void idle(Idler &idler) = 0;
  /// Whether all posted messages have left this process; moves them on.
  virtual bool isFlushed() { return true; }
  /// Called when some bytes of a message have arrived or left: the timeout starts again.
  void noteProgress() {
    lastProgress = std::chrono::steady_clock::now();
    caller.rounds = 0;
  }
  /// Whether another thread than the caller may work on messages. Without it started operations move on in
  /// calls only.
  virtual bool mayUseThread() const { return true; }
  /// Why the run was ended from outside; empty as long as it was not.
  virtual std::string endedFromOutside() { return {}; }

  /// For destructors of implementations: ends the thread of started operations.
  void endProgress();
  /// For destructors of implementations: tells all ranks that this one ends.
  void announceEnd();
  /// Waits until the messages have left; after a failure for the ends of the others, at most 1.5 s.
  /// Returns whether that happened.
  bool waitForEnd();

private:
  enum class Note : uint64_t { Failure, End, Restart };
  struct Wait;
  struct Started;
  class Turn;
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
  template <class Condition> Result<void> waitFor(Wait &wait, const Condition &isDone);
  bool postAll(const Operation &operation, std::vector<Outgoing> outgoing);
  std::optional<MessageBuffer> takeOwn(int64_t channel);
  std::optional<MessageBuffer> take(int64_t rank, int64_t channel);
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
  void rest();
  void limitRest(Idler &idler) const;
  // Started operations (StartedOperations.cpp).
  bool progress();
  bool advance(Started &operation);
  bool needsProgress();
  void serve();

  int64_t self, count;
  CommunicatorOptions options;
  Diagnostics failure;
  std::mutex bufferMutex;
  std::vector<MessageBuffer> freeBuffers;
  /// Messages to this rank itself, by channel.
  std::map<int64_t, std::deque<MessageBuffer>> own;
  std::chrono::steady_clock::time_point lastProgress;
  Idler caller;
  /// Messages that an emulated link delays, by rank and channel, and when the link of each rank is free.
  struct Delayed {
    MessageBuffer buffer;
    std::chrono::steady_clock::time_point due;
  };
  std::map<std::pair<int64_t, int64_t>, std::deque<Delayed>> delayed;
  std::chrono::steady_clock::time_point linkIsFree;

  /// Held by the thread that works on messages.
  std::mutex turn;
  std::condition_variable hasStarted;
  std::map<int64_t, std::unique_ptr<Started>> started; ///< by channel
  std::thread thread;
  bool isEnding = false;
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

/// The rank of this process among those that mpirun has started, and their number; 0 of 1 without mpirun.
struct StartedRank {
  int64_t rank = 0, size = 1;
};
StartedRank rankStartedByMpi();

/// A hash of bytes that is the same on all machines.
uint64_t hashOf(std::string_view bytes);

} // namespace proa::runtime
