/// Names of the attributes of kernels and of their calls. Attributes of the proa dialect are in
/// dialects/proa/Proa.h.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa {

/// On a function, UnitAttr: the function is a kernel. Passes that lower kernels ignore other functions.
inline constexpr llvm::StringLiteral kernelAttribute = "proa.kernel";
/// On a kernel, UnitAttr: matmuls of float32 may round their operands to TF32, which has 10 bits
/// of mantissa (ModelOptions::allowsTf32).
inline constexpr llvm::StringLiteral tf32Attribute = "proa.tf32";

} // namespace proa
