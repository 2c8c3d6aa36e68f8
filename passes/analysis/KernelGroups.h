/// Groups of primitives that one kernel computes. pd-form-kernels writes the kernels; pd-rematerialize
/// estimates by the groups which values get memory.
#pragma once

#include "dialects/pd/ir/Pd.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"

#include <memory>

namespace proa {

/// Where kernels run. On the GPU they also compute matmuls and ops of ElementOpInterface, which
/// are library ops on the CPU.
enum class KernelTarget : uint8_t {
  Cpu,
  Gpu,
  GpuWithBlas, ///< matmuls with many multiply-adds stay library ops, as the GPU has a library for them
};

/// The values of an option of this type.
inline llvm::cl::ValuesClass kernelTargetValues() {
  return llvm::cl::values(
      clEnumValN(KernelTarget::Cpu, "cpu", "a CPU"), clEnumValN(KernelTarget::Gpu, "gpu", "a GPU"),
      clEnumValN(KernelTarget::GpuWithBlas, "gpu-blas", "a GPU with a library for large matmuls"));
}

/// Largest group: code size grows with the members, and registers are few.
inline constexpr size_t maxGroupMembers = 64;

/// Ops of one block that are computed by one loop nest over rows.
struct KernelGroup {
  /// In program order.
  llvm::SmallVector<mlir::Operation *> members;
  /// The shape of the widest values.
  llvm::SmallVector<int64_t> domain;
  /// The dimensions that the group's reductions combine, ascending; empty without reductions. On the CPU they
  /// are the last ones.
  llvm::SmallVector<int64_t> reducedDims;
  /// Members of the shape `domain` that depend on a reduction of the group.
  llvm::DenseSet<mlir::Operation *> afterReduction;
  /// A member is a matmul. Then no member is a reduction.
  bool hasContraction = false;
  /// The only member is an op of pd::ThreadOpInterface.
  bool hasThreadCode = false;
  /// No op may join: an op outside of the group uses a result, so the group cannot be computed later.
  bool closed = false;
  /// Why the first member did not join the group of an operand; null if no operand is of a group.
  const char *startReason = nullptr;
};

/// Why no kernel can compute the op; null if a kernel can.
const char *whyNoKernelOp(mlir::Operation *op, KernelTarget target = KernelTarget::Cpu);

/// Estimates of a matmul that a kernel or a library of a GPU can compute, in nanoseconds. The smaller one
/// decides.
struct LibraryEstimate {
  /// Time of a kernel beyond the library's: the multiplications, without tensor cores. A kernel that converts
  /// operands of 16 bits is assumed to need twice the time of the library, at the rate of mma.sync.
  double kernel;
  /// Time of the library beyond its multiplications: its call, and kernels that convert operands; a
  /// generated kernel converts operands while it reads them.
  double library;
};

/// Empty where only one side can compute the op: it is not a matmul, the target has no library, or a kernel
/// or the library refuses it.
std::optional<LibraryEstimate> estimateLibrary(mlir::Operation *op, KernelTarget target);

/// Whether kernels for `target` compute the op and it is a matmul (ContractionOpInterface). This
/// function chooses between kernels and library ops.
bool isContractionOfKernels(mlir::Operation *op, KernelTarget target);

/// A constant of one element, which kernels hold in their code.
bool isInlineConstant(mlir::Value value);

/// The groups of a block, in the order of their last members. Linear in the number of operands.
llvm::SmallVector<std::unique_ptr<KernelGroup>> findKernelGroups(mlir::Block &block,
                                                                 KernelTarget target = KernelTarget::Cpu);

} // namespace proa
