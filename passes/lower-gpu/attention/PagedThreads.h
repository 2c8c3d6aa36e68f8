/// Attention over a paged cache, whose keys several blocks share.
#pragma once

#include "dialects/pd/builders/ElementBuilder.h"
#include "passes/lower-gpu/attention/AttentionThreads.h"

namespace proa {

/// Creates the code of one thread. The rows of a tile are query heads that share a head of keys. A row of the
/// kernel is a part of the keys of a tile: its block stores the sums of the part, relative to its maximum,
/// and the last block of a tile combines them in the order of the parts (Flash-Decoding).
class PagedThreads : public AttentionThreads {
public:
  /// How blocks share keys. With one part the rest is null.
  struct Parts {
    int64_t count = 1;
    AttentionTensor outputs;  ///< in f32 [tiles times parts, 1, rows of a tile, elements]
    mlir::Value maxima, sums; ///< [tiles times parts, rows of a tile]
    mlir::Value counters;     ///< of tiles
  };
  /// `code` has the operands of the op in memory; it checks the block table.
  PagedThreads(const AttentionSite &site, AttentionTile &tile, Operands operands, Parts parts,
               pd::ElementBuilder &code)
      : AttentionThreads(site, tile, operands, {}), parts(std::move(parts)), code(code) {}

  void build(mlir::Value row) override;

private:
  mlir::Value normalization(mlir::Value sum) override;
  void store(const Place &place, const State &state) override;

  void choosePart(Place &place, mlir::Value part) const;
  void checkBlocks(const Place &place);
  void combine(const Place &place, mlir::Value tileNumber);
  void combineChunk(const Place &place, mlir::Value firstSlot, mlir::Value row, mlir::Value element,
                    int64_t width);
  Values overParts(Values state, llvm::function_ref<Values(mlir::Value part, mlir::ValueRange)> body);
  mlir::Value baseOf(mlir::Value maximum);

  Parts parts;
  pd::ElementBuilder &code;
  mlir::Value slot; ///< of the part at hand
};

} // namespace proa
