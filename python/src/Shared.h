/// Objects of the library that several threads of Python use.
#pragma once

#include <nanobind/nanobind.h>

#include <mutex>
#include <utility>

namespace proa::python {

/// An object that several threads may use, one after the other.
template <class T> class Shared {
public:
  explicit Shared(T object) : object(std::move(object)) {}

  /// Calls `work` with the object, without Python's lock. A result of type Result must be checked in `work`.
  template <class Work> auto with(Work work) {
    nanobind::gil_scoped_release release;
    std::lock_guard lock(mutex);
    return work(object);
  }

  /// Calls `work` with two different objects.
  template <class Work> static auto withBoth(Shared &a, Shared &b, Work work) {
    nanobind::gil_scoped_release release;
    std::scoped_lock lock(a.mutex, b.mutex);
    return work(a.object, b.object);
  }

private:
  std::mutex mutex;
  T object;
};

} // namespace proa::python
