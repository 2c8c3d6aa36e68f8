/// The states of one rank that are outside of the program between their uses.
#pragma once

#include "lib/runtime/plan/Library.h"
#include "proa/Offload.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace proa::runtime {

/// Fetches values of a store on a thread of its own, in the order of the requests, while the caller works.
/// Several queues may share a store and its mutex.
class OffloadQueue {
public:
  OffloadQueue(std::shared_ptr<OffloadStore> store, std::shared_ptr<std::mutex> mutex, int64_t rank);
  ~OffloadQueue();

  int64_t rank() const { return self; }
  Result<void> fetch(const OffloadedVariable &variable, std::span<std::byte> data);
  /// Starts a fetch. `data` must live until the work has ended or is destroyed.
  std::unique_ptr<StartedWork> start(OffloadedVariable variable, std::span<std::byte> data);
  /// Does nothing while the queue is silent.
  Result<void> store(const OffloadedVariable &variable, std::span<const std::byte> data);
  Result<void> endRun(bool hasSucceeded);
  /// Whether stores are left out, for a run that changes no state.
  void setSilent(bool on) { isSilent = on; }

private:
  struct Request;
  void serve();

  std::shared_ptr<OffloadStore> kept;
  std::shared_ptr<std::mutex> storeMutex;
  int64_t self;
  bool isSilent = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Request>> requests;
  bool isEnding = false;
  std::thread thread; ///< from the first start on
};

} // namespace proa::runtime
