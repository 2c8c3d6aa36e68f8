/// A gradient of attention, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/attention/AttentionCode.h"
#include "passes/lower-gpu/attention/BlockProducts.h"
#include "passes/lower-gpu/attention/RowCopy.h"

namespace proa {

/// Creates the code of one thread. A block owns a tile of queries and loops over the keys, or owns a tile of
/// keys and loops over the queries of the heads that share it: each gradient is a sum of one block, in a
/// fixed order. The weights are computed again, of the statistics of their queries.
class AttentionGradient : public AttentionCode {
public:
  struct Tensors {
    AttentionTensor outGradient;
    Statistics statistics;
    mlir::Value delta; ///< memref
    /// The gradients by q, or by k and by v. Those without memory are not stored.
    AttentionTensor scoreGradient, valueGradient;
  };

  AttentionGradient(const AttentionSite &site, Operands operands, Tensors tensors)
      : AttentionGradient(site, operands, std::move(tensors), makeProducts(site)) {}

  /// Creates shared memory; once, at the start of the kernel.
  void prepare();
  /// The code of a block that computes tile number `row`: those of a head, then heads, then batches.
  void build(mlir::Value row);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// Tiles of q and of the gradient of the result, or of k and of v.
  struct Side {
    Side(const AttentionSite &site, const AttentionTensor &scores, const AttentionTensor &values,
         int64_t rows, int64_t scoreElements, int64_t valueElements)
        : tensor(scores), rows(rows), scoreCopy(site, scores, rows, scoreElements),
          valueCopy(site, values, rows, valueElements) {}

    const AttentionTensor &tensor;
    int64_t rows;
    RowCopy scoreCopy, valueCopy;
    mlir::Value scores, values; ///< shared memory
  };
  /// The tile that a block owns.
  struct Place {
    mlir::Value batch, head, keyHead; ///< with keys, `head` is that of the queries at hand
    mlir::Value first, limit;         ///< its first row, and the number of keys of the batch
  };
  /// Numbers of a query. A weight is 2^((score - maximum) log2(e) - offset). Without a mask, which may be
  /// the least finite number, the offset has the maximum in it.
  struct Query {
    mlir::Value maximum, offset, delta;
  };
  /// The sums of a thread.
  struct State {
    Values scores, values;
    Values all() const;
    State withValues(mlir::ValueRange all) const;
  };

  AttentionGradient(const AttentionSite &site, Operands operands, Tensors tensors,
                    std::unique_ptr<BlockProducts> products);

  Place placeOf(mlir::Value row) const;
  void copy(Side &side, const Place &place, mlir::Value first);
  State overHeads(Place place, State state);
  State overColumns(const Place &place, State state);
  State step(const Place &place, mlir::Value firstColumn, const State &state);
  mlir::Value weight(const Place &place, mlir::Value product, const Query &statistics, mlir::Value query,
                     mlir::Value key);
  mlir::Value isUsed(const Place &place, mlir::Value query, mlir::Value key);
  Values indices(mlir::Value first, int64_t count, bool areRows);
  Query load(const Place &place, mlir::Value query) const;
  void store(const Place &place, const State &state);

  bool isByKeys() const { return site.choice.isByKeys; }
  State loop(mlir::Value begin, mlir::Value end, mlir::Value stepSize, const State &state,
             llvm::function_ref<State(mlir::Value, const State &)> body);

  Tensors tensors;
  std::unique_ptr<BlockProducts> products;
  int64_t scoreElements, valueElements; ///< of a row in shared memory
  Side own, other;
  llvm::SmallVector<Query> ownQueries;
};

} // namespace proa
