//! Operations that communicate while the caller works.
#include "lib/runtime/ranks/StartedOperation.h"

#include <fmt/format.h>

namespace proa::runtime {

Result<void> Communicator::start(const Operation &operation, int64_t channel,
                                 std::unique_ptr<Rounds> rounds) {
  Turn turn(*this);
  if (hasFailed())
    return failure;
  auto [entry, isNew] = started.try_emplace(channel);
  if (!isNew)
    return errorAt("", fmt::format("{} is started on channel {}, where {} is under way", operation.text,
                                   channel, entry->second->operation.text));
  entry->second = std::make_unique<Started>(operation, std::move(rounds));
  advance(*entry->second);
  if (!thread.joinable() && mayUseThread() && needsProgress())
    thread = std::thread([this] { serve(); });
  return {};
}

/// Takes the messages of an operation that have arrived, and continues as far as they allow. Returns whether
/// anything has arrived.
bool Communicator::advance(Started &operation) {
  Wait &wait = operation.wait;
  bool hasMoved = false;
  while (!operation.isDone) {
    size_t missing = wait.missingRanks().size();
    operation.reason = receive(wait);
    size_t left = wait.missingRanks().size();
    hasMoved |= left < missing;
    if (!operation.reason.empty())
      operation.isDone = true;
    else if (left > 0)
      return hasMoved;
    else if (Result<std::optional<Rounds::Round>> next = operation.rounds->next(operation.incoming); !next) {
      operation.diagnostics = next.diagnostics();
      operation.isDone = true;
    } else if (*next) {
      operation.incoming = std::move((*next)->incoming);
      wait.incoming = operation.incoming;
      wait.arrived.assign(operation.incoming.size(), false);
      postAll(operation.operation, std::move((*next)->outgoing));
    } else {
      operation.isDone = true;
    }
  }
  operation.rounds.reset();
  return true;
}

/// Moves all started operations on. Returns whether anything has arrived.
bool Communicator::progress() {
  if (started.empty() || hasFailed())
    return false;
  isFlushed();
  bool hasMoved = false;
  for (auto &[channel, operation] : started)
    if (!operation->isDone)
      hasMoved |= advance(*operation);
  return hasMoved;
}

bool Communicator::needsProgress() {
  if (hasFailed())
    return false;
  for (auto &[channel, operation] : started)
    if (!operation->isDone)
      return true;
  return thread.joinable() && !isFlushed();
}

/// The thread of started operations.
void Communicator::serve() {
  Idler idler{.isCaller = false};
  std::unique_lock lock(turn);
  while (!isEnding) {
    if (!needsProgress()) {
      hasStarted.wait(lock);
      idler.rounds = 0;
      continue;
    }
    if (progress())
      idler.rounds = 0;
    limitRest(idler);
    lock.unlock();
    idle(idler);
    lock.lock();
  }
}

void Communicator::endProgress() {
  {
    std::lock_guard lock(turn);
    isEnding = true;
  }
  hasStarted.notify_one();
  if (thread.joinable())
    thread.join();
}

} // namespace proa::runtime
