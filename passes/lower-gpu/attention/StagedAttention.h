/// Attention whose threads copy tiles of queries, keys and values to shared memory.
#pragma once

#include "passes/lower-gpu/attention/BlockProducts.h"
#include "passes/lower-gpu/attention/RowCopy.h"

namespace proa {

/// Copies the tiles, and multiplies them as the choice says. With two stages, the next keys and values are
/// copied while these are used.
class StagedAttention : public AttentionTile {
public:
  explicit StagedAttention(const AttentionSite &site);

  void prepare() override;
  void tile(const Place &, llvm::function_ref<void()> compute) override { compute(); }
  void begin(const Place &place) override;
  Values scores(const Place &place, mlir::Value firstKey) override;
  Values accumulate(mlir::ValueRange weights, mlir::ValueRange outputs) override {
    return products->addWeighted(weights, values, outputElements, outputs);
  }

private:
  std::unique_ptr<BlockProducts> products;
  int64_t headElements; ///< of a row in shared memory

  void copyKeys(const Place &place, mlir::Value firstKey);
  mlir::Value stageAt(mlir::Value firstKey);

  RowCopy queryCopy, keyCopy, valueCopy;
  mlir::Value queries, allKeys, allValues;
  mlir::Value values; ///< of the tile whose scores were computed last
};

} // namespace proa
