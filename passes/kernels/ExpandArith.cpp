// Divisions, maxima and minima without an instruction: see Passes.td.
#include "passes/kernels/ExpandArith.h"
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"

namespace proa {
#define GEN_PASS_DEF_EXPANDARITH
#include "passes/kernels/Passes.h.inc"

using namespace mlir;

LogicalResult expandArith(Operation *root, llvm::function_ref<bool(Type)> hasMaximum) {
  ConversionTarget target(*root->getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>();
  target.addDynamicallyLegalOp<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
      [&](Operation *op) { return hasMaximum(getElementTypeOrSelf(op->getResult(0).getType())); });
  RewritePatternSet patterns(root->getContext());
  arith::populateArithExpandOpsPatterns(patterns);
  return applyPartialConversion(root, target, std::move(patterns));
}

namespace {

struct ExpandArith : impl::ExpandArithBase<ExpandArith> {
  using ExpandArithBase::ExpandArithBase;

  void runOnOperation() override {
    if (failed(expandArith(getOperation(), [](Type type) { return type.isF32() || type.isF64(); })))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
