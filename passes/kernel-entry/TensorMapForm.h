/// Parameters of kernels that describe tensors to the tensor memory accelerator.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace proa {

/// On a parameter of a kernel, DictionaryAttr: the parameter is a tensor map (CUtensorMap), which the launch
/// makes of a buffer. Tensor maps are the last parameters, after the range of rows.
inline constexpr llvm::StringLiteral tensorMapAttribute = "proa.tensor_map";

/// Size and alignment of a tensor map, in bytes.
inline constexpr int64_t tensorMapBytes = 128, tensorMapAlignment = 64;

/// How the launch makes a tensor map: of a buffer with a contiguous tensor in it, and the box that one copy
/// reads.
struct TensorMapForm {
  int64_t buffer = 0;             ///< number among the buffers of the kernel
  int64_t elementBytes = 0;       ///< 1, 2, 4 or 8
  mlir::AffineMap sizes;          ///< from the dynamic dims of the kernel (symbols) to the dims of the tensor
  llvm::SmallVector<int64_t> box; ///< of each dim; its last one is contiguous
  int64_t swizzle = 0;            ///< bytes of the pattern in shared memory: 0, 32, 64 or 128

  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  /// Emits an error at `op` if the attribute is not one of toAttribute().
  static mlir::FailureOr<TensorMapForm> read(mlir::Attribute attribute, mlir::Operation *op);

  bool operator==(const TensorMapForm &) const = default;
};

/// A size as a constant times dynamic dims, which are named by their numbers.
struct SizeFactors {
  int64_t constant = 1;
  llvm::SmallVector<unsigned> dims;

  /// Nothing if `size` is not a product of constants and symbols.
  static std::optional<SizeFactors> of(mlir::AffineExpr size);
};

} // namespace proa
