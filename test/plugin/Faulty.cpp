// Passes with planted faults, for tests of tools that find them: a fusion without a condition, an op that
// becomes another one, a change outside of patterns, and an attribute of one op of any program.
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
namespace pd = proa::pd;

namespace {

/// Correct: |relu(x)| is relu(x).
struct DropAbs : OpRewritePattern<pd::AbsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::AbsOp op, PatternRewriter &rewriter) const override {
    auto relu = op.getX().getDefiningOp<pd::ReluOp>();
    if (!relu)
      return rewriter.notifyMatchFailure(op, "x is not the result of pd.relu");
    rewriter.replaceOp(op, relu.getResult());
    return success();
  }
};

/// Wrong: min(relu(x), y) is relu6(x) for y = 6 only.
struct FuseAnyBound : OpRewritePattern<pd::MinimumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(pd::MinimumOp op, PatternRewriter &rewriter) const override {
    auto relu = op.getX().getDefiningOp<pd::ReluOp>();
    if (!relu || !relu->hasOneUse())
      return rewriter.notifyMatchFailure(op, "x is not the result of a pd.relu with one use");
    rewriter.replaceOpWithNewOp<pd::Relu6Op>(op, op.getType(), relu.getX());
    return success();
  }
};

struct FaultyFusion : PassWrapper<FaultyFusion, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FaultyFusion)
  StringRef getArgument() const override { return "faulty-fusion"; }
  StringRef getDescription() const override { return "A correct and a wrong fusion"; }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropAbs, FuseAnyBound>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

/// Replaces pd.tanh by pd.sigmoid, without patterns.
struct FaultyWalk : PassWrapper<FaultyWalk, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FaultyWalk)
  StringRef getArgument() const override { return "faulty-walk"; }
  StringRef getDescription() const override { return "Replaces pd.tanh by pd.sigmoid"; }
  void runOnOperation() override {
    getOperation()->walk([](pd::TanhOp op) {
      OpBuilder builder(op);
      auto other = pd::SigmoidOp::create(builder, op.getLoc(), op.getType(), op.getX());
      op.getResult().replaceAllUsesWith(other.getResult());
      op.erase();
    });
  }
};

/// Sets an attribute of one op, as if its kernel ignored the program's value.
struct SetAttribute : RewritePattern {
  SetAttribute(Operation *target, StringRef attribute, Attribute value)
      : RewritePattern(target->getName().getStringRef(), 1, target->getContext()), target(target),
        attribute(attribute), value(value) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op != target)
      return rewriter.notifyMatchFailure(op, "another op");
    if (op->getAttr(attribute) == value)
      return rewriter.notifyMatchFailure(op, "the attribute has the value");
    rewriter.modifyOpInPlace(op, [&] { op->setAttr(attribute, value); });
    return success();
  }
  Operation *target;
  StringRef attribute;
  Attribute value;
};

struct FaultyAttribute : PassWrapper<FaultyAttribute, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FaultyAttribute)
  FaultyAttribute() = default;
  FaultyAttribute(const FaultyAttribute &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "faulty-attribute"; }
  StringRef getDescription() const override { return "Sets an attribute of one op"; }
  void runOnOperation() override {
    Attribute parsed = parseAttribute(value, &getContext());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        ops.push_back(op);
    });
    if (!parsed || index >= ops.size()) {
      getOperation()->emitError("faulty-attribute: no such op or value");
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<SetAttribute>(ops[index], attribute, parsed);
    (void)applyOpPatternsGreedily({ops[index]}, std::move(patterns));
  }
  Option<std::string> name{*this, "op", llvm::cl::desc("name of the op")};
  Option<unsigned> index{*this, "index", llvm::cl::desc("among the ops of this name"), llvm::cl::init(0)};
  Option<std::string> attribute{*this, "attribute", llvm::cl::desc("name of the attribute")};
  Option<std::string> value{*this, "value", llvm::cl::desc("its new value")};
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Faulty", "1.0", [] {
            PassRegistration<FaultyFusion>();
            PassRegistration<FaultyWalk>();
            PassRegistration<FaultyAttribute>();
          }};
}
