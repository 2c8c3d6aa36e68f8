/// Attention over a paged cache, whose keys several blocks share.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"
#include "passes/lower-gpu/attention/AttentionThreads.h"

namespace proa {

/// Creates the code of one thread. The rows of a tile are query heads that share a head of keys. A row of the
/// kernel is a slice of the keys of a tile: its block stores the sums of the slice, relative to its maximum,
/// and the last block of a tile combines them in the order of the slices (Flash-Decoding).
class PagedThreads : public AttentionThreads {
public:
  /// How blocks share keys. With one slice the rest is null.
  struct Slices {
    int64_t count = 1;
    AttentionTensor outputs;  ///< in f32 [tiles times slices, 1, rows of a tile, elements]
    mlir::Value maxima, sums; ///< [tiles times slices, rows of a tile]
    mlir::Value counters;     ///< of tiles
  };
  /// `code` has the operands of the op in memory; it checks the block table.
  PagedThreads(const AttentionSite &site, AttentionTile &tile, Operands operands, Slices slices,
               pd::ElementBuilder &code)
      : AttentionThreads(site, tile, operands, {}), slices(std::move(slices)), code(code) {}

  void build(mlir::Value row) override;

private:
  mlir::Value normalization(mlir::Value sum) override;
  void store(const Position &position, const State &state) override;

  void chooseSlice(Position &position, mlir::Value slice) const;
  void checkBlocks(const Position &position);
  void combine(const Position &position, mlir::Value tileIndex);
  void combineChunk(const Position &position, mlir::Value firstSlot, mlir::Value row, mlir::Value element,
                    int64_t width);
  Values overSlices(Values state, llvm::function_ref<Values(mlir::Value slice, mlir::ValueRange)> body);

  Slices slices;
  pd::ElementBuilder &code;
  mlir::Value slot; ///< of the slice at hand
};

} // namespace proa
