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

  /// The number of rows of a thread, and of its scores in each row. `lanesOfRow` adjacent lanes, a power of
  /// two, share a row. `pad` elements follow each row in shared memory, so that the lanes of a warp access
  /// different banks.
  int64_t rows = 0, scoresOfRow = 0, lanesOfRow = 1, pad = 0;
  int64_t adjacentScores = 1; ///< scores of a thread with adjacent columns
  /// For four adjacent columns of a row or, if a block owns keys, four adjacent rows of a column.
  LanesOfBlock lanesOfBlock;
  /// The index in its tile of a row of the thread, and of the column of a score.
  virtual mlir::Value rowOf(int64_t row) = 0;
  virtual mlir::Value columnOf(int64_t score) = 0;

  /// Outputs of a thread in each of its rows, which have `elements`; how many of them are adjacent; and the
  /// index of one.
  int64_t outputsOfRow(int64_t elements) const { return elements / lanesOfRow; }
  virtual int64_t adjacentOutputs(int64_t elements) const = 0;
  virtual mlir::Value outputOf(int64_t output, int64_t elements) = 0;

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
  explicit BlockProducts(const AttentionSite &site) : IndexCode(site.b, site.loc), site(site) {}

  mlir::Value zero() const;

  const AttentionSite &site;
};

/// The kind of the choice: f32, by multiplications and additions of each thread, or 16-bit floats, by
/// mma.sync.
std::unique_ptr<BlockProducts> makeFmaProducts(const AttentionSite &site);
std::unique_ptr<BlockProducts> makeMmaProducts(const AttentionSite &site);
std::unique_ptr<BlockProducts> makeProducts(const AttentionSite &site);

/// Shared memory with these dims.
mlir::Value allocateShared(const AttentionSite &site, llvm::ArrayRef<int64_t> dims, mlir::Type element);

} // namespace proa
