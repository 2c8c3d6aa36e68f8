#include "tools/common/ProgressBar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace proa::tools {
namespace {

constexpr int barWidth = 30;
constexpr std::chrono::milliseconds redraw{100};

} // namespace

ProgressBar::ProgressBar(std::chrono::milliseconds delay) : delay(delay), terminal(::isatty(STDERR_FILENO)) {}

void ProgressBar::show(const std::string &what, double fraction) {
  Clock::time_point now = Clock::now();
  if (!terminal || now - start < delay || (visible && fraction < 1 && now - drawn < redraw))
    return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  int filled = static_cast<int>(fraction * barWidth);
  fmt::print(stderr, "\r\x1b[K[{:#<{}}{:<{}}] {:3.0f} % {:.50}", "", filled, "", barWidth - filled,
             fraction * 100, what);
  std::fflush(stderr);
  visible = true;
  drawn = now;
}

void ProgressBar::clear() {
  if (!visible)
    return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible = false;
}

} // namespace proa::tools
