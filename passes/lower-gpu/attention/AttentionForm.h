/// pd.fused_attention in a kernel, and how blocks compute it.
#pragma once

#include "dialects/pd/ops/nn/FusedAttention.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// The attributes that `proa-choose-attention` wrote on an attention.
struct AttentionChoice {
  enum class Kind : uint8_t {
    Fma,   ///< each thread multiplies and adds, in f32
    Mma,   ///< the warps multiply with tensor cores (`mma.sync`)
    Wgmma, ///< the warpgroups multiply what the tensor memory accelerator has copied (`wgmma`)
  };
  Kind kind = Kind::Fma;
  int64_t queries = 0, keys = 0; ///< rows of the tiles of q and out, and of k and v
  int64_t stages = 1;            ///< tiles of k and of v in shared memory at once
  int64_t threads = 0;           ///< of a block
  int64_t storingThreads = 0;    ///< the first ones; with Wgmma a warp follows that copies

  /// Reads and checks the attributes. Emits an error where they contradict each other.
  static mlir::FailureOr<AttentionChoice> read(pd::FusedAttentionOp op);
};

/// The name of a kind in the attribute, "wgmma", and back.
llvm::StringRef nameOf(AttentionChoice::Kind kind);
std::optional<AttentionChoice::Kind> attentionKindNamed(llvm::StringRef name);

/// Elements of a row in shared memory: `elements` rounded up to what an instruction reads.
int64_t paddedElements(AttentionChoice::Kind kind, int64_t elements);

/// Bytes of shared memory of a block.
int64_t sharedBytesOf(const AttentionChoice &choice, int64_t headElements, int64_t valueElements,
                      mlir::Type element);

/// Elements of a row of q and k, and of v.
int64_t headElementsOf(pd::FusedAttentionOp op);
int64_t valueElementsOf(pd::FusedAttentionOp op);

/// The attention of a kernel of one op; null if the kernel is another op.
pd::FusedAttentionOp attentionOf(mlir::func::FuncOp kernel);

} // namespace proa
