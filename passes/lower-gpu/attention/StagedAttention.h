/// Attention whose threads copy tiles of queries, keys and values to shared memory.
#pragma once

#include "passes/lower-gpu/attention/RowCopy.h"

namespace proa {

/// Copies the tiles; subclasses multiply them. With two stages, the next keys and values are copied while
/// these are used.
class StagedAttention : public AttentionTile {
public:
  void prepare() override;
  void tile(const Place &, llvm::function_ref<void()> compute) override { compute(); }
  void begin(const Place &place) override;
  Values scores(const Place &place, mlir::Value firstKey) override;
  Values accumulate(mlir::ValueRange weights, mlir::ValueRange outputs) override {
    return addWeighted(weights, values, outputs);
  }

protected:
  /// `pad` elements follow each row in shared memory, so that the lanes of a warp access different banks.
  StagedAttention(const AttentionSite &site, int64_t pad);

  /// Memory that only one kind needs in shared memory.
  virtual void prepareOwn() {}
  /// After the queries have arrived.
  virtual void loadQueries(mlir::Value) {}
  virtual Values multiply(mlir::Value queries, mlir::Value keys) = 0;
  virtual Values addWeighted(mlir::ValueRange weights, mlir::Value values, mlir::ValueRange outputs) = 0;

  mlir::Value allocate(llvm::ArrayRef<int64_t> dims, mlir::Type element);

  int64_t pad, headElements, valueElements; ///< of a row in shared memory

private:
  void copyKeys(const Place &place, mlir::Value firstKey);
  mlir::Value stageAt(mlir::Value firstKey);

  RowCopy queryCopy, keyCopy, valueCopy;
  mlir::Value queries, allKeys, allValues;
  mlir::Value values; ///< of the tile whose scores were computed last
};

} // namespace proa
