#include "lib/compiler/api/BackgroundCompiler.h"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace proa {

BackgroundCompiler::~BackgroundCompiler() {
  if (!thread.joinable())
    return;
  thread.request_stop();
  changes.release();
  thread.join();
}

void BackgroundCompiler::add(Work work) {
  ++left;
  added.put(std::move(work));
  changes.release();
  std::call_once(hasBegun,
                 [&] { thread = std::jthread([this](const std::stop_token &stop) { loop(stop); }); });
}

void BackgroundCompiler::finish() {
  for (size_t count = left; count != 0; count = left)
    left.wait(count);
}

void BackgroundCompiler::loop(const std::stop_token &stop) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness); // of this thread only
  while (true) {
    changes.acquire();
    for (Work &next : added.take()) {
      if (stop.stop_requested())
        break;
      next(stop);
      --left;
      left.notify_all();
    }
    if (stop.stop_requested())
      return;
  }
}

} // namespace proa
