/// The matmuls of a gradient of attention, as the threads of a block compute them.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// Computes S = Q K^T and dP = dO V^T for one tile. A block owns a tile of queries (rows of Q and dO) or of
/// keys (rows of K and V), and loops over tiles of the other.
class GradientTile : public IndexCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  /// The tile that a block owns.
  struct Place {
    mlir::Value batch, head, keyHead; ///< if it owns keys, `head` is that of the queries at hand
    mlir::Value first, limit;         ///< its first row, and the number of keys of the batch
  };
  /// Fragments of S and of dP that a thread holds, by rows.
  struct Numbers {
    Values scores, values;
    Values all() const;
    Numbers withValues(mlir::ValueRange all) const;
  };

  virtual ~GradientTile() = default;

  /// The elements that each thread holds.
  AttentionFragments fragments;
  /// Elements of a row of q and k, and of v, in shared memory.
  int64_t scoreElements, valueElements;

  /// Creates what all tiles of a kernel need, such as shared memory; once, at the start of the kernel.
  virtual void prepare() = 0;
  /// Code of a tile. `compute` creates that of the threads which have products. `copy`, with the same loops
  /// around copyOwn() and copyColumns() as are around begin() and multiply(), that of others.
  virtual void tile(llvm::function_ref<void()> compute, llvm::function_ref<void()> copy) = 0;
  virtual void copyOwn(const Place & /*place*/) {}
  virtual void copyColumns(const Place & /*place*/, mlir::Value /*firstColumn*/) {}

  /// In `compute`, around the uses of the tile that the block owns.
  virtual void begin(const Place &place) = 0;
  virtual void end() {}
  /// The products of the rows with the columns from `firstColumn` on.
  virtual Numbers multiply(const Place &place, mlir::Value firstColumn) = 0;
  /// The sums plus the products of weights with the columns of multiply(); only those which have weights.
  virtual Numbers accumulate(const Numbers &weights, const Numbers &sums) = 0;
  /// After the last use of these columns.
  virtual void endColumns() {}

protected:
  explicit GradientTile(const AttentionSite &site)
      : IndexCode(site.b, site.loc), fragments(site.b, site.loc, site.choice, site.thread),
        scoreElements(paddedElements(site.choice.kind, site.q.elements())),
        valueElements(paddedElements(site.choice.kind, site.v.elements())), site(site) {}

  bool isByKeys() const { return site.choice.isByKeys; }

  const AttentionSite &site;
};

/// The tensors of the rows that a block owns, or of the columns.
struct GradientSide {
  GradientSide(const AttentionSite &site, const AttentionTensor &outGradient, bool isOwn)
      : areKeys(site.choice.isByKeys == isOwn), scores(areKeys ? site.k : site.q),
        values(areKeys ? site.v : outGradient), rows(isOwn ? site.choice.rows() : site.choice.columns()) {}

  bool areKeys;
  const AttentionTensor &scores, &values;
  int64_t rows; ///< of a tile

  mlir::Value headOf(const GradientTile::Place &place) const { return areKeys ? place.keyHead : place.head; }
};

/// Fma and Mma: the threads copy the tiles.
std::unique_ptr<GradientTile> makeStagedGradient(const AttentionSite &site,
                                                 const AttentionTensor &outGradient);
/// 16-bit floats, by wgmma. Error: the tensor memory accelerator cannot address an operand.
mlir::FailureOr<std::unique_ptr<GradientTile>> makeWgmmaGradient(const AttentionSite &site,
                                                                 const AttentionTensor &outGradient);
/// The kind of the choice.
mlir::FailureOr<std::unique_ptr<GradientTile>> makeGradientTile(const AttentionSite &site,
                                                                const AttentionTensor &outGradient);

} // namespace proa
