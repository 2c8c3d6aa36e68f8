/// How the threads of a block compute the products of an attention.
#pragma once

#include "passes/lower-gpu/IndexCode.h"
#include "passes/lower-gpu/attention/AttentionForm.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <memory>

namespace proa {

/// The dims of a tensor of an attention.
enum AttentionDim : unsigned { batchDim, headDim, rowDim, elementDim };

/// A tensor of an attention in memory. `dims` are those of the memref that are [batch, heads, rows,
/// elements]. With `blockTable`, a memref [batch, blocks of a batch], the memory is a cache of blocks of
/// rows, and the first dim is that of the blocks, the others are heads, `rowsOfBlock` rows and elements.
struct AttentionTensor {
  mlir::Value memory;
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< [batch, heads, rows, elements]
  mlir::Value blockTable = {};
  int64_t rowsOfBlock = 0, blocks = 0;

  /// The indices of the memref at a batch (with `blockTable` a block), head, row and element.
  llvm::SmallVector<mlir::Value> indices(mlir::ValueRange at) const;
  int64_t elements() const { return *mlir::getConstantIntValue(sizes[3]); }
};

/// An attention that is being lowered, and the place of its code.
struct AttentionSite {
  mlir::IRRewriter &b;
  mlir::Location loc;
  mlir::func::FuncOp kernel;
  AttentionTensor q, k, v, out;
  AttentionChoice choice;
  mlir::Type element;
  mlir::Value thread;
};

/// How lanes share the scores of four adjacent keys, the first a multiple of four (one Philox block): `count`
/// lanes (1, 2 or 4), whose ids are `stride` apart, hold 4 / count scores each, in the order of lanes.
struct LanesOfBlock {
  int64_t count = 1, stride = 1;
};

/// The products of one tile of queries with tiles of keys. Each thread has some elements of some rows of the
/// scores and of the output.
class AttentionTile : public IndexCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The tile that a block computes, as indices.
  struct Place {
    mlir::Value batch, head, keyHead, firstQuery;
    mlir::Value firstKey, keyEnd; ///< the keys that are used
  };

  virtual ~AttentionTile() = default;

  /// Rows of a thread, its scores of each of them, and its elements of each row of the output. `lanesOfRow`
  /// adjacent lanes, a power of two, share a row.
  int64_t rows = 0, scoresOfRow = 0, outputsOfRow = 0, lanesOfRow = 1;
  /// The index in the tile of a row of the thread, of a score among the keys, and of an output.
  virtual mlir::Value rowOf(int64_t row) = 0;
  virtual mlir::Value keyOf(int64_t score) = 0;
  virtual mlir::Value outputOf(int64_t output) = 0;
  /// Adjacent elements of the output that a thread has: `outputOf` of a multiple is that of the first one.
  int64_t adjacentOutputs = 1;
  LanesOfBlock lanesOfBlock;

  /// Creates what all tiles of a kernel need, such as shared memory; once, at the start of the kernel.
  virtual void prepare() {}
  /// Code of a tile. `compute` creates that of the threads which have scores; others may help.
  virtual void tile(const Place &place, llvm::function_ref<void()> compute) = 0;
  /// In `compute`, before the first keys.
  virtual void begin(const Place &place) = 0;
  /// The products of the queries with the keys from `firstKey` on, by rows. Tiles of keys follow each other.
  virtual Values scores(const Place &place, mlir::Value firstKey) = 0;
  /// The outputs plus the products of the weights, by rows, with the values of the same keys.
  virtual Values accumulate(mlir::ValueRange weights, mlir::ValueRange outputs) = 0;

protected:
  explicit AttentionTile(const AttentionSite &site) : IndexCode(site.b, site.loc), site(site) {}

  const AttentionSite &site;
};

/// Fma and Mma: the threads copy the tiles.
std::unique_ptr<AttentionTile> makeStagedAttention(const AttentionSite &site);
/// 16-bit floats, by wgmma. Error: the tensor memory accelerator cannot address an operand.
mlir::FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site);

} // namespace proa
