/// Code that attention and its gradients have in common.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"
#include "passes/lower-gpu/attention/KeptWeights.h"

namespace proa {

using pd::minusInfinity;

/// Creates code of one thread.
class AttentionCode : public IndexCode {
public:
  struct Operands {
    mlir::Value mask;           ///< memref, or null
    mlir::Value lengths;        ///< memref, or null
    double scale = 1, fill = 0; ///< `fill` is the score where a condition is false
    bool isCausal = false;
    KeptWeights::Dropout dropout;
  };
  /// Memrefs of the statistics of queries. Results that nothing uses are null.
  struct Statistics {
    mlir::Value maximum, sum;
  };

protected:
  using Place = AttentionTile::Place;

  AttentionCode(const AttentionSite &site, AttentionTile &tile, Operands operands)
      : IndexCode(site.b, site.loc), site(site), tile(tile), operands(operands), fragments(tile.fragments),
        dropout(site, operands.dropout, fragments, {site.q.sizes[1], site.q.sizes[2], site.k.sizes[2]}) {}

  /// Tile number `row` of the tiles that blocks own: tiles of a head, then heads, then batches.
  Place placeOf(mlir::Value row) const;
  /// Query heads that share a head of keys.
  int64_t headsOfKeys() const;
  /// Code for the rows of the thread that the tensors have. `index` is the index in the tensors.
  void forRows(const Place &at, llvm::function_ref<void(size_t row, mlir::Value index)> body);

  mlir::Value number(double value) const;
  /// 2^exponent as a weight: below 2^-126 it is zero.
  mlir::Value exp2(mlir::Value exponent) const;
  mlir::Value size(const AttentionTensor &tensor, unsigned dim) const;
  /// Whether the last tile of rows has fewer.
  static bool isUneven(const AttentionTensor &tensor, int64_t tileRows);

  /// The number of keys of a batch.
  mlir::Value limitOfKeys(mlir::Value batch) const;
  /// The number of keys that the tile of queries uses.
  mlir::Value endOfKeys(mlir::Value batch, mlir::Value firstQuery) const;
  /// With a causal mask, query m uses the keys up to this number plus m.
  mlir::Value keysBeforeQueries() const;
  /// An element of the mask, in f32, or of i1 if it is a condition. A query or key after the last one reads
  /// that.
  mlir::Value maskAt(mlir::Value batch, mlir::Value head, mlir::Value query, mlir::Value key);
  /// Whether the mask is a condition that selects scores.
  bool hasCondition() const;

  /// The columns of a thread that a row uses, relative to its first one in the tile, as i32. Null: no limit.
  struct Columns {
    mlir::Value begin, end;
  };
  /// Column `index` of the tensors in such a range; `firstColumn` is the first column of the tile.
  mlir::Value relative(mlir::Value index, mlir::Value firstColumn) const;
  /// Whether column number `column` of the thread is in the range; null if all are.
  mlir::Value isInside(const Columns &range, int64_t column) const;

  /// Stores the numbers of a thread for the row [batch, head, row] of a tensor: `adjacent` ones are adjacent,
  /// and `indexOf` gives their elements. With `mayExceed` some of these may be after the last one.
  void storeElements(const AttentionTensor &tensor, mlir::ValueRange row, mlir::ValueRange numbers,
                     int64_t adjacent, llvm::function_ref<mlir::Value(int64_t)> indexOf, bool mayExceed);
  /// The same for outputs of a row, which has `padded` elements in a tile.
  void storeRow(const AttentionTensor &tensor, mlir::Value batch, mlir::Value head, mlir::Value row,
                mlir::ValueRange numbers, int64_t padded);

  const AttentionSite &site;
  AttentionTile &tile;
  Operands operands;
  const AttentionFragments &fragments;
  KeptWeights dropout;
};

} // namespace proa
