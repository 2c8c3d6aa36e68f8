/// Who computes an attention that a pass forms.
#pragma once

#include "llvm/Support/CommandLine.h"

#include <cstdint>

namespace proa {

enum class AttentionTarget : uint8_t {
  Mesh, ///< devices that split its sequence
  Onnx, ///< the op Attention of ONNX
  Cpu,
  Gpu,
};

/// Whether the attention is decomposed or exported: its operands have no permutations.
inline bool isWithoutKernel(AttentionTarget target) {
  return target == AttentionTarget::Mesh || target == AttentionTarget::Onnx;
}

/// The values of an option of this type.
inline llvm::cl::ValuesClass attentionTargetValues() {
  return llvm::cl::values(clEnumValN(AttentionTarget::Mesh, "mesh", "devices that split its sequence"),
                          clEnumValN(AttentionTarget::Onnx, "onnx", "the op Attention of ONNX"),
                          clEnumValN(AttentionTarget::Cpu, "cpu", "a CPU"),
                          clEnumValN(AttentionTarget::Gpu, "gpu", "a GPU"));
}

} // namespace proa
