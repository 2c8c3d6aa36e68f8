/// Attention, distributed over the threads of a block.
#pragma once

#include "passes/lower-gpu/attention/AttentionCode.h"

namespace proa {

/// Creates the code of one thread: for each tile of queries, a loop over tiles of keys that keeps the maximum
/// and the sum of each row, and rescales the outputs when the maximum grows (online softmax).
class AttentionThreads : public AttentionCode {
public:
  AttentionThreads(const AttentionSite &site, AttentionTile &tile, Operands operands, Statistics results)
      : AttentionCode(site, tile, operands), results(results) {}

  virtual ~AttentionThreads() = default;

  /// The code of a block that computes tile number `row`. Tiles are counted over the queries of a head, then
  /// over heads, then batches. Of threads with fragments, and of threads that copy.
  virtual void build(mlir::Value row);
  void copy(mlir::Value row);

protected:
  /// The values that a thread keeps of its rows.
  struct State {
    Values maxima, sums, outputs;
    Values all() const;
    static State of(mlir::ValueRange all, size_t rows);
  };

  Position tilePositionOf(mlir::Value row) const;
  void computeTile(const Position &position);
  /// The factor of a row of outputs, of the sum of its weights.
  virtual mlir::Value normalization(mlir::Value sum);
  virtual void store(const Position &position, const State &state);
  Values wholeSums(const State &state) const;
  mlir::Value acrossLanes(mlir::Value value, bool isMaximum) const;
  mlir::Value baseOf(mlir::Value maximum) const;
  /// Whether the thread is the first one of those that share rows.
  mlir::Value isFirstOfRow() const;
  size_t rows() const { return static_cast<size_t>(fragments.rows()); }
  /// Outputs of a row of the thread.
  size_t outputsOfRow() const { return static_cast<size_t>(fragments.outputsOfRow(tile.valueElements)); }
  /// The outputs of a row of the thread.
  mlir::ValueRange outputsOf(const State &state, size_t row) const;

private:
  mlir::Value endOfFreeKeys(const Position &position) const;
  void compute(const Position &position);
  State overKeys(const Position &position, mlir::Value begin, mlir::Value end, State state,
                 bool isRestricted);
  State step(const Position &position, mlir::Value firstKey, const State &state, bool isRestricted);
  Values scaledScores(const Position &position, mlir::Value firstKey, bool isRestricted);
  Columns keysOf(const Position &position, mlir::Value firstKey, mlir::Value query) const;
  mlir::Value maximumOf(mlir::ValueRange values) const;
  void storeStatistics(const Position &position, mlir::Value query, mlir::Value maximum, mlir::Value sum);

  Statistics results;
};

} // namespace proa
