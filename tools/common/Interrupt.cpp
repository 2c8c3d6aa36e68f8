#include "tools/common/Interrupt.h"

namespace proa::tools {
namespace {

volatile std::sig_atomic_t requested = 0;

void request(int) { requested = 1; }

} // namespace

Interrupt::Interrupt() {
  struct sigaction action = {};
  action.sa_handler = request;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // system calls end with EINTR
  requested = 0;
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_handler != SIG_IGN) // a process in the background
    sigaction(SIGINT, &action, nullptr);
}

Interrupt::~Interrupt() { sigaction(SIGINT, &before, nullptr); }

bool Interrupt::isRequested() { return requested != 0; }

} // namespace proa::tools
