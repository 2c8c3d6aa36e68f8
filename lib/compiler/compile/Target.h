/// The device that a program is compiled for.
#pragma once

#include "proa/Result.h"

#include <string>

namespace proa {

enum class TargetKind : uint8_t {
  Cpu,
  Cuda,         ///< a CUDA device of this machine
  CudaEmulated, ///< kernels for the GPU, run on the CPU by lib/runtime/emulator
};

struct ProgramTarget {
  TargetKind kind = TargetKind::Cpu;
  int device = 0; ///< Cuda: its number
};

/// The first target of ModelOptions::target that this machine can run. Error: an unknown name, or no target
/// of the list can run here, with the reason of each.
Result<ProgramTarget> chooseTarget(const std::string &targets);

/// The number of the device of "cuda" without a number: 0, or the index of this process among the processes
/// that mpirun started on this machine, modulo the number of devices.
int defaultDevice();

/// Whether two of the ranks on this machine use one CUDA device, where this process runs `ranks` of them:
/// NCCL refuses such groups.
bool ranksShareDevices(int64_t ranks);

/// "cpu", "cuda", "cuda-emulated".
const char *nameOf(TargetKind target);

} // namespace proa
