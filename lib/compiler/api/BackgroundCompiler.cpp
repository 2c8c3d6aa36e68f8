#include "lib/compiler/api/BackgroundCompiler.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace proa {

/// Runs of sessions come first: the lowest priority of a thread that still gets time on a busy machine.
static void lowerPriority() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19); }

BackgroundCompiler::~BackgroundCompiler() {
  {
    std::lock_guard lock(mutex);
    queue.clear();
  }
  thread.request_stop();
  if (thread.joinable())
    thread.join();
}

void BackgroundCompiler::add(Work work) {
  std::lock_guard lock(mutex);
  queue.push_back(std::move(work));
  if (!thread.joinable())
    thread = std::jthread([this](const std::stop_token &stop) { loop(stop); });
  changed.notify_all();
}

void BackgroundCompiler::finish() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return queue.empty() && !isBusy; });
}

void BackgroundCompiler::loop(const std::stop_token &stop) {
  lowerPriority();
  std::unique_lock lock(mutex);
  while (changed.wait(lock, stop, [&] { return !queue.empty(); })) {
    Work next = std::move(queue.front());
    queue.pop_front();
    isBusy = true;
    lock.unlock();
    next(stop);
    lock.lock();
    isBusy = false;
    changed.notify_all();
  }
}

} // namespace proa
