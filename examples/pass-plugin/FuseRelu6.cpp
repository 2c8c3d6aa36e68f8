// A pass outside of proa's tree: replaces min(relu(x), 6) by pd.relu6.
#include "dialects/pd/creation/CreationOps.h"
#include "dialects/pd/math/ActivationOps.h"
#include "dialects/pd/math/BinaryOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace pd = proa::pd;

namespace {

struct FuseRelu6 : OpRewritePattern<pd::MinimumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(pd::MinimumOp op, PatternRewriter &rewriter) const override {
    auto relu = op.getX().getDefiningOp<pd::ReluOp>();
    if (!relu)
      return rewriter.notifyMatchFailure(op, "x is not the result of pd.relu");
    DenseElementsAttr bound;
    if (!matchPattern(op.getY(), m_Constant(&bound)) || !bound.isSplat() ||
        !isa<FloatType>(bound.getElementType()))
      return rewriter.notifyMatchFailure(op, "y is not one floating-point constant");
    if (bound.getSplatValue<APFloat>().convertToDouble() != 6.0)
      return rewriter.notifyMatchFailure(op, "y is not 6");
    if (op.getType() != relu.getType())
      return rewriter.notifyMatchFailure(op, "y broadcasts the result");
    rewriter.replaceOpWithNewOp<pd::Relu6Op>(op, op.getType(), relu.getX());
    return success();
  }
};

struct FuseRelu6Pass : PassWrapper<FuseRelu6Pass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseRelu6Pass)

  StringRef getArgument() const override { return "fuse-relu6"; }
  StringRef getDescription() const override { return "Replaces min(relu(x), 6) by pd.relu6"; }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseRelu6>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "FuseRelu6", "1.0", [] { PassRegistration<FuseRelu6Pass>(); }};
}
