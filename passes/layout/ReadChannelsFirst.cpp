// pd-read-channels-first: removes transposes of images of few channels before convolutions.
#include "passes/layout/Passes.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/rt/Rt.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_READCHANNELSFIRST
#include "passes/layout/Passes.h.inc"

namespace {

class TransposedImagePattern : public OpRewritePattern<rt::Conv2dOp> {
public:
  TransposedImagePattern(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(rt::Conv2dOp op, PatternRewriter &rewriter) const override {
    constexpr int64_t toLast[] = {0, 2, 3, 1}, fewChannels = 8; // of PlaneConv and IndirectConv
    auto transpose = op.getInput().getDefiningOp<pd::TransposeOp>();
    if (!transpose || op.getDataFormat() != pd::DataFormat::NHWC ||
        op.getInputFormat() != pd::DataFormat::AnyLayout)
      return failure();
    if (transpose.getPerm() != ArrayRef(toLast))
      return keeps(op, rewriter, "its image is not transposed from channels first");
    RankedTensorType image = pd::tensorType(op.getInput());
    if (!image.getElementType().isF32())
      return keeps(op, rewriter, "its image is not in f32");
    int64_t channels = image.getDimSize(3);
    if (op.getGroups() != 1 || ShapedType::isDynamic(channels) || channels > fewChannels)
      return keeps(op, rewriter,
                   llvm::formatv("its image has {0} channels in {1} groups, expected 1 to {2} in one group",
                                 ShapedType::isDynamic(channels) ? "?" : std::to_string(channels),
                                 op.getGroups(), fewChannels)
                       .str());
    RankedTensorType filter = pd::tensorType(op.getFilter());
    if (filter.hasStaticShape() && filter.getDimSize(2) * filter.getDimSize(3) == 1)
      return keeps(op, rewriter, "its window is one pixel");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(transpose.getX());
      op.setInputFormat(pd::DataFormat::NCHW);
    });
    remarks.done(op) << "rt.conv2d reads its image with channels first: it has " << std::to_string(channels)
                     << " channels, at most " << std::to_string(fewChannels);
    return success();
  }

private:
  PassRemarks remarks;

  static LogicalResult keeps(Operation *op, PatternRewriter &rewriter, const Twine &reason) {
    return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diagnostic) {
      diagnostic << "rt.conv2d reads its image with channels last: " << reason;
    });
  }
};

class ReadChannelsFirstPass : public impl::ReadChannelsFirstBase<ReadChannelsFirstPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks{getArgumentName()};
    RewritePatternSet patterns(&getContext());
    patterns.add<TransposedImagePattern>(&getContext(), remarks);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
