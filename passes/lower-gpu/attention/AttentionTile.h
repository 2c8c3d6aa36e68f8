/// How the threads of a block compute the products of an attention.
#pragma once

#include "passes/lower-gpu/attention/AttentionFragments.h"

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

  /// The elements that each thread holds. Rows of the output have `outputElements`.
  AttentionFragments fragments;
  int64_t outputElements;

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
  explicit AttentionTile(const AttentionSite &site)
      : IndexCode(site.b, site.loc), fragments(site.b, site.loc, site.choice, site.thread),
        outputElements(paddedElements(site.choice.kind, site.v.elements())), site(site) {}

  const AttentionSite &site;
};

/// Fma and Mma: the threads copy the tiles.
std::unique_ptr<AttentionTile> makeStagedAttention(const AttentionSite &site);
/// 16-bit floats, by wgmma. Error: the tensor memory accelerator cannot address an operand.
mlir::FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site);

} // namespace proa
