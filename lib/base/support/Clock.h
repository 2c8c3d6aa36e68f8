/// Nanoseconds of std::chrono::steady_clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace proa {

inline int64_t steadyNanoseconds() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

} // namespace proa
