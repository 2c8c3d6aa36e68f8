/// Times of the steps of a run.
#pragma once

#include <cstdint>
#include <string>

namespace proa {

/// The time of one step of a run: a compiled kernel or a kernel of the library.
struct StepTime {
  std::string kernel;      ///< "matmul", or "(compiled)"
  std::string ops;         ///< "matmul", "add+max+subtract"
  std::string location;    ///< "net.py:42", or empty
  int64_t calls = 0;       ///< in a run
  double milliseconds = 0; ///< of these calls together
};

} // namespace proa
