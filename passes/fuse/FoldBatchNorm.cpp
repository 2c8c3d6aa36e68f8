//! pd-fold-batch-norm: folds a batch normalization into the weights of the convolution before it.
#include "passes/fuse/Passes.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Layout.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "passes/fuse/FixedNorm.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FOLDBATCHNORM
#include "passes/fuse/Passes.h.inc"

namespace {

/// Whether the value is a parameter of the program or a constant, so that values computed from it are
/// computed once. A missing operand counts as a constant.
bool isParameter(Value value) {
  if (!value)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), pd::parameterAttribute);
  }
  return value.getDefiningOp<pd::ConstantOp>() != nullptr;
}

/// The bias added between a convolution and its normalization; null if there is none.
Value biasBefore(pd::BatchNormOp op) {
  auto add = op.getX().getDefiningOp<pd::AddOp>();
  if (!add || !add.getOut().hasOneUse())
    return {};
  Value bias = add.getY();
  auto reshape = bias.getDefiningOp<pd::ReshapeOp>();
  return isParameter(reshape ? reshape.getX() : bias) ? bias : Value();
}

/// The convolution before the normalization and before its bias; null if there is none.
pd::ContractionOpInterface convBefore(pd::BatchNormOp op) {
  Value x = biasBefore(op) ? op.getX().getDefiningOp<pd::AddOp>().getX() : op.getX();
  auto conv = x.getDefiningOp<pd::ContractionOpInterface>();
  return conv && conv.getChannelWeights() ? conv : pd::ContractionOpInterface();
}

/// The layout of the result of a convolution.
std::optional<pd::ImageLayout> layoutOf(Operation *conv) {
  auto onImages = dyn_cast<pd::LayoutOpInterface>(conv);
  return onImages ? onImages.getImageLayout() : std::nullopt;
}

/// Whether a bias has one element for each channel of a convolution with channels first.
bool isPerChannel(Value bias, pd::ContractionOpInterface conv) {
  RankedTensorType weights = pd::tensorType(conv.getChannelWeights()->get()), type = pd::tensorType(bias);
  int64_t channels = weights.getDimSize(conv.getChannelDim()), rank = weights.getRank();
  return type.hasStaticShape() && (type.getRank() == rank || type.getRank() == rank - 1) &&
         type.getDimSize(type.getRank() - (rank - 1)) == channels && type.getNumElements() == channels;
}

/// One element for each channel, along dimension `dim` of `rank`.
pd::Expression along(pd::TensorBuilder &e, pd::Expression channels, int64_t dim, int64_t rank) {
  SmallVector<int64_t> shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(dim)] = -1;
  return e.reshape(channels, shape);
}

/// The reason why the normalization stays; null if it can be folded.
const char *obstacle(pd::BatchNormOp op) {
  if (!hasFixedStatistics(op))
    return "it uses the statistics of the batch";
  pd::ContractionOpInterface conv = convBefore(op);
  if (!conv)
    return "its input is not the result of a convolution whose filter has channels of the result, with or "
           "without a "
           "constant bias";
  if (!conv->hasOneUse())
    return "the convolution has other users";
  if (!pd::tensorType(conv->getResult(0)).getElementType().isF32())
    return "the convolution is not in f32";
  std::optional<pd::ImageLayout> layout = layoutOf(conv);
  if (!layout || layout != layoutOf(op))
    return "the convolution has another data_format";
  if (Value bias = biasBefore(op))
    if (!isPerChannel(bias, conv) || layout != pd::ImageLayout::ChannelsFirst)
      return "the bias before it is not one value for each channel of a convolution with channels first";
  if (!op->getResults().back().use_empty())
    return "its reserve space is used";
  Value constants[] = {conv.getChannelWeights()->get(), op.getMean(), op.getVariance(), op.getScale(),
                       op.getBias()};
  return llvm::all_of(constants, isParameter)
             ? nullptr
             : "the filter or a statistic is neither a parameter nor a constant";
}

/// conv(x, w) * s + t = conv(x, w * s) + t with s = scale / sqrt(variance + epsilon), t = bias - mean * s.
class FoldIntoConvolution : public OpRewritePattern<pd::BatchNormOp> {
public:
  FoldIntoConvolution(MLIRContext *context, PassRemarks remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(pd::BatchNormOp op, PatternRewriter &rewriter) const override {
    if (const char *reason = obstacle(op))
      return rewriter.notifyMatchFailure(op, Twine("pd.batch_norm is not folded: ") + reason);
    remarks.done(op) << "pd.batch_norm is folded into the convolution before it";
    pd::ContractionOpInterface conv = convBefore(op);
    Value convBias = biasBefore(op);
    pd::TensorBuilder e(rewriter, op);
    FixedNorm norm(e, op, convBias);
    pd::Expression filter = e.wrap(conv.getChannelWeights()->get());
    int64_t rank = filter.type().getRank();
    filter = filter * along(e, norm.factor, conv.getChannelDim(), rank);
    auto scaled = cast<pd::ContractionOpInterface>(rewriter.clone(*conv));
    scaled.getChannelWeights()->set(filter);
    bool channelsLast = layoutOf(conv) == pd::ImageLayout::ChannelsLast;
    pd::Expression out =
        e.wrap(scaled->getResult(0)) + (channelsLast ? norm.shift : along(e, norm.shift, 1, rank));
    pd::replaceResult(rewriter, op.getOut(), out);
    for (auto [result, operand] :
         {std::pair(op.getMeanOut(), op.getMean()), std::pair(op.getSavedMean(), op.getMean()),
          std::pair(op.getVarianceOut(), op.getVariance()),
          std::pair(op.getSavedVariance(), op.getVariance())})
      pd::replaceResult(rewriter, result, operand);
    rewriter.eraseOp(op); // the driver erases the convolution and the bias, which have no users now
    return success();
  }

private:
  PassRemarks remarks;
};

class FoldBatchNormPass : public impl::FoldBatchNormBase<FoldBatchNormPass> {
public:
  void runOnOperation() override {
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoConvolution>(&getContext(), remarks);
    if (failed(applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
