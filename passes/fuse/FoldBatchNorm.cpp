//! pd-fold-batch-norm: a batch normalization after a convolution goes into its weights.
#include "passes/fuse/Passes.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FOLDBATCHNORM
#include "passes/fuse/Passes.h.inc"

namespace {

/// A parameter of the program, or a constant: what is computed from it is computed once.
bool isParameter(Value value) {
  if (!value)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), "pd.param");
  }
  return value.getDefiningOp<pd::ConstantOp>() != nullptr;
}

class FoldBatchNormPass : public impl::FoldBatchNormBase<FoldBatchNormPass> {
public:
  void runOnOperation() override {
    SmallVector<pd::BatchNormOp> candidates;
    getOperation().walk([&](pd::BatchNormOp op) {
      if (isFoldable(op))
        candidates.push_back(op);
    });
    for (pd::BatchNormOp op : candidates)
      fold(op);
  }

private:
  /// The bias added between a convolution and its normalization: null where there is none.
  static Value biasBefore(pd::BatchNormOp op) {
    auto add = op.getX().getDefiningOp<pd::AddOp>();
    if (!add || !add.getOut().hasOneUse())
      return {};
    Value bias = add.getY();
    auto reshape = bias.getDefiningOp<pd::ReshapeOp>();
    return isParameter(reshape ? reshape.getX() : bias) ? bias : Value();
  }

  static pd::Conv2dOp convBefore(pd::BatchNormOp op) {
    if (biasBefore(op))
      return op.getX().getDefiningOp<pd::AddOp>().getX().getDefiningOp<pd::Conv2dOp>();
    return op.getX().getDefiningOp<pd::Conv2dOp>();
  }

  /// Whether a bias has one element for each channel of a convolution with channels first.
  static bool isPerChannel(Value bias, pd::Conv2dOp conv) {
    ArrayRef<int64_t> shape = pd::tensorType(bias).getShape();
    int64_t channels = pd::tensorType(conv.getFilter()).getDimSize(0);
    return shape.size() >= 3 && shape.size() <= 4 && shape[shape.size() - 3] == channels &&
           pd::tensorType(bias).hasStaticShape() && pd::tensorType(bias).getNumElements() == channels;
  }

  static bool isFoldable(pd::BatchNormOp op) {
    pd::Conv2dOp conv = convBefore(op);
    if (Value bias = biasBefore(op);
        conv && bias && (!isPerChannel(bias, conv) || conv.getDataFormat() != pd::DataFormat::NCHW))
      return false;
    bool isFixed = op.getUseGlobalStats() || (op.getIsTest() && !op.getTrainableStatistics());
    return isFixed && conv && conv.getOut().hasOneUse() &&
           pd::tensorType(conv.getOut()).getElementType().isF32() &&
           conv.getDataFormat() == op.getDataFormat() &&
           llvm::all_of(
               ArrayRef<Value>{conv.getFilter(), op.getMean(), op.getVariance(), op.getScale(), op.getBias()},
               isParameter);
  }

  /// conv(x, w) * s + t = conv(x, w * s) + t with s = scale / sqrt(variance + epsilon), t = bias - mean * s.
  void fold(pd::BatchNormOp op) {
    pd::Conv2dOp conv = convBefore(op);
    Value convBias = biasBefore(op);
    OpBuilder builder(op);
    pd::TensorBuilder e(builder, op);
    pd::Expression factor = e.rsqrt(e.wrap(op.getVariance()) + op.getEpsilon().convertToDouble());
    if (op.getScale())
      factor = factor * e.wrap(op.getScale());
    pd::Expression mean = e.wrap(op.getMean());
    if (convBias)
      mean = mean - e.reshape(e.wrap(convBias), {-1});
    pd::Expression shift = -(mean * factor);
    if (op.getBias())
      shift = e.wrap(op.getBias()) + shift;
    pd::Expression filter = e.wrap(conv.getFilter()) * e.reshape(factor, {-1, 1, 1, 1});
    auto scaled = cast<pd::Conv2dOp>(builder.clone(*conv));
    scaled.getFilterMutable().assign(filter);
    bool channelsLast = conv.getDataFormat() == pd::DataFormat::NHWC;
    pd::Expression out = e.wrap(scaled.getOut()) + (channelsLast ? shift : e.reshape(shift, {1, -1, 1, 1}));
    pd::replaceResult(builder, op.getOut(), out);
    for (auto [result, operand] :
         {std::pair(op.getMeanOut(), op.getMean()), std::pair(op.getSavedMean(), op.getMean()),
          std::pair(op.getVarianceOut(), op.getVariance()),
          std::pair(op.getSavedVariance(), op.getVariance())})
      pd::replaceResult(builder, result, operand);
    if (op.use_empty()) {
      Operation *between = convBias ? op.getX().getDefiningOp() : nullptr;
      op.erase();
      if (between)
        between->erase();
      conv.erase();
      ++numFolded;
    }
  }
};

} // namespace
} // namespace proa
