/// Sums of products of two operands, and how a block of threads computes a tile of one.
#pragma once

#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {

/// The loops of `out[batch, m, n] += x[batch, m, k] * y[batch, k, n]`, where any operand may be stored in
/// another order of its dims, and x or y may lack dims of the batch.
struct ContractionForm {
  unsigned m = 0, n = 0, k = 0;
  llvm::SmallVector<unsigned> batch;

  /// Nothing if the op is not a contraction with one loop of each kind, or if its body does anything else
  /// than convert two elements, multiply them and add the product.
  static std::optional<ContractionForm> of(mlir::linalg::LinalgOp op);
};

/// The element types of a product on tensor cores. The only place that says which products they compute.
struct TensorCoreTypes {
  /// Of the operands in memory: f16, bf16, f32 (rounded to TF32), i8, or a format of 8-bit floats each. Other
  /// types hold for both operands.
  mlir::Type element, yType;
  bool isXUnsigned = false, isYUnsigned = false; ///< of i8

  /// f32, and i32 for i8, which wraps as arith.addi does.
  mlir::Type sum() const;
  /// The types of x and y as the instruction names them.
  MatrixElement xElement() const;
  MatrixElement yElement() const;

  /// Nothing if tensor cores do not compute the op: the body multiplies f16, bf16, 8-bit floats, or f32 where
  /// `allowsTf32`, and adds in f32, or it extends i8 to i32 and adds in i32.
  static std::optional<TensorCoreTypes> of(mlir::linalg::LinalgOp op, bool allowsTf32);
};

/// The #proa.contraction of an op, by the loops of its form.
struct ContractionChoice {
  MatmulKind kind = MatmulKind::Fma;
  int64_t m = 0, n = 0, k = 0;  ///< the tile of a block; k is the range that is in shared memory at once
  int64_t warpM = 0, warpN = 0; ///< of a thread, of a warp (Mma), or of a warpgroup (Wgmma)
  int64_t stages = 1;           ///< k tiles in shared memory
  int64_t threads = 0;          ///< of a block
  int64_t storingThreads = 0;   ///< the first ones, which hold sums; with Wgmma a copying warp follows

  /// Emits an error where the op has no complete attribute, or one that does not fit its types and loops.
  static mlir::FailureOr<ContractionChoice> read(mlir::linalg::LinalgOp op);
};

/// Why the tensor memory accelerator cannot copy tiles of an operand to shared memory for wgmma; empty if it
/// can.
std::string whyNotForTma(mlir::linalg::LinalgOp op, mlir::OpOperand &operand, unsigned outerLoop,
                         unsigned kLoop);

/// Whether the code of a contraction contains the op, for an operand or for the result.
bool isFusedWith(mlir::Operation *op, FusedWith role);
/// The #proa.contraction of an op; null if `proa-choose-contraction` has not chosen how to compute it.
ContractionAttr contractionOf(mlir::Operation *op);

/// Changes the attribute of a contraction with wgmma so that mma computes the same tile.
void useMmaInstead(mlir::linalg::LinalgOp op, const ContractionForm &form);

/// The op that reads the result of `contraction` element by element in registers, or null.
mlir::linalg::LinalgOp epilogueOf(mlir::linalg::LinalgOp contraction);

} // namespace proa
