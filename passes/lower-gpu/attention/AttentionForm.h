/// pd.fused_attention, its gradients and pd.paged_attention in a kernel, and how blocks compute them.
#pragma once

#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/attention/PagedAttention.h"
#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The sizes and properties of an attention that a choice depends on.
struct AttentionSizes {
  mlir::Type element;
  int64_t queries = 0, keys = 0; ///< rows of q for each head of q, and of k; kDynamic where not known
  int64_t head = 0, value = 0;   ///< elements of a row of q and k, and of v
  bool isGradient = false;
  bool isByKeys = false;   ///< a block owns a tile of keys and loops over the queries
  bool isOfScores = false; ///< a block owns a tile of scores
  bool hasDropout = false;
  bool hasConditions = false; ///< queries do not use all keys, or read a mask
  bool isPaged = false;       ///< the rows of q are the query heads of a head of keys
  int64_t heads = 0;          ///< of keys, of all sequences, if `isPaged`

  static AttentionSizes of(mlir::Operation *op);
};

/// The #proa.attention of an attention or a gradient.
struct AttentionChoice {
  MatmulKind kind = MatmulKind::Fma;
  int64_t queries = 0, keys = 0; ///< rows of the tiles of q and out, and of k and v
  int64_t stages = 1;            ///< tiles of k and of v in shared memory at once
  int64_t splitKeys = 1;         ///< blocks that share the keys of a tile of queries
  bool isByKeys = false;         ///< as in AttentionSizes
  int64_t threads = 0;           ///< of a block
  int64_t storingThreads =
      0; ///< the first ones; with Wgmma a warp or a warpgroup follows, of which a thread copies

  /// Whether the threads that do not store are a warpgroup, which gives its registers to the others.
  bool exchangesRegisters() const;

  /// Rows of the tile that a block owns, and of the tiles that it loops over.
  int64_t rows() const { return isByKeys ? keys : queries; }
  int64_t columns() const { return isByKeys ? queries : keys; }
  /// Sets the threads of a block.
  void setThreads();

  /// Emits an error where the op has no complete attribute, or one that does not fit its types.
  static mlir::FailureOr<AttentionChoice> read(mlir::Operation *op);
};

/// Elements of a row in shared memory: `elements` rounded up to what an instruction reads.
int64_t paddedElements(MatmulKind kind, int64_t elements);

/// Bytes of shared memory of a block.
int64_t sharedBytesOf(const AttentionChoice &choice, const AttentionSizes &sizes);

/// The attention or gradient of a kernel of one op; null if the kernel is another op.
mlir::Operation *attentionOf(mlir::func::FuncOp kernel);

} // namespace proa
