#include "lib/runtime/ranks/Offload.h"

#include <algorithm>

namespace proa::runtime {

/// A fetch that was started.
struct OffloadQueue::Request {
  OffloadedVariable variable;
  std::span<std::byte> data;
  bool isRunning = false, isDone = false;
  Result<void> outcome;
};

OffloadQueue::OffloadQueue(std::shared_ptr<OffloadStore> store, std::shared_ptr<std::mutex> mutex,
                           int64_t rank)
    : kept(std::move(store)), storeMutex(std::move(mutex)), self(rank) {}

OffloadQueue::~OffloadQueue() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

Result<void> OffloadQueue::fetch(const OffloadedVariable &variable, std::span<std::byte> data) {
  std::lock_guard lock(*storeMutex);
  try {
    return kept->fetch(variable, data);
  } catch (const std::exception &error) {
    return errorAt("", error.what());
  }
}

Result<void> OffloadQueue::store(const OffloadedVariable &variable, std::span<const std::byte> data) {
  if (isSilent)
    return {};
  std::lock_guard lock(*storeMutex);
  return kept->store(variable, data);
}

Result<void> OffloadQueue::endRun(bool hasSucceeded) {
  std::lock_guard lock(*storeMutex);
  return kept->endRun(self, hasSucceeded && !isSilent);
}

std::unique_ptr<StartedWork> OffloadQueue::start(OffloadedVariable variable, std::span<std::byte> data) {
  /// Its end is awaited in the destructor too, because the memory may be used for other values then.
  class Work final : public StartedWork {
  public:
    Work(OffloadQueue &queue, std::shared_ptr<Request> request) : queue(queue), request(std::move(request)) {}
    ~Work() override {
      std::unique_lock lock(queue.mutex);
      if (!request->isRunning)
        std::erase(queue.requests, request);
      else
        queue.changed.wait(lock, [&] { return request->isDone; });
    }
    Result<void> wait() override {
      std::unique_lock lock(queue.mutex);
      queue.changed.wait(lock, [&] { return request->isDone; });
      return request->outcome;
    }

  private:
    OffloadQueue &queue;
    std::shared_ptr<Request> request;
  };
  auto request = std::make_shared<Request>();
  request->variable = std::move(variable);
  request->data = data;
  {
    std::lock_guard lock(mutex);
    requests.push_back(request);
    if (!thread.joinable())
      thread = std::thread([this] { serve(); });
  }
  changed.notify_all();
  return std::make_unique<Work>(*this, std::move(request));
}

void OffloadQueue::serve() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || !requests.empty(); });
    if (isEnding)
      return;
    std::shared_ptr<Request> request = std::move(requests.front());
    requests.pop_front();
    request->isRunning = true;
    lock.unlock();
    Result<void> outcome = fetch(request->variable, request->data);
    lock.lock();
    request->outcome = std::move(outcome);
    request->isDone = true;
    changed.notify_all();
  }
}

} // namespace proa::runtime
