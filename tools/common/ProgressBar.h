/// A line on a terminal that shows how far a long piece of work is.
#pragma once

#include <chrono>
#include <string>

namespace proa::tools {

/// Draws on stderr, where that is a terminal, and not before two seconds of work: short work stays silent.
class ProgressBar {
public:
  explicit ProgressBar(std::chrono::milliseconds delay = std::chrono::seconds(2));
  ~ProgressBar() { clear(); }
  /// Shows `what` and the part done in [0, 1].
  void show(const std::string &what, double part);
  /// Removes the line.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  Clock::time_point drawn;
  std::chrono::milliseconds delay;
  bool terminal;
  bool visible = false;
};

} // namespace proa::tools
