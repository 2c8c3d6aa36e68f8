/// The device that a program is compiled for.
#pragma once

#include "proa/Result.h"

#include <string>

namespace proa {

enum class TargetKind : uint8_t {
  Cpu,
  Cuda,         ///< the CUDA device of this machine
  CudaEmulated, ///< kernels for the GPU, run on the CPU by lib/emulator
};

/// The first target of ModelOptions::target that this machine can run. Error: an unknown name, or no target
/// of the list can run here, with the reason of each.
Result<TargetKind> chooseTarget(const std::string &targets);

/// "cpu", "cuda", "cuda-emulated".
const char *nameOf(TargetKind target);

} // namespace proa
