#include "tools/proa-check/Pool.h"

#include "tools/common/Interrupt.h"

#include <poll.h>

#include <algorithm>
#include <list>

namespace proa::tools {
namespace {

struct Running {
  Running(size_t index, const std::string &folder, const PoolOptions &options)
      : index(index), child(options.check, folder, options.limits) {}
  size_t index;
  Child child;
};

/// Waits until a child has sent data or has reached its time limit.
void wait(const std::list<Running> &running) {
  std::vector<pollfd> descriptors;
  std::chrono::milliseconds next{60000};
  for (const Running &r : running) {
    for (int descriptor : {r.child.resultDescriptor(), r.child.outputDescriptor()})
      if (descriptor >= 0)
        descriptors.push_back({descriptor, POLLIN, 0});
    next = std::min(next, r.child.untilLimit());
  }
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max<int64_t>(next.count(), 0)));
}

} // namespace

void checkAll(const std::vector<FoundCase> &cases, const PoolOptions &options,
              const std::function<void(size_t, Outcome)> &onDone) {
  if (options.jobs == 0 || options.combine) {
    for (size_t i = 0; i < cases.size() && !Interrupt::isRequested(); ++i) {
      Outcome outcome = checkHere(options.check, cases[i].folder);
      onDone(i, options.combine ? options.combine(cases[i].folder, outcome) : std::move(outcome));
    }
    return;
  }
  std::list<Running> running;
  size_t next = 0;
  while (next < cases.size() || !running.empty()) {
    while (next < cases.size() && running.size() < static_cast<size_t>(options.jobs)) {
      running.emplace_back(next, cases[next].folder, options);
      ++next;
    }
    wait(running);
    if (Interrupt::isRequested()) {
      for (Running &r : running) {
        r.child.kill();
        (void)r.child.finish();
      }
      return;
    }
    for (auto it = running.begin(); it != running.end();) {
      bool ended = it->child.read();
      if (!ended && it->child.isOverLimit()) {
        it->child.kill();
        ended = true;
      }
      if (!ended) {
        ++it;
        continue;
      }
      onDone(it->index, it->child.finish());
      it = running.erase(it);
    }
  }
}

} // namespace proa::tools
