/// Names of the attributes of kernels and of their calls. Attributes of the proa dialect are in
/// dialects/proa/Proa.h.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa {

/// On a function, UnitAttr: the function is a kernel. Passes that lower kernels ignore other functions.
inline constexpr llvm::StringLiteral kernelAttribute = "proa.kernel";
/// On a function, UnitAttr: a kernel that consists of one op of pd (DeviceKernelOpInterface), which a pass
/// for the GPU lowers. Passes that lower kernels ignore it.
inline constexpr llvm::StringLiteral wholeKernelAttribute = "proa.whole_kernel";
/// On a call of a kernel, StringAttr: the ops that the kernel computes, as in "exp+sum+divide". Profiles show
/// it.
inline constexpr llvm::StringLiteral kernelLabelAttribute = "proa.label";
/// On a call of a kernel, ArrayAttr of locations: those of the kernel's ops, constants aside, in order. The
/// kernel's own ops have the locations of its first caller. Only on request (pd-form-kernels).
inline constexpr llvm::StringLiteral opLocationsAttribute = "proa.op_locations";
/// On a function on memory, UnitAttr: a kernel for the GPU whose body is the code of one thread.
/// `proa-map-to-threads` replaces it by `proa.kernel`; passes before ignore the function.
inline constexpr llvm::StringLiteral threadCodeAttribute = "proa.thread_code";
/// On a kernel of an op of pd::ThreadOpInterface, StringAttr: how blocks compute it. On such an op: overrides
/// the choice.
inline constexpr llvm::StringLiteral strategyAttribute = "proa.strategy";
/// On a kernel, UnitAttr: products of float32 numbers may be computed of operands in TF32, which have 10 bits
/// of mantissa (ModelOptions::allowsTf32).
inline constexpr llvm::StringLiteral tf32Attribute = "proa.tf32";
/// On a kernel, StringAttr: why it has no form on the GPU and runs on the host.
inline constexpr llvm::StringLiteral hostAttribute = "proa.host";

} // namespace proa
