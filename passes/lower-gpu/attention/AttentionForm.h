/// pd.fused_attention and its gradients in a kernel, and how blocks compute them.
#pragma once

#include "dialects/pd/ops/nn/FusedAttention.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The attributes that `proa-choose-attention` wrote on an attention or a gradient.
struct AttentionChoice {
  enum class Kind : uint8_t {
    Fma,   ///< each thread multiplies and adds, in f32
    Mma,   ///< the warps multiply with tensor cores (`mma.sync`)
    Wgmma, ///< the warpgroups multiply what the tensor memory accelerator has copied (`wgmma`)
  };
  Kind kind = Kind::Fma;
  int64_t queries = 0, keys = 0; ///< rows of the tiles of q and out, and of k and v
  int64_t stages = 1;            ///< tiles of k and of v in shared memory at once
  bool isByKeys = false;         ///< a block owns a tile of keys and loops over the queries
  int64_t threads = 0;           ///< of a block
  int64_t storingThreads = 0;    ///< the first ones; with Wgmma a warp follows that copies

  /// Rows of the tile that a block owns, and of those that it loops over.
  int64_t rows() const { return isByKeys ? keys : queries; }
  int64_t columns() const { return isByKeys ? queries : keys; }
  /// Sets the threads of a block.
  void setThreads();

  /// Reads and checks the attributes. Emits an error where they contradict each other.
  static mlir::FailureOr<AttentionChoice> read(pd::FusedAttentionOpInterface op);
};

/// The name of a kind in the attribute, "wgmma", and back.
llvm::StringRef nameOf(AttentionChoice::Kind kind);
std::optional<AttentionChoice::Kind> attentionKindNamed(llvm::StringRef name);

/// Elements of a row in shared memory: `elements` rounded up to what an instruction reads.
int64_t paddedElements(AttentionChoice::Kind kind, int64_t elements);

/// Bytes of shared memory of a block.
int64_t sharedBytesOf(const AttentionChoice &choice, pd::FusedAttentionOpInterface op);

/// Whether the op is a gradient.
bool isGradient(pd::FusedAttentionOpInterface op);

/// Elements of a row of q and k, and of v.
int64_t headElementsOf(pd::FusedAttentionOpInterface op);
int64_t valueElementsOf(pd::FusedAttentionOpInterface op);

/// The attention or gradient of a kernel of one op; null if the kernel is another op.
pd::FusedAttentionOpInterface attentionOf(mlir::func::FuncOp kernel);

} // namespace proa
