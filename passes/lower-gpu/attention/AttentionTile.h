/// Matmuls of an attention and of its gradients, as the threads of a block compute them.
#pragma once

#include "passes/lower-gpu/attention/AttentionFragments.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <memory>

namespace proa {

/// The dims of a tensor of an attention.
enum AttentionDim : unsigned { batchDim, headDim, rowDim, elementDim };

/// A tensor of an attention in memory. `dims` are the dims of the memref that are [batch, heads, rows,
/// elements]. With `blockTable`, a memref [batch, blocks of a batch], the memory is a cache of blocks of
/// rows, and the first dim counts the blocks, the others are heads, `rowsOfBlock` rows and elements.
struct AttentionTensor {
  mlir::Value memory;
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< [batch, heads, rows, elements]
  mlir::Value blockTable = {};
  int64_t rowsOfBlock = 0, blocks = 0;

  /// The indices of the memref at a batch (with `blockTable` a block), head, row and element.
  llvm::SmallVector<mlir::Value> indices(mlir::ValueRange at) const;
  int64_t elements() const { return *mlir::getConstantIntValue(sizes[3]); }
};

/// An attention or a gradient that is being lowered, and the place of its code.
struct AttentionSite {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::func::FuncOp kernel;
  AttentionTensor q, k, v, out;
  AttentionChoice choice;
  mlir::Type element;
  mlir::Value thread;
  AttentionTensor outGradient = {}; ///< of a gradient
};

/// The tensors of the rows that a block owns, or of the columns that it loops over: Q and dO, or K and V. The
/// queries of a forward kernel have no `values`.
struct AttentionSide {
  AttentionSide(const AttentionSite &site, bool isOwn)
      : areKeys(site.choice.isByKeys == isOwn), scores(areKeys ? site.k : site.q),
        values(areKeys ? site.v : site.outGradient),
        rows(isOwn ? site.choice.rows() : site.choice.columns()) {}

  bool areKeys;
  const AttentionTensor &scores, &values;
  int64_t rows; ///< of a tile

  bool hasValues() const { return bool(values.memory); }
};

/// The matmuls of the tile of rows that a block owns with the tiles of columns that it loops over. A forward
/// kernel computes S = Q K^T and O += P V, a gradient S = Q K^T, dP = dO V^T and sums of two matmuls with the
/// columns. Matmuls with Q or K are `scores`, matmuls with V or dO are `values`. Each thread holds a fragment
/// of each.
class AttentionTile : public CodeBuilder {
public:
  /// The tile that a block computes, as indices.
  struct Position {
    mlir::Value batch, head, keyHead; ///< of a tile of keys, `head` is the current head of the queries
    mlir::Value first;                ///< row that the block owns
    mlir::Value firstKey, keyEnd;     ///< the keys that are read
  };
  /// Elements that a thread holds, by rows.
  struct Fragments {
    Values scores, values;
    Values all() const;
    Fragments withValues(mlir::ValueRange all) const;
  };

  virtual ~AttentionTile() = default;

  /// The elements that each thread holds.
  AttentionFragments fragments;
  AttentionSide own, other;
  /// Elements of a row of q and k, and of v, in shared memory.
  int64_t scoreElements, valueElements;

  mlir::Value headOf(const AttentionSide &side, const Position &at) const {
    return side.areKeys ? at.keyHead : at.head;
  }

  /// Creates what all tiles of a kernel need, such as shared memory; once, at the start of the kernel.
  virtual void prepare() = 0;
  /// Code of all tiles of a block. `compute` creates the code of threads with fragments. `copy` creates the
  /// code of threads that copy, with the loops around copyOwn() and copyColumns() that are around multiply().
  virtual void assignRoles(llvm::function_ref<void()> compute, llvm::function_ref<void()> copy) = 0;
  virtual void copyOwn(const Position & /*at*/) {}
  virtual void copyColumns(const Position & /*at*/, mlir::Value /*firstColumn*/) {}

  /// In `compute`, around the uses of the tile that the block owns.
  virtual void begin(const Position &at) = 0;
  virtual void end() {}
  /// The matmuls of the rows with the columns from `firstColumn` on. In a forward kernel, tiles of columns
  /// follow each other.
  virtual Fragments multiply(const Position &at, mlir::Value firstColumn) = 0;
  /// The sums plus the matmuls of weights with the columns of multiply(); only the ones that have weights.
  virtual Fragments accumulate(const Fragments &weights, const Fragments &sums) = 0;
  /// After the last use of these columns.
  virtual void endColumns() {}

protected:
  explicit AttentionTile(const AttentionSite &site)
      : CodeBuilder(site.b, site.loc), fragments(site.b, site.loc, site.choice, site.thread),
        own(site, /*isOwn=*/true), other(site, /*isOwn=*/false),
        scoreElements(paddedElements(site.choice.kind, site.q.elements())),
        valueElements(paddedElements(site.choice.kind, site.v.elements())), site(site) {}

  const AttentionSite &site;
};

/// Fma and Mma: the threads copy the tiles.
std::unique_ptr<AttentionTile> makeStagedAttention(const AttentionSite &site);
/// 16-bit floats, by wgmma. Error: the tensor memory accelerator cannot address an operand.
mlir::FailureOr<std::unique_ptr<AttentionTile>> makeWgmmaAttention(const AttentionSite &site);
/// The kind of the choice.
mlir::FailureOr<std::unique_ptr<AttentionTile>> makeAttentionTile(const AttentionSite &site);

} // namespace proa
