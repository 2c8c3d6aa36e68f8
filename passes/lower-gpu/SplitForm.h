/// Kernels whose reductions several blocks can share.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa {

/// The loops of one linalg op that run over the split dimension; most ops have one or none.
struct SplitOp {
  mlir::linalg::LinalgOp op;
  std::optional<unsigned> loop; ///< over the split dimension
  bool isReduced = false;       ///< `loop` is a reduction: blocks share it
};

/// The ops of a row in two phases. In the first one each block computes a slice of the split dimension,
/// ending with partial results of the reductions. The last block of a row combines these and computes the
/// second phase.
struct ReductionSplit {
  mlir::scf::ForOp rows; ///< null: the kernel has one row
  llvm::SmallVector<SplitOp> first;
  /// Ops that read the results of the reductions, or write what these start with. The reductions of `first`
  /// are in the list too, where they combine the slices.
  llvm::SmallVector<mlir::linalg::LinalgOp> second;
  int64_t size = 0;         ///< of the split dimension, or kDynamic
  double elementsOfRow = 0; ///< loop iterations of a row in the first phase; `assumed_dim` if unknown
  /// Slices of a multiple of this number of elements keep accesses of 16 bytes, and whole tiles of a
  /// contraction.
  int64_t unit = 32;

  /// The split of `function`, a kernel on memory. Null, with the reason in `obstacle`, if blocks cannot share
  /// its reductions.
  static std::optional<ReductionSplit> find(mlir::func::FuncOp function, const char *&obstacle);

  /// The block with the ops of a row.
  mlir::Block &body(mlir::func::FuncOp function) const;
};

/// The elements of each of `slices` slices of a static dimension but the last one: a multiple of `unit`,
/// unless slices would be empty.
int64_t elementsOfSlice(const ReductionSplit &split, int64_t slices);

/// The number of blocks that share the reductions of a row: `split_k` of contractions, else `row_blocks`
/// of the launch. Nothing: not chosen. Error: contractions have different numbers.
mlir::FailureOr<std::optional<int64_t>> sharingBlocksOf(mlir::func::FuncOp kernel);
/// Sets that number.
void setSharingBlocks(mlir::func::FuncOp kernel, const ReductionSplit &split, int64_t blocks);

} // namespace proa
