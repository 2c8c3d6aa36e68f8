//! pd-scale-channels: replaces convolutions that multiply each channel by a factor with elementwise ops.
#include "passes/layout/Passes.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_SCALECHANNELS
#include "passes/layout/Passes.h.inc"

namespace {

/// Why the windows are more than single elements at a distance of one; null if they are not.
const char *whyNotPixels(const pd::Window &window, RankedTensorType image, pd::DataFormat dataFormat) {
  auto isOne = [](int64_t value) { return value == 1; };
  if (!llvm::all_of(window.kernel, isOne))
    return "its windows have several elements";
  if (!llvm::all_of(window.strides, isOne))
    return "it has strides";
  SmallVector<int64_t> paddings = window.resolvedPaddings(pd::spatialDims(image.getShape(), dataFormat));
  return llvm::all_of(paddings, [](int64_t padding) { return padding == 0; }) ? nullptr : "it has padding";
}

/// Why a channel of the result is not a channel of the image times a factor; null if it is. `filter` has
/// `groups` groups.
const char *whyNotFactors(RankedTensorType filter, int64_t groups) {
  return filter.hasStaticShape() && filter.getDimSize(0) == groups && filter.getDimSize(1) == 1
             ? nullptr
             : "its channels are not groups of one";
}

/// One element for each channel, in a shape that is broadcast to an image of `rank` dimensions.
Value alongChannels(pd::TensorBuilder &e, Value filter, int64_t rank, pd::DataFormat dataFormat) {
  SmallVector<int64_t> shape = {pd::tensorType(filter).getDimSize(0)};
  if (!pd::channelsAreLast(dataFormat))
    shape.append(static_cast<size_t>(rank) - 2, 1);
  return e.reshape(e.wrap(filter), shape);
}

template <class Op> LogicalResult keeps(Op op, PatternRewriter &rewriter, const char *reason) {
  return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &diagnostic) {
    diagnostic << op->getName().getStringRef() << " is not elementwise: " << reason;
  });
}

/// Convolutions and transposed ones.
template <class ConvOp> class ScalePattern : public OpRewritePattern<ConvOp> {
public:
  ScalePattern(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern<ConvOp>(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    RankedTensorType image = pd::tensorType(op->getOperand(0)), filter = pd::tensorType(op.getFilter());
    if (const char *reason = whyNotFactors(filter, static_cast<int64_t>(op.getGroups())))
      return keeps(op, rewriter, reason);
    pd::Window window = pd::convWindow(op, filter.getRank() - 2, filter);
    if (const char *reason = whyNotPixels(window, image, op.getDataFormat()))
      return keeps(op, rewriter, reason);
    if constexpr (requires { op.getOutputPadding(); })
      if (llvm::any_of(op.getOutputPadding(), [](int64_t padding) { return padding != 0; }))
        return keeps(op, rewriter, "it has padding of the result");
    remarks.done(op) << op->getName().getStringRef()
                     << " multiplies each channel by a factor: it is elementwise";
    pd::TensorBuilder e(rewriter, op);
    pd::Expression factors = e.wrap(alongChannels(e, op.getFilter(), image.getRank(), op.getDataFormat()));
    pd::replaceResult(rewriter, op.getOut(), e.wrap(op->getOperand(0)) * factors);
    rewriter.eraseOp(op);
    return success();
  }

private:
  PassRemarks remarks;
};

/// The gradients by the factors: sums of products.
template <class GradientOp> class SumPattern : public OpRewritePattern<GradientOp> {
public:
  SumPattern(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern<GradientOp>(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(GradientOp op, PatternRewriter &rewriter) const override {
    RankedTensorType image = pd::tensorType(op.getInput()), filter = pd::tensorType(op.getFilterGradient());
    if (const char *reason = whyNotFactors(filter, static_cast<int64_t>(op.getGroups())))
      return keeps(op, rewriter, reason);
    pd::Window window{image.getRank() - 2,
                      SmallVector<int64_t>(op.getKernelSize()),
                      SmallVector<int64_t>(op.getStrides()),
                      SmallVector<int64_t>(op.getPaddings()),
                      SmallVector<int64_t>(op.getDilations()),
                      op.getPaddingAlgorithm()};
    if (const char *reason = whyNotPixels(window, image, op.getDataFormat()))
      return keeps(op, rewriter, reason);
    remarks.done(op) << op->getName().getStringRef() << " is the sum of elementwise products";
    pd::TensorBuilder e(rewriter, op);
    SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis < image.getRank(); ++axis)
      if (axis != (pd::channelsAreLast(op.getDataFormat()) ? image.getRank() - 1 : 1))
        axes.push_back(axis);
    pd::Expression sums = e.sum(e.operand(0) * e.operand(1), axes, /*keepdim=*/false);
    Value gradient = e.results({e.reshape(sums, filter.getShape())}).front();
    pd::replaceResult(rewriter, op.getFilterGradient(), gradient);
    rewriter.eraseOp(op);
    return success();
  }

private:
  PassRemarks remarks;
};

class ScaleChannelsPass : public impl::ScaleChannelsBase<ScaleChannelsPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks{getArgumentName()};
    RewritePatternSet patterns(&getContext());
    patterns.add<ScalePattern<pd::Conv2dOp>, ScalePattern<pd::Conv3dOp>, ScalePattern<pd::Conv2dTransposeOp>,
                 ScalePattern<pd::Conv3dTransposeOp>, SumPattern<pd::Conv2dWeightGradientOp>,
                 SumPattern<pd::Conv3dWeightGradientOp>>(&getContext(), remarks);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
