#include "passes/fuse/FuseScaledAttention.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/FusedAttention.h"
#include "dialects/pd/ops/nn/ScaledAttention.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa {
namespace {

constexpr size_t fusedRank = 4;

/// The operands and results of an op with the dims of pd.fused_attention.
template <class Op> class FuseScaled : public OpRewritePattern<Op> {
public:
  using OpRewritePattern<Op>::OpRewritePattern;

protected:
  LogicalResult check(Op op, PatternRewriter &rewriter) const {
    Type element = pd::tensorType(op.getQ()).getElementType();
    for (Value operand : op->getOperands())
      if (auto type = pd::tensorType(operand);
          !type.hasStaticShape() || static_cast<size_t>(type.getRank()) > fusedRank)
        return rewriter.notifyMatchFailure(op, "its dims are dynamic, or more than four");
    for (Value operand : {op.getK(), op.getV()})
      if (pd::tensorType(operand).getElementType() != element)
        return rewriter.notifyMatchFailure(op, "its operands have several element types");
    return success();
  }

  static Value reshape(PatternRewriter &rewriter, Value tensor, ArrayRef<int64_t> shape) {
    if (pd::tensorType(tensor).getShape() == shape)
      return tensor;
    return pd::ReshapeOp::create(rewriter, tensor.getLoc(), tensor, Value(),
                                 rewriter.getDenseI64ArrayAttr(shape));
  }
  /// With dims of 1 before those that the tensor has; null for null.
  static Value raised(PatternRewriter &rewriter, Value tensor) {
    if (!tensor)
      return {};
    SmallVector<int64_t> shape(pd::tensorType(tensor).getShape());
    shape.insert(shape.begin(), fusedRank - shape.size(), 1);
    return reshape(rewriter, tensor, shape);
  }
  /// A number of each query, [.., M, 1], without the last dim.
  static Value raisedStatistic(PatternRewriter &rewriter, Value tensor) {
    Value all = raised(rewriter, tensor);
    return reshape(rewriter, all, pd::tensorType(all).getShape().drop_back());
  }
  /// Replaces the results by those of the fused op, with the dims of the former.
  static void replace(PatternRewriter &rewriter, Op op, ValueRange results) {
    SmallVector<Value> values;
    for (auto [own, fused] : llvm::zip_equal(op->getResults(), results))
      values.push_back(reshape(rewriter, fused, pd::tensorType(own).getShape()));
    rewriter.replaceOp(op, values);
  }

  /// Replaces the op by a fused one with a scale only. `more` are the operands after q, k and v.
  template <class Fused, class... More> static void fuse(PatternRewriter &rewriter, Op op, More... more) {
    BoolAttr no = rewriter.getBoolAttr(false);
    DenseI64ArrayAttr order = rewriter.getDenseI64ArrayAttr({});
    auto mode = pd::DropoutModeAttr::get(rewriter.getContext(), pd::DropoutMode::UpscaleInTrain);
    auto fused = Fused::create(rewriter, op.getLoc(), raised(rewriter, op.getQ()),
                               raised(rewriter, op.getK()), raised(rewriter, op.getV()), more...,
                               raised(rewriter, op.getBias()), Value(), Value(), Value(), op.getScaleAttr(),
                               no, order, order, order, order, rewriter.getF64FloatAttr(0), mode, order);
    replace(rewriter, op, fused->getResults());
  }
};

struct FuseAttention : FuseScaled<pd::AttentionOp> {
  using FuseScaled::FuseScaled;

  LogicalResult matchAndRewrite(pd::AttentionOp op, PatternRewriter &rewriter) const override {
    if (failed(check(op, rewriter)))
      return failure();
    fuse<pd::FusedAttentionOp>(rewriter, op);
    return success();
  }
};

struct FuseAttentionGrad : FuseScaled<pd::AttentionGradOp> {
  using FuseScaled::FuseScaled;

  LogicalResult matchAndRewrite(pd::AttentionGradOp op, PatternRewriter &rewriter) const override {
    if (failed(check(op, rewriter)))
      return failure();
    fuse<pd::FusedAttentionGradOp>(rewriter, op, raised(rewriter, op.getOutGrad()),
                                   raisedStatistic(rewriter, op.getMaximum()),
                                   raisedStatistic(rewriter, op.getSum()), raised(rewriter, op.getOut()));
    return success();
  }
};

} // namespace

void populateFuseScaledAttention(RewritePatternSet &patterns) {
  patterns.add<FuseAttention, FuseAttentionGrad>(patterns.getContext());
}

} // namespace proa
