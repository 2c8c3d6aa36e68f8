/// Records of a communicator for operations that wait for messages.
#pragma once

#include "lib/runtime/ranks/Communicator.h"

namespace proa::runtime {

/// The messages that an operation waits for.
struct Communicator::Wait {
  const Operation &operation;
  std::span<Incoming> incoming;
  bool anySize = false;
  std::vector<bool> arrived;

  std::vector<int64_t> missingRanks() const;
  /// "rank 0 waits for ranks 1, 2 in all_reduce, collective 3".
  std::string text(int64_t self) const;
};

/// An operation under way.
struct Communicator::Started {
  Operation operation;
  std::unique_ptr<Rounds> rounds;
  std::vector<Incoming> incoming; ///< of this round
  Wait wait{operation, {}, false, {}};
  bool isDone = false;
  std::string reason;      ///< why a message is wrong
  Diagnostics diagnostics; ///< of the rounds
};

/// Time in which a thread works on messages.
class Communicator::Turn {
public:
  explicit Turn(Communicator &communicator) : communicator(communicator), lock(communicator.turn) {}
  ~Turn() {
    if (communicator.needsProgress())
      communicator.hasStarted.notify_one();
  }

private:
  Communicator &communicator;
  std::unique_lock<std::mutex> lock;
};

} // namespace proa::runtime
