/// Matmuls of tiles in shared memory by the threads of a block.
#pragma once

#include "passes/lower-gpu/attention/AttentionTile.h"

namespace proa {

/// The matmuls of one tile of rows with tiles of columns. Each thread holds a fragment of the score tile and
/// a fragment of the output tile, for the same rows.
class BlockProducts : public IndexCode {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  virtual ~BlockProducts() = default;

  /// Elements that follow each row in shared memory, so that the lanes of a warp access different banks.
  int64_t pad = 0;

  /// Memory of the products, at the start of the kernel.
  virtual void prepare() {}
  /// Reads the rows x of the products that follow into registers, if they fit.
  virtual void keepRows(mlir::Value, int64_t /*elements*/) {}
  /// The scores of rows x and columns y of `elements`, by rows.
  virtual Values multiply(mlir::Value x, mlir::Value y, int64_t elements) = 0;
  /// The outputs plus the products of the weights, one for each score, with columns y of `elements`.
  virtual Values addWeighted(mlir::ValueRange weights, mlir::Value y, int64_t elements,
                             mlir::ValueRange outputs) = 0;

protected:
  BlockProducts(const AttentionSite &site, int64_t pad)
      : IndexCode(site.b, site.loc), pad(pad), site(site),
        fragments(site.b, site.loc, site.choice, site.thread) {}

  mlir::Value zero() const;

  const AttentionSite &site;
  AttentionFragments fragments;
};

/// The kind of the choice: f32, by multiplications and additions of each thread, or 16-bit floats, by
/// mma.sync.
std::unique_ptr<BlockProducts> makeFmaProducts(const AttentionSite &site);
std::unique_ptr<BlockProducts> makeMmaProducts(const AttentionSite &site);
std::unique_ptr<BlockProducts> makeProducts(const AttentionSite &site);

/// Shared memory with these dims.
mlir::Value allocateShared(const AttentionSite &site, llvm::ArrayRef<int64_t> dims, mlir::Type element);

} // namespace proa
