/// Runs that only measure.
#pragma once

namespace proa::runtime {

/// While one lives, the op print shows nothing in the runs of this thread.
class Silence {
public:
  Silence() { ++depth; }
  ~Silence() { --depth; }
  Silence(const Silence &) = delete;
  Silence &operator=(const Silence &) = delete;
  static bool isOn() { return depth > 0; }

private:
  static inline thread_local int depth = 0;
};

} // namespace proa::runtime
