/// Ctrl-C as a request to stop early and report what is done.
#pragma once

#include <csignal>

namespace proa::tools {

/// While it exists, the first SIGINT is a request to stop; the next one ends the process as usual. At most
/// one exists at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  static bool isRequested();

  /// The exit code of a process that SIGINT ended, by the convention of shells.
  static constexpr int exitCode = 128 + SIGINT;

private:
  struct sigaction before = {};
};

} // namespace proa::tools
