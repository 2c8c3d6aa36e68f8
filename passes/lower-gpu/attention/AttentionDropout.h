/// Dropout of the weights of a thread, sampled in the loop over tiles instead of stored.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"

#include <array>

namespace proa {

/// Creates code that computes which scores of a thread are kept: scores whose random number of
/// pd.uniform is at least p. Four scores of a query, whose keys begin at a multiple of four, have the words
/// of one block of Philox. The lanes that have these scores compute the blocks in turn and exchange the
/// results.
class AttentionDropout : public CodeBuilder {
public:
  struct Dropout {
    mlir::Value call; ///< memref of the key and the number of the execution, or null: none
    double p = 0;
    double factor = 1; ///< of weights that are kept
    /// Of weights of a shard: a memref with the index where they begin, and the heads and queries of the
    /// whole. Null: they are whole.
    mlir::Value begin;
    int64_t wholeHeads = 0, wholeQueries = 0;
  };
  /// The dims of the scores.
  struct Sizes {
    mlir::OpFoldResult heads, queries, keys;
  };

  AttentionDropout(const AttentionSite &site, Dropout dropout, const AttentionFragments &fragments,
                   Sizes sizes)
      : CodeBuilder(site.b, site.loc), dropout(dropout), rows(fragments.rows()), columns(fragments.columns()),
        lanes(fragments.lanesOfFourKeys()), isByKeys(site.choice.isByKeys), sizes(sizes),
        thread(site.thread) {}

  explicit operator bool() const { return bool(dropout.call); }
  double factor() const { return dropout.factor; }

  /// Whether each score of the thread is kept, as i1, by rows. `queries` and `keys` are the indices for the
  /// rows and columns, or for the columns and rows. All lanes of the warp must take part.
  llvm::SmallVector<mlir::Value> kept(mlir::Value batch, mlir::Value head, mlir::ValueRange queries,
                                      mlir::ValueRange keys);
  /// A value where it is kept, and zero elsewhere.
  mlir::Value keep(mlir::Value isKept, mlir::Value value) const;

private:
  /// A score of the thread: the index of its query among the queries of all heads and batches, and its key.
  struct Score {
    mlir::Value query, key;
  };

  /// An index of dim `dim` of the scores, as one of the whole.
  mlir::Value inWhole(mlir::Value index, int64_t dim) const;
  Values inBlocks(llvm::ArrayRef<Score> own) const;
  Values eachAlone(llvm::ArrayRef<Score> own) const;
  /// The bits of all lanes that share blocks, by lane and then by 32 bits.
  llvm::SmallVector<Values> exchange(mlir::ValueRange bits, mlir::Value rank) const;
  mlir::Value isWordKept(mlir::Value word) const;
  std::array<mlir::Value, 4> wordsOf(mlir::Value block) const;
  mlir::Value word(uint64_t value) const;
  mlir::Value asWord(mlir::Value index) const;

  /// Words of a block that a lane uses, and the distance of their scores.
  int64_t wordsOfLane() const { return wordsOfBlock / lanes.count; }
  int64_t scoreStep() const { return isByKeys ? columns : 1; }

  static constexpr int64_t wordsOfBlock = 4;

  Dropout dropout;
  int64_t rows, columns; ///< of the scores of a thread; rows are keys if `isByKeys`
  AdjacentLanes lanes;   ///< of four keys
  bool isByKeys;
  Sizes sizes;
  mlir::Value thread;
  mlir::Value key, call; ///< of the tile at hand
};

} // namespace proa
