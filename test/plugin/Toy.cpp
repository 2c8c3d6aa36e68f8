// A plugin for tests of tools: a dialect with an op `toy.double`, and a pass that replaces it by pd.add.
#include "dialects/pd/ops/math/BinaryOps.h"
#include "passes/remarks/Remarks.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

class ToyDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToyDialect)

  explicit ToyDialect(MLIRContext *context) : Dialect("toy", context, TypeID::get<ToyDialect>()) {
    allowUnknownOperations();
  }
  static StringRef getDialectNamespace() { return "toy"; }
};

struct LowerDouble : RewritePattern {
  LowerDouble(MLIRContext *context, proa::PassRemarks remarks)
      : RewritePattern("toy.double", 1, context), remarks(remarks) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "toy.double has " + Twine(op->getNumOperands()) +
                                                 " operands, expected 1");
    remarks.done(op) << "toy.double becomes pd.add";
    Value x = op->getOperand(0);
    rewriter.replaceOpWithNewOp<proa::pd::AddOp>(op, x.getType(), x, x);
    return success();
  }

  proa::PassRemarks remarks;
};

struct LowerToy : PassWrapper<LowerToy, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToy)

  StringRef getArgument() const override { return "lower-toy"; }
  StringRef getDescription() const override { return "Replaces toy.double by pd.add"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<proa::pd::PdDialect>();
  }

  void runOnOperation() override {
    proa::PassRemarks remarks(getArgument());
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerDouble>(&getContext(), remarks);
    if (failed(proa::applyPatternsInOrder(getOperation(), std::move(patterns), remarks)))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Toy", "1.0", [] { PassRegistration<LowerToy>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Toy", "1.0",
          [](DialectRegistry *registry) { registry->insert<ToyDialect>(); }};
}
