// How blocks compute an attention, written into the IR: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Strategies.h"
#include "passes/lower-gpu/attention/AttentionForm.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/remarks/Remarks.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHOOSEATTENTION
#include "passes/lower-gpu/Passes.h.inc"

namespace {

int64_t assumed(int64_t size, const GpuFacts &gpu) {
  return ShapedType::isDynamic(size) ? gpu.assumedDim : size;
}

/// Why the tensor memory accelerator cannot read the operands; empty if it can.
std::string whyNoWgmma(pd::FusedAttentionOpInterface op) {
  SmallVector<std::pair<Value, const char *>> tensors{
      {op.getQ(), "q"}, {op.getK(), "k"}, {op.getV(), "v"}, {op.getOutGrad(), "out_grad"}};
  for (auto [tensor, name] : tensors) {
    if (!tensor)
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    if (std::string reason = whyNotAddressable(type.getShape(), type.getElementType()); !reason.empty())
      return std::string("wgmma cannot read ") + name + ": " + reason;
  }
  return "";
}

struct ChooseAttention : impl::ChooseAttentionBase<ChooseAttention> {
  using ChooseAttentionBase::ChooseAttentionBase;

  /// The largest tiles that fit the shared memory and the registers.
  static AttentionChoice tileOf(const AttentionSizes &sizes, MatmulKind kind, const GpuFacts &gpu) {
    int64_t padded = std::max(paddedElements(kind, sizes.head), paddedElements(kind, sizes.value));
    if (sizes.isGradient)
      return gradientTileOf(sizes, kind, padded, gpu);
    AttentionChoice choice;
    choice.kind = kind;
    bool isWgmma = kind == MatmulKind::Wgmma, isLong = padded > 128;
    int64_t queries = assumed(sizes.queries, gpu), unit = isWgmma ? wgmmaInstruction.rows : 16;
    choice.queries = isWgmma && !isLong ? 128 : 64;
    while (choice.queries > unit && choice.queries / 2 >= queries)
      choice.queries /= 2;
    // Outputs and scores of a thread share its registers: 232 with two warpgroups, which have the registers
    // of the warpgroup that copies. Rows of more than 128 elements leave room for one warpgroup only.
    choice.keys = (isWgmma ? 128 : 64) / (isLong ? 2 : 1);
    if (sizes.hasDropout) // the random words of the scores need registers too
      choice.keys /= kind == MatmulKind::Mma || (isWgmma && padded > 64) ? 4 : 2;
    choice.stages = isWgmma ? 4 : kind == MatmulKind::Mma ? 2 : 1;
    if (sizes.isPaged) { // addresses need registers too, and copies take most of the time
      choice.keys /= 2;
      choice.stages = 2;
    }
    fitShared(choice, choice.keys, sizes, gpu);
    return choice;
  }

  /// Reduces the stages, and then the rows of the tiles that a block loops over, until they fit.
  static void fitShared(AttentionChoice &choice, int64_t &looped, const AttentionSizes &sizes,
                        const GpuFacts &gpu) {
    auto fits = [&] { return sharedBytesOf(choice, sizes) <= gpu.sharedBytesOf(1); };
    while (choice.stages > (choice.kind == MatmulKind::Wgmma ? 2 : 1) && !fits())
      --choice.stages;
    while (looped > 16 && !fits())
      looped /= 2;
  }

  /// Tiles of which a block owns one and loops over the others. `padded` is the longest row.
  static AttentionChoice gradientTileOf(const AttentionSizes &sizes, MatmulKind kind, int64_t padded,
                                        const GpuFacts &gpu) {
    AttentionChoice choice;
    choice.kind = kind;
    choice.isByKeys = sizes.isByKeys;
    int64_t &owned = choice.isByKeys ? choice.keys : choice.queries,
            &other = choice.isByKeys ? choice.queries : choice.keys;
    int64_t rows = assumed(choice.isByKeys ? sizes.keys : sizes.queries, gpu);
    bool isWgmma = kind == MatmulKind::Wgmma;
    // Two gradients and two products of a thread share its registers, with dropout random words too.
    owned = isWgmma && !choice.isByKeys ? 128 : 64;
    other = padded <= 64 && !sizes.hasDropout ? 64 : 32;
    if (sizes.hasDropout && padded > 64 && kind != MatmulKind::Fma)
      other = 16;
    for (int64_t unit = isWgmma ? 64 : 16; owned > unit && owned / 2 >= rows;)
      owned /= 2;
    choice.stages = isWgmma ? 4 : 1;
    fitShared(choice, other, sizes, gpu);
    return choice;
  }

  /// `requested` if that is a kind, else the fastest one.
  FailureOr<MatmulKind> kindOf(Operation *op, const AttentionSizes &sizes,
                               std::optional<MatmulKind> requested, const GpuFacts &gpu) {
    bool isHalf = sizes.element.getIntOrFloatBitWidth() == 16;
    std::string why = sizes.isPaged ? "a paged cache has no form with wgmma"
                                    : whyNoWgmma(cast<pd::FusedAttentionOpInterface>(op));
    bool canWgmma = isHalf && gpu.hasWgmma() && why.empty();
    if (isHalf && gpu.hasWgmma() && !why.empty())
      remarks.missed(op) << why;
    if (requested) {
      if ((*requested == MatmulKind::Wgmma && !canWgmma) || (*requested == MatmulKind::Mma && !isHalf) ||
          (*requested == MatmulKind::Fma && isHalf))
        return op->emitError()
               << stringifyMatmulKind(*requested)
               << " cannot compute this attention, expected fma for f32, "
                  "mma for f16 and bf16, or wgmma where the chip has it and can read the operands";
      return *requested;
    }
    // Fewer rows do not fill a warpgroup.
    constexpr int64_t fewest = 32;
    int64_t rows = assumed(sizes.isByKeys ? sizes.keys : sizes.queries, gpu);
    return !isHalf ? MatmulKind::Fma : canWgmma && rows > fewest ? MatmulKind::Wgmma : MatmulKind::Mma;
  }

  /// The number of blocks that share the keys of a tile of queries.
  int64_t splitKeysOf(const AttentionSizes &sizes, const AttentionChoice &choice, const GpuFacts &gpu) const {
    int64_t rows = sizes.heads * static_cast<int64_t>(llvm::divideCeil(sizes.queries, choice.queries));
    auto slices =
        static_cast<int64_t>(llvm::divideCeil(blocks > 0 ? blocks.getValue() : gpu.residentBlocks(), rows));
    auto most =
        static_cast<int64_t>(llvm::divideCeil(sizes.keys, std::max(leastKeys.getValue(), choice.keys)));
    return std::clamp<int64_t>(slices, 1, most);
  }

  /// The kind in the op's own attribute, else in the option.
  std::optional<MatmulKind> requestedKindOf(const AttentionSizes &sizes, AttentionAttr own) const {
    if (own.getKind())
      return own.getKind();
    std::optional<MatmulKind> requested = requestedKind(strategy);
    if (sizes.isPaged && requested == MatmulKind::Wgmma)
      return MatmulKind::Mma; // as the rest of a program that uses wgmma
    return requested;
  }

  LogicalResult choose(Operation *op, const GpuFacts &gpu) {
    AttentionSizes sizes = AttentionSizes::of(op);
    auto own = takeStrategy<AttentionAttr>(op, attentionAttribute);
    if (own)
      op->setAttr(attentionAttribute, own);
    else
      own = AttentionAttr::get(&getContext(), {}, {}, {}, {});
    if (own.getTile().empty()) {
      FailureOr<MatmulKind> kind = kindOf(op, sizes, requestedKindOf(sizes, own), gpu);
      if (failed(kind))
        return failure();
      AttentionChoice choice = tileOf(sizes, *kind, gpu);
      own = AttentionAttr::get(&getContext(), *kind, {choice.queries, choice.keys},
                               own.getStages().value_or(choice.stages), own.getSplitKeys());
      op->setAttr(attentionAttribute, own);
    }
    FailureOr<AttentionChoice> choice = AttentionChoice::read(op);
    if (failed(choice))
      return failure();
    if (sizes.isPaged && !own.getSplitKeys())
      op->setAttr(attentionAttribute, AttentionAttr::get(&getContext(), own.getKind(), own.getTile(),
                                                         own.getStages(), splitKeysOf(sizes, *choice, gpu)));
    remarks.done(op) << "a block computes tiles of " << std::to_string(choice->queries) << " queries and "
                     << std::to_string(choice->keys) << " keys with " << std::to_string(choice->threads)
                     << " threads (" << stringifyMatmulKind(choice->kind) << "), with "
                     << std::to_string(sharedBytesOf(*choice, sizes)) << " of "
                     << std::to_string(gpu.sharedBytes) << " bytes of shared memory";
    return success();
  }

  void runOnOperation() override {
    Operation *op = attentionOf(getOperation());
    if (!op)
      return;
    if (failed(choose(op, gpuOf(op))))
      signalPassFailure();
  }

private:
  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
