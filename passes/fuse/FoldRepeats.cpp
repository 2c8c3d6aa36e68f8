//! pd-fold-repeats: ops that read repeated values read the value once.
#include "passes/fuse/Passes.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FOLDREPEATS
#include "passes/fuse/Passes.h.inc"

namespace {

using pd::Expression;
using pd::TensorBuilder;

/// take_along_axis with indices that are equal along dimensions of x: the op broadcasts them itself.
struct FoldRepeatedIndices : OpRewritePattern<pd::TakeAlongAxisOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(pd::TakeAlongAxisOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getIndices().getDefiningOp<pd::ExpandOp>();
    if (!expand)
      return rewriter.notifyMatchFailure(op, "the indices are not an expand");
    RankedTensorType x = pd::tensorType(op.getX()), wide = pd::tensorType(op.getIndices()),
                     narrow = pd::tensorType(expand.getX());
    if (narrow.getRank() != wide.getRank())
      return rewriter.notifyMatchFailure(op, "the expand adds dimensions");
    int64_t axis = static_cast<int64_t>(op.getAxis());
    axis += axis < 0 ? x.getRank() : 0;
    for (int64_t dim = 0; dim < x.getRank(); ++dim) {
      bool isRepeated = narrow.getDimSize(dim) != wide.getDimSize(dim);
      bool isAll = dim != axis && !x.isDynamicDim(dim) && x.getDimSize(dim) == wide.getDimSize(dim);
      if (isRepeated && !isAll)
        return rewriter.notifyMatchFailure(op, "the indices are repeated along dims that x does not have");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getIndicesMutable().assign(expand.getX()); });
    return success();
  }
};

/// A stack of matrices each of which is repeated: [.., G, 1, K, N] as [.., G, R, K, N], which is a factor as
/// [.., G * R, K, N].
struct RepeatedMatrices {
  Value matrices; ///< [.., G, K, N] in other dims
  int64_t groups = 0, repeats = 0;

  /// Null unless `factor` is a reshaped expand of that form.
  static std::optional<RepeatedMatrices> of(Value factor) {
    auto reshape = factor.getDefiningOp<pd::ReshapeOp>();
    auto expand = reshape ? reshape.getX().getDefiningOp<pd::ExpandOp>() : pd::ExpandOp();
    if (!expand)
      return std::nullopt;
    RankedTensorType narrow = pd::tensorType(expand.getX()), wide = pd::tensorType(expand.getOut()),
                     all = pd::tensorType(factor);
    int64_t rank = wide.getRank(), repeated = rank - 3;
    if (!wide.hasStaticShape() || !narrow.hasStaticShape() || narrow.getRank() != rank || repeated < 1 ||
        narrow.getDimSize(repeated) != 1)
      return std::nullopt;
    SmallVector<int64_t> once(wide.getShape()), merged(wide.getShape());
    once[repeated] = 1;
    merged[repeated - 1] *= merged[repeated];
    merged.erase(merged.begin() + repeated);
    if (narrow.getShape() != ArrayRef(once) || all.getShape() != ArrayRef(merged))
      return std::nullopt;
    return RepeatedMatrices{expand.getX(), wide.getDimSize(repeated - 1), wide.getDimSize(repeated)};
  }
};

/// matmul(x, repeated matrices): the rows of x that have the same matrix are rows of one factor.
struct FoldRepeatedMatrices : OpRewritePattern<pd::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(pd::MatmulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType x = pd::tensorType(op.getX()), y = pd::tensorType(op.getY());
    auto found = RepeatedMatrices::of(op.getY());
    if (!found)
      return rewriter.notifyMatchFailure(op, "y is not a stack of repeated matrices with static dims");
    int64_t rank = x.getRank();
    if (op.getTransposeX() || !x.hasStaticShape() || rank != y.getRank() ||
        x.getShape().drop_back(2) != y.getShape().drop_back(2))
      return rewriter.notifyMatchFailure(op, "x is transposed or does not have the leading dims of y");
    TensorBuilder e(rewriter, op);
    SmallVector<int64_t> rows(x.getShape()), matrices(y.getShape());
    rows[rank - 3] = found->groups;
    rows[rank - 2] *= found->repeats;
    matrices[rank - 3] = found->groups;
    Expression out = e.matmul(e.reshape(e.wrap(op.getX()), rows),
                              e.reshape(e.wrap(found->matrices), matrices), false, op.getTransposeY());
    pd::replaceResult(rewriter, op.getOut(), e.reshape(out, pd::tensorType(op.getOut()).getShape()));
    rewriter.eraseOp(op);
    return success();
  }
};

class FoldRepeatsPass : public impl::FoldRepeatsBase<FoldRepeatsPass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<FoldRepeatedIndices, FoldRepeatedMatrices>(context);
    patterns = std::move(set);
    return success();
  }
  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace proa
