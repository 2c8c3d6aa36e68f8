/// A gradient of attention, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/attention/AttentionCode.h"

namespace proa {

/// Creates the code of one thread. A block owns a tile of queries and loops over the keys, or owns a tile of
/// keys and loops over the queries of the heads that share it: each gradient is a sum of one block, in a
/// fixed order. The weights are computed again, of the statistics of their queries. For the gradient of the
/// scores a block owns a tile of them, and loops over the batches and heads over which it is summed.
class AttentionGradient : public AttentionCode {
public:
  struct Tensors {
    Statistics statistics;
    mlir::Value delta; ///< memref
    /// The gradients by q, or by k and by v. Those without memory are not stored.
    AttentionTensor byScores, byValues;
    /// The gradient of the scores, whose memref is in order. With a batch or head of 1 it is a sum over them.
    AttentionTensor ofScores;
  };

  AttentionGradient(const AttentionSite &site, AttentionTile &tile, Operands operands, const Tensors &tensors)
      : AttentionCode(site, tile, operands), tensors(tensors) {}

  /// The code of a block that computes tile number `row`. Tiles are counted within a head, then by heads,
  /// then by batches. Of threads with fragments, and of threads that copy.
  void build(mlir::Value row);
  void copy(mlir::Value row);

private:
  using Fragments = AttentionTile::Fragments; ///< weights, or sums of a thread

  /// Fragments of a query. A weight is 2^((score - maximum) log2(e) - offset). Without a mask, which may be
  /// the least finite number, the offset has the maximum in it.
  struct Query {
    mlir::Value maximum, offset, delta;
  };
  using Body =
      llvm::function_ref<Fragments(const Position &position, mlir::Value firstColumn, const Fragments &sums)>;

  Fragments overTiles(const Position &position, const Fragments &sums, Body body);
  Fragments overHeads(Position position, const Fragments &sums, Body body);
  Fragments overColumns(const Position &position, const Fragments &sums, Body body);
  void compute(const Position &position);
  void loadQueries(const Position &position);
  Fragments step(const Position &position, mlir::Value firstColumn, const Fragments &sums);
  Fragments derivatives(const Position &position, mlir::Value firstColumn);
  struct Weight {
    mlir::Value value, isKept, slope;
  };
  Weight weight(const Position &position, mlir::Value product, const Query &statistics, mlir::Value query,
                mlir::Value key);
  Columns columnsOf(const Position &position, mlir::Value firstColumn, mlir::Value row) const;
  Query load(const Position &position, mlir::Value query) const;
  void store(const Position &position, const Fragments &sums);

  /// A tile of scores, and its first key.
  std::pair<Position, mlir::Value> positionOfScores(mlir::Value row) const;
  void computeScores(mlir::Value row);
  Fragments overExamples(const Position &position, const Fragments &sums,
                         llvm::function_ref<Fragments(const Position &position, const Fragments &sums)> body);
  void storeScores(const Position &position, mlir::Value firstColumn, const Fragments &sums);

  bool isByKeys() const { return site.choice.isByKeys; }
  Fragments loop(mlir::Value begin, mlir::Value end, mlir::Value stepSize, const Fragments &sums,
                 llvm::function_ref<Fragments(mlir::Value, const Fragments &)> body);

  const Tensors &tensors;
  llvm::SmallVector<Query> ownQueries;
};

} // namespace proa
