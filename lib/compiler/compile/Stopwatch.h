/// Times of steps of the library.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

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

/// Names and milliseconds of consecutive phases.
using PhaseTimes = std::vector<std::pair<std::string, double>>;

/// Adds the phases of its lifetime to a list.
class PhaseStopwatch {
public:
  explicit PhaseStopwatch(PhaseTimes &phases) : phases(phases) {}
  ~PhaseStopwatch() { end(); }
  PhaseStopwatch(const PhaseStopwatch &) = delete;
  PhaseStopwatch &operator=(const PhaseStopwatch &) = delete;

  /// Ends the current phase and begins another one. A phase of the same name continues.
  void begin(const std::string &name) {
    if (name == current)
      return;
    end();
    current = name;
    start = std::chrono::steady_clock::now();
  }

private:
  void end() {
    if (!current.empty())
      phases.emplace_back(
          current,
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }

  PhaseTimes &phases;
  std::string current;
  std::chrono::steady_clock::time_point start;
};

} // namespace proa
