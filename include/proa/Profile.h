/// Profile of a run.
#pragma once

#include <cstdint>
#include <string>

namespace proa {

/// Time of one step of a run: a compiled kernel or a library kernel.
struct StepTime {
  std::string kernel; ///< name of the library kernel, "(compiled)", "(device)", or "(NAME)" of CUDA's library
  std::string ops;    ///< ops of the step: "matmul", "add+max+subtract"
  std::string variable; ///< the name of its first named result; may be empty
  /// Types of operands and results, with the dims of the last call: "float32[2, 3], float32[3, 4] ->
  /// float32[2, 4]".
  std::string types;
  std::string location;    ///< the user's line, "net.py:42"; may be empty
  int64_t calls = 0;       ///< calls in one run
  double milliseconds = 0; ///< total time of these calls
  double bytes = 0;        ///< bytes of operands and results in these calls; 0: not known
  double flops = 0;        ///< arithmetic operations in these calls; 0: not known
  /// max(bytes / bandwidth, flops / peak) / time, with the peaks of the device or the CPU; above 1 where
  /// operands are in a cache of the CPU; 0: not known.
  double roofline = 0;
};

} // namespace proa
