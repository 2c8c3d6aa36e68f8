// How blocks compute an attention, written into the IR: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Strategies.h"
#include "passes/lower-gpu/attention/AttentionForm.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/remarks/Remarks.h"

namespace proa {
#define GEN_PASS_DEF_CHOOSEATTENTION
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;
using proa::AttentionChoice;
using proa::AttentionSizes;
namespace {

int64_t assumed(int64_t size, const proa::GpuFacts &gpu) {
  return ShapedType::isDynamic(size) ? gpu.assumedDim : size;
}

/// Why the tensor memory accelerator cannot read the operands; empty if it can.
std::string whyNoWgmma(proa::pd::FusedAttentionOpInterface op) {
  SmallVector<std::pair<Value, const char *>> tensors{
      {op.getQ(), "q"}, {op.getK(), "k"}, {op.getV(), "v"}, {op.getOutGrad(), "out_grad"}};
  for (auto [tensor, name] : tensors) {
    if (!tensor)
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    if (std::string reason = proa::whyNotAddressable(type.getShape(), type.getElementType()); !reason.empty())
      return std::string("wgmma cannot read ") + name + ": " + reason;
  }
  return "";
}

struct ChooseAttention : proa::impl::ChooseAttentionBase<ChooseAttention> {
  using ChooseAttentionBase::ChooseAttentionBase;

  /// The largest tiles that fit the shared memory and the registers.
  static AttentionChoice tileOf(const AttentionSizes &sizes, proa::MatmulKind kind,
                                const proa::GpuFacts &gpu) {
    int64_t padded =
        std::max(proa::paddedElements(kind, sizes.head), proa::paddedElements(kind, sizes.value));
    if (sizes.isGradient)
      return gradientTileOf(sizes, kind, padded, gpu);
    AttentionChoice choice;
    choice.kind = kind;
    bool isWgmma = kind == proa::MatmulKind::Wgmma, isLong = padded > 128;
    int64_t queries = assumed(sizes.queries, gpu), unit = isWgmma ? proa::wgmmaInstruction.rows : 16;
    choice.queries = isWgmma && !isLong ? 128 : 64;
    while (choice.queries > unit && choice.queries / 2 >= queries)
      choice.queries /= 2;
    choice.keys = keysOf(sizes, kind, padded);
    if (sizes.hasDropout) // the random words of the scores need registers too
      choice.keys /= kind == proa::MatmulKind::Mma || (isWgmma && padded > 64) ? 4 : 2;
    choice.stages = isWgmma ? 4 : kind == proa::MatmulKind::Mma ? 2 : 1;
    if (sizes.isPaged) { // addresses need registers too, and copies take most of the time
      choice.keys /= 2;
      choice.stages = 2;
    }
    auto fits = [&] { return proa::sharedBytesOf(choice, sizes) <= gpu.sharedBytesOf(1); };
    while (choice.stages > (kind == proa::MatmulKind::Wgmma ? 2 : 1) && !fits())
      --choice.stages;
    while (choice.keys > 16 && !fits())
      choice.keys /= 2;
    return choice;
  }

  /// Outputs and scores of a thread share its registers: 232 with two warpgroups, which have the registers of
  /// the warpgroup that copies. Rows of more than 128 elements leave room for one warpgroup only.
  static int64_t keysOf(const AttentionSizes &sizes, proa::MatmulKind kind, int64_t padded) {
    constexpr int64_t most = 128;
    bool isLong = padded > 128;
    if (kind != proa::MatmulKind::Wgmma)
      return isLong ? 32 : 64;
    return isLong ? most / 2 : most;
  }

  /// Tiles of which a block owns one and loops over the others. `padded` is the longest row.
  static AttentionChoice gradientTileOf(const AttentionSizes &sizes, proa::MatmulKind kind, int64_t padded,
                                        const proa::GpuFacts &gpu) {
    AttentionChoice choice;
    choice.kind = kind;
    choice.isByKeys = sizes.isByKeys;
    int64_t &owned = choice.isByKeys ? choice.keys : choice.queries,
            &other = choice.isByKeys ? choice.queries : choice.keys;
    int64_t rows = assumed(choice.isByKeys ? sizes.keys : sizes.queries, gpu);
    bool isWgmma = kind == proa::MatmulKind::Wgmma;
    // Two gradients and two products of a thread share its registers, with dropout random words too.
    owned = isWgmma && !choice.isByKeys ? 128 : 64;
    other = padded <= 64 && !sizes.hasDropout ? 64 : 32;
    if (sizes.hasDropout && padded > 64 && kind != proa::MatmulKind::Fma)
      other = 16;
    for (int64_t unit = isWgmma ? 64 : 16; owned > unit && owned / 2 >= rows;)
      owned /= 2;
    choice.stages = isWgmma ? 4 : 1;
    auto fits = [&] { return proa::sharedBytesOf(choice, sizes) <= gpu.sharedBytesOf(1); };
    while (choice.stages > 2 && !fits())
      --choice.stages;
    while (other > 16 && !fits())
      other /= 2;
    return choice;
  }

  /// `requested` if that is a kind, else the fastest one.
  FailureOr<proa::MatmulKind> kindOf(Operation *op, const AttentionSizes &sizes,
                                     std::optional<proa::MatmulKind> requested, const proa::GpuFacts &gpu) {
    bool isHalf = sizes.element.getIntOrFloatBitWidth() == 16;
    std::string why = sizes.isPaged ? "a paged cache has no form with wgmma"
                                    : whyNoWgmma(cast<proa::pd::FusedAttentionOpInterface>(op));
    bool canWgmma = isHalf && gpu.hasWgmma() && why.empty();
    if (isHalf && gpu.hasWgmma() && !why.empty())
      remarks.missed(op) << why;
    if (requested) {
      if ((*requested == proa::MatmulKind::Wgmma && !canWgmma) ||
          (*requested == proa::MatmulKind::Mma && !isHalf) || (*requested == proa::MatmulKind::Fma && isHalf))
        return op->emitError()
               << proa::stringifyMatmulKind(*requested)
               << " cannot compute this attention, expected fma for f32, "
                  "mma for f16 and bf16, or wgmma where the chip has it and can read the operands";
      return *requested;
    }
    // Fewer rows do not fill a warpgroup.
    constexpr int64_t fewest = 32;
    int64_t rows = assumed(sizes.isByKeys ? sizes.keys : sizes.queries, gpu);
    return !isHalf                     ? proa::MatmulKind::Fma
           : canWgmma && rows > fewest ? proa::MatmulKind::Wgmma
                                       : proa::MatmulKind::Mma;
  }

  /// The number of blocks that share the keys of a tile of queries.
  int64_t splitKeysOf(const AttentionSizes &sizes, const AttentionChoice &choice,
                      const proa::GpuFacts &gpu) const {
    int64_t rows = sizes.heads * static_cast<int64_t>(llvm::divideCeil(sizes.queries, choice.queries));
    auto slices =
        static_cast<int64_t>(llvm::divideCeil(blocks > 0 ? blocks.getValue() : gpu.residentBlocks(), rows));
    auto most =
        static_cast<int64_t>(llvm::divideCeil(sizes.keys, std::max(leastKeys.getValue(), choice.keys)));
    return std::clamp<int64_t>(slices, 1, most);
  }

  /// The kind in the op's own attribute, else in the option.
  std::optional<proa::MatmulKind> requestedKindOf(const AttentionSizes &sizes,
                                                  proa::AttentionAttr own) const {
    if (own.getKind())
      return own.getKind();
    std::optional<proa::MatmulKind> requested = proa::requestedKind(strategy);
    if (sizes.isPaged && requested == proa::MatmulKind::Wgmma)
      return proa::MatmulKind::Mma; // as the rest of a program that uses wgmma
    return requested;
  }

  LogicalResult choose(Operation *op, const proa::GpuFacts &gpu) {
    AttentionSizes sizes = AttentionSizes::of(op);
    auto own = proa::takeStrategy<proa::AttentionAttr>(op, proa::attentionAttribute);
    if (own)
      op->setAttr(proa::attentionAttribute, own);
    else
      own = proa::AttentionAttr::get(&getContext(), {}, {}, {}, {});
    if (own.getTile().empty()) {
      FailureOr<proa::MatmulKind> kind = kindOf(op, sizes, requestedKindOf(sizes, own), gpu);
      if (failed(kind))
        return failure();
      AttentionChoice choice = tileOf(sizes, *kind, gpu);
      own = proa::AttentionAttr::get(&getContext(), *kind, {choice.queries, choice.keys},
                                     own.getStages().value_or(choice.stages), own.getSplitKeys());
      op->setAttr(proa::attentionAttribute, own);
    }
    FailureOr<AttentionChoice> choice = AttentionChoice::read(op);
    if (failed(choice))
      return failure();
    if (sizes.isPaged && !own.getSplitKeys())
      op->setAttr(proa::attentionAttribute,
                  proa::AttentionAttr::get(&getContext(), own.getKind(), own.getTile(), own.getStages(),
                                           splitKeysOf(sizes, *choice, gpu)));
    remarks.done(op) << "a block computes tiles of " << std::to_string(choice->queries) << " queries and "
                     << std::to_string(choice->keys) << " keys with " << std::to_string(choice->threads)
                     << " threads (" << proa::stringifyMatmulKind(choice->kind) << "), with "
                     << std::to_string(proa::sharedBytesOf(*choice, sizes)) << " of "
                     << std::to_string(gpu.sharedBytes) << " bytes of shared memory";
    return success();
  }

  void runOnOperation() override {
    Operation *op = proa::attentionOf(getOperation());
    if (!op)
      return;
    if (failed(choose(op, proa::gpuOf(op))))
      signalPassFailure();
  }

private:
  proa::PassRemarks remarks{getArgumentName()};
};

} // namespace
