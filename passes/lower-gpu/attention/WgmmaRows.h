/// Tiles of rows of an attention's tensors that the tensor memory accelerator copies and wgmma multiplies.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/lower-gpu/hopper/WgmmaCode.h"

namespace proa {

/// A tile of rows. In shared memory a line of 128 bytes, swizzled, has 64 elements of a row; blocks of lines
/// of all rows follow each other.
struct WgmmaRows {
  AttentionTensor tensor;
  int64_t rows = 0, elements = 0; ///< of the tile; `elements` is a multiple of 64
  TensorView view;
  mlir::Value map; ///< a parameter of the kernel

  /// Error, naming the tensor: the accelerator cannot address it.
  static mlir::FailureOr<WgmmaRows> of(const AttentionSite &site, const AttentionTensor &tensor, int64_t rows,
                                       llvm::StringRef name);

  int64_t bytes() const { return rows * elements * 2; }
};

/// Code of one thread. A warpgroup has 64 rows of a tile.
class WgmmaRowsCode : public IndexCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  WgmmaRowsCode(const AttentionSite &site, const AttentionFragments &fragments)
      : IndexCode(site.b, site.loc), site(site), code(b, loc), wgmma(b, loc, {site.element, site.element}),
        fragments(fragments) {}

  /// The address of shared memory for tiles.
  mlir::Value allocate(int64_t bytes) const;
  /// Initializes the barriers of rings, as one thread of the block, and waits for that.
  void initRings(llvm::ArrayRef<const Ring *> rings, llvm::ArrayRef<const WgmmaRows *> tiles) const;
  void addMap(WgmmaRows &tile) const;
  /// Copies the rows from `place`, a batch, head and row, on.
  void copy(const WgmmaRows &tile, mlir::ValueRange place, mlir::Value target, mlir::Value barrier) const;
  /// Code of a tile: `compute` that of the warps which have rows, `copy` that of one more thread.
  void assignRoles(llvm::function_ref<void()> compute, llvm::function_ref<void()> copy) const;
  /// Frees a stage as one of the readers; one lane of each warp does.
  void release(const Ring &ring, const Ring::Position &at) const;

  /// The sums of products of the rows of the warpgroup with each row of y.
  mlir::Value multiply(const WgmmaRows &x, mlir::Value xAddress, const WgmmaRows &y,
                       mlir::Value yAddress) const;
  /// `sums` of a row of elements plus the products of weights, one for each row of y.
  mlir::Value addWeighted(llvm::ArrayRef<Values> weights, const WgmmaRows &y, mlir::Value yAddress,
                          mlir::Value sums) const;
  /// Weights [row][column] as the operands of addWeighted().
  llvm::SmallVector<Values> operandsOf(mlir::ValueRange weights, int64_t columns) const;

  const AttentionSite &site;
  HopperCode code;
  WgmmaCode wgmma;
  const AttentionFragments &fragments;
};

} // namespace proa
