/// A progress bar on the terminal.
#pragma once

#include <chrono>
#include <string>

namespace proa::tools {

/// Draws on stderr if it is a terminal, after two seconds of work.
class ProgressBar {
public:
  explicit ProgressBar(std::chrono::milliseconds delay = std::chrono::seconds(2));
  ~ProgressBar() { clear(); }
  /// Shows the activity and the fraction done in [0, 1].
  void show(const std::string &what, double fraction);
  /// Removes the bar.
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
