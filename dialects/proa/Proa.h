/// The proa dialect: attributes about the compilation of a program.
#pragma once

#include "lib/base/support/CheckedNumber.h"
#include "lib/base/target/MatrixInstruction.h"
#include "lib/base/target/TargetFacts.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"

namespace proa {

llvm::hash_code hash_value(const TargetFacts &facts);

} // namespace proa

#include "dialects/proa/Dialect.h.inc"
#include "dialects/proa/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/proa/Attributes.h.inc"

namespace proa {

/// On a module, TargetAttr.
inline constexpr llvm::StringLiteral targetAttribute = "proa.target";
/// On a contraction of a kernel for the GPU, ContractionAttr.
inline constexpr llvm::StringLiteral contractionAttribute = "proa.contraction";
/// On an attention of a kernel for the GPU, AttentionAttr.
inline constexpr llvm::StringLiteral attentionAttribute = "proa.attention";
/// On a linalg op of a kernel for the GPU, LoopsAttr.
inline constexpr llvm::StringLiteral loopsAttribute = "proa.loops";
/// On a kernel for the GPU, LaunchAttr.
inline constexpr llvm::StringLiteral launchAttribute = "proa.launch";
/// On a kernel, RowsAttr.
inline constexpr llvm::StringLiteral rowsAttribute = "proa.rows";
/// On a kernel for the GPU, ScratchAttr.
inline constexpr llvm::StringLiteral scratchAttribute = "proa.scratch";
/// On a kernel, ArrayAttr of IndexCheckAttr.
inline constexpr llvm::StringLiteral indexChecksAttribute = "proa.index_checks";
/// On a kernel, ArrayAttr of DimCheckAttr.
inline constexpr llvm::StringLiteral dimChecksAttribute = "proa.dim_checks";

/// On a function, DeviceKernelAttr.
inline constexpr llvm::StringLiteral deviceKernelAttribute = "proa.device_kernel";
/// On a kernel of an op that threads compute together, or on the op, ThreadStrategyAttr.
inline constexpr llvm::StringLiteral strategyAttribute = "proa.strategy";
/// On a call of a kernel, KernelCallAttr.
inline constexpr llvm::StringLiteral kernelCallAttribute = "proa.kernel_call";
/// On a parameter of a kernel, TensorMapAttr.
inline constexpr llvm::StringLiteral tensorMapAttribute = "proa.tensor_map";

/// Size and alignment of a tensor map, in bytes.
inline constexpr int64_t tensorMapBytes = 128, tensorMapAlignment = 64;

/// A size as a constant times dynamic dims, which are named by their indices.
struct SizeFactors {
  int64_t constant = 1;
  llvm::SmallVector<unsigned> dims;

  /// Nothing if `size` is not a product of constants and symbols.
  static std::optional<SizeFactors> of(mlir::AffineExpr size);
};

/// The instruction with which the threads of a block multiply.
const MatrixInstruction &instructionOf(MatmulKind kind);
/// The kind that an option requests; nothing for MatmulStrategy::Fastest.
std::optional<MatmulKind> requestedKind(MatmulStrategy strategy);

/// The target of the module that contains `op`; defaultTarget() without an attribute.
const TargetFacts &targetOf(mlir::Operation *op);
/// Its GPU; defaultGpu() if it has none.
const GpuFacts &gpuOf(mlir::Operation *op);
/// The known GPU `name`, with the facts of the module that contains `op` if that is compiled for it.
const GpuFacts &gpuOf(mlir::Operation *op, llvm::StringRef name);

/// Sets the attribute, and loads the dialect.
void setTarget(mlir::ModuleOp module, const TargetFacts &facts);
/// Gives a new module of kernels the attribute of the module that they come from.
void copyTarget(mlir::ModuleOp from, mlir::ModuleOp to);

} // namespace proa
