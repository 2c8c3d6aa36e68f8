//! pd-fold-batch-norm: a batch normalization after a convolution goes into its weights.
#include "passes/fuse/Passes.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/nn/Nn.h"

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
  static bool isFoldable(pd::BatchNormOp op) {
    auto conv = op.getX().getDefiningOp<pd::Conv2dOp>();
    bool isFixed = op.getUseGlobalStats() || (op.getIsTest() && !op.getTrainableStatistics());
    return isFixed && conv && conv.getOut().hasOneUse() && pd::tensorType(conv.getOut()).getElementType().isF32() &&
           conv.getDataFormat() == op.getDataFormat() &&
           llvm::all_of(ArrayRef<Value>{conv.getFilter(), op.getMean(), op.getVariance(), op.getScale(), op.getBias()},
                        isParameter);
  }

  /// conv(x, w) * s + t = conv(x, w * s) + t with s = scale / sqrt(variance + epsilon), t = bias - mean * s.
  void fold(pd::BatchNormOp op) {
    auto conv = op.getX().getDefiningOp<pd::Conv2dOp>();
    OpBuilder builder(op);
    pd::TensorBuilder e(builder, op);
    pd::Expression factor = e.rsqrt(e.wrap(op.getVariance()) + op.getEpsilon().convertToDouble());
    if (op.getScale())
      factor = factor * e.wrap(op.getScale());
    pd::Expression shift = -(e.wrap(op.getMean()) * factor);
    if (op.getBias())
      shift = e.wrap(op.getBias()) + shift;
    pd::Expression filter = e.wrap(conv.getFilter()) * e.reshape(factor, {-1, 1, 1, 1});
    auto scaled = cast<pd::Conv2dOp>(builder.clone(*conv));
    scaled.getFilterMutable().assign(filter);
    bool channelsLast = conv.getDataFormat() == "NHWC";
    pd::Expression out = e.wrap(scaled.getOut()) +
                         (channelsLast ? shift : e.reshape(shift, {1, -1, 1, 1}));
    op.getOut().replaceAllUsesWith(out);
    for (auto [result, operand] : {std::pair(op.getMeanOut(), op.getMean()), std::pair(op.getSavedMean(), op.getMean()),
                                   std::pair(op.getVarianceOut(), op.getVariance()),
                                   std::pair(op.getSavedVariance(), op.getVariance())})
      result.replaceAllUsesWith(operand);
    if (op.use_empty()) {
      op.erase();
      conv.erase();
      ++numFolded;
    }
  }
};

} // namespace
} // namespace proa
