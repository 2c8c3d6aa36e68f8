/// Code that attention and its gradients have in common.
#pragma once

#include "passes/lower-gpu/attention/AttentionDropout.h"
#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

using pd::minusInfinity;

/// Creates code of one thread.
class AttentionCode : public CodeBuilder {
public:
  struct Operands {
    mlir::Value mask, keyMask;  ///< memrefs, or null
    mlir::Value lengths;        ///< memref, or null
    double scale = 1, fill = 0; ///< `fill` is the score where a condition is false
    double softCap = 0;         ///< 0: none
    /// The numbers of keys before and after its position that a query uses; none: all.
    std::optional<int64_t> left, right;
    AttentionDropout::Dropout dropout;
  };
  /// Memrefs of the statistics of queries. Results that nothing uses are null.
  struct Statistics {
    mlir::Value maximum, sum;
  };

protected:
  using Position = AttentionTile::Position;

  AttentionCode(const AttentionSite &site, AttentionTile &tile, Operands operands)
      : CodeBuilder(site.b, site.loc), site(site), tile(tile), operands(operands), fragments(tile.fragments),
        dropout(site, operands.dropout, fragments, {site.q.sizes[1], site.q.sizes[2], site.k.sizes[2]}) {}

  /// Tile number `row` of the tiles that blocks own: tiles of a head, then heads, then batches.
  Position tilePositionOf(mlir::Value row) const;
  /// Query heads that share a head of keys.
  int64_t headsOfKeys() const;
  /// Code for the rows of the thread that the tensors have. `index` is the index in the tensors.
  void forRows(const Position &at, llvm::function_ref<void(size_t row, mlir::Value index)> body);

  mlir::Value number(double value) const;
  /// 2^exponent as a weight: below 2^-126 it is zero.
  mlir::Value exp2(mlir::Value exponent) const;
  mlir::Value size(const AttentionTensor &tensor, unsigned dim) const;
  /// The indices in the tensors of the rows, or columns, of the thread in a tile that begins at `first`.
  Values rowsFrom(mlir::Value first) const;
  Values columnsFrom(mlir::Value first) const;
  /// Whether the last tile of rows has fewer.
  static bool isUneven(const AttentionTensor &tensor, int64_t tileRows);

  /// The number of keys of a batch.
  mlir::Value limitOfKeys(mlir::Value batch) const;
  /// The tiles of keys that a tile of queries uses begin at this key.
  mlir::Value beginOfKeys(mlir::Value firstQuery) const;
  /// The number of keys up to the last one that the tile of queries uses.
  mlir::Value endOfKeys(mlir::Value batch, mlir::Value firstQuery) const;
  /// The position of query m among the keys is m plus this number.
  mlir::Value keysBeforeQueries() const;
  /// The first key of the window of a query, which may be negative, and the first one after it.
  mlir::Value windowBegin(mlir::Value query) const { return add(positionOf(query), -*operands.left); }
  mlir::Value windowEnd(mlir::Value query) const { return add(positionOf(query), *operands.right + 1); }

  /// A score before the mask. `slope` is its derivative by the scaled product; null: 1.
  struct Score {
    mlir::Value value, slope;
  };
  /// The score of the product of a query and a key, times `unit`.
  Score scoreOf(mlir::Value product, double unit) const;
  /// Whether a mask is added to the scores, or selects them.
  bool isMasked() const { return operands.mask || operands.keyMask; }
  /// A score with the masks. `isKept` says whether all conditions keep it; null: there are none.
  struct MaskedScore {
    mlir::Value value, isKept;
  };
  MaskedScore masked(mlir::Value score, const Position &position, mlir::Value query, mlir::Value key);

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
  void storeElements(const AttentionTensor &tensor, mlir::ValueRange row, mlir::ValueRange values,
                     int64_t adjacent, llvm::function_ref<mlir::Value(int64_t)> indexOf, bool mayExceed);
  /// The same for outputs of a row, which has `padded` elements in a tile.
  void storeRow(const AttentionTensor &tensor, mlir::Value batch, mlir::Value head, mlir::Value row,
                mlir::ValueRange values, int64_t padded);

  const AttentionSite &site;
  AttentionTile &tile;
  Operands operands;
  const AttentionFragments &fragments;
  AttentionDropout dropout;

private:
  /// An element of a mask, in f32, or of i1 if it is a condition. A query or key after the last one reads
  /// that.
  mlir::Value maskAt(mlir::Value mask, const Position &position, mlir::Value query, mlir::Value key);
  mlir::Value positionOf(mlir::Value query) const { return add(query, keysBeforeQueries()); }
};

} // namespace proa
