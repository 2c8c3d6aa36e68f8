/// The kind of device that a pass prepares a program for.
#pragma once

#include "llvm/Support/CommandLine.h"

#include <cstdint>

namespace proa {

enum class DeviceKind : uint8_t {
  Any, ///< not known: programs for meshes, ONNX, and tests of formulas
  Cpu,
  Gpu,
};

/// The values of an option of this type.
inline llvm::cl::ValuesClass deviceKindValues() {
  return llvm::cl::values(clEnumValN(DeviceKind::Any, "any", "no kind of device in particular"),
                          clEnumValN(DeviceKind::Cpu, "cpu", "a CPU"),
                          clEnumValN(DeviceKind::Gpu, "gpu", "a GPU"));
}

} // namespace proa
