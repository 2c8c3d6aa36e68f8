/// Times of parts of the library.
#pragma once

#include <chrono>

namespace proa {

/// Adds its lifetime in milliseconds to a counter.
class Stopwatch {
public:
  explicit Stopwatch(double &milliseconds)
      : milliseconds(milliseconds), begin(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    milliseconds +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point begin;
};

} // namespace proa
