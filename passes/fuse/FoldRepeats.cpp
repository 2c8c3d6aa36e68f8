//! pd-fold-repeats: ops that read repeated values read the value once.
#include "passes/fuse/Passes.h"
#include "passes/fuse/RepeatedDim.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/shape/DimSize.h"
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

/// matmul(x, y) where y is [.., G * R, K, N] and repeats [.., G, 1, K, N]: the rows of x that have the same
/// matrix are rows of one factor.
struct FoldRepeatedMatrices : OpRewritePattern<pd::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(pd::MatmulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType x = pd::tensorType(op.getX()), y = pd::tensorType(op.getY());
    auto found = RepeatedDim::of(op.getY(), y.getRank() - 3);
    if (!found)
      return rewriter.notifyMatchFailure(op, "y is not a stack of repeated matrices");
    int64_t rank = x.getRank();
    if (op.getTransposeX() || rank != y.getRank() || x.getDimSize(rank - 3) != y.getDimSize(rank - 3) ||
        !haveEqualBatches(op, rank - 3))
      return rewriter.notifyMatchFailure(op, "x is transposed or does not have the leading dims of y");
    TensorBuilder e(rewriter, op);
    Expression left = e.wrap(op.getX()), right = e.wrap(found->narrow);
    SmallVector<pd::DimSize> rows = dimSizesOf(left), matrices = dimSizesOf(right);
    pd::DimSize count = rows[rank - 2];
    rows[rank - 3] = found->groups;
    rows[rank - 2] = multiply(e, count, found->repeats);
    matrices.erase(matrices.begin() + rank - 2);
    Expression out = e.matmul(reshapeTo(left, rows), reshapeTo(right, matrices), false, op.getTransposeY());
    SmallVector<pd::DimSize> dims = dimSizesOf(out);
    dims[rank - 3] = found->groups * found->repeats;
    dims[rank - 2] = count;
    pd::replaceResult(rewriter, op.getOut(), reshapeTo(out, dims));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Whether no leading dim is broadcast. A dynamic one that is 1 for a factor would broadcast in both forms.
  static bool haveEqualBatches(pd::MatmulOp op, int64_t count) {
    return llvm::all_of(llvm::seq<int64_t>(0, count), [&](int64_t axis) {
      int64_t left = pd::tensorType(op.getX()).getDimSize(axis),
              right = pd::tensorType(op.getY()).getDimSize(axis);
      return left == right || ShapedType::isDynamic(left) || ShapedType::isDynamic(right);
    });
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
