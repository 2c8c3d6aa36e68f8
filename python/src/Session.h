/// The class Session of the extension.
#pragma once

#include "proa/Model.h"

#include <nanobind/nanobind.h>

#include <mutex>
#include <utility>

namespace proa::python {

/// A session that several threads may use, one after the other.
class SharedSession {
public:
  explicit SharedSession(Session session) : session(std::move(session)) {}

  /// Calls `work` with the session, without Python's lock. A result of type Result must be checked in `work`.
  template <class Work> auto with(Work work) {
    nanobind::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return work(session);
  }

private:
  std::mutex mutex;
  Session session;
};

void addSession(nanobind::module_ &module);

} // namespace proa::python
