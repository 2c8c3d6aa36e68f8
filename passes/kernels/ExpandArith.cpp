// Divisions, maxima and minima without an instruction: see Passes.td.
#include "passes/kernels/ExpandArith.h"
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace proa {
#define GEN_PASS_DEF_EXPANDARITH
#include "passes/kernels/Passes.h.inc"

using namespace mlir;

LogicalResult expandArith(Operation *root, llvm::function_ref<bool(Operation *)> isSupported) {
  ConversionTarget target(*root->getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>();
  target.addDynamicallyLegalOp<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
      isSupported);
  RewritePatternSet patterns(root->getContext());
  arith::populateArithExpandOpsPatterns(patterns);
  return applyPartialConversion(root, target, std::move(patterns));
}

namespace {

/// Whether the loop of an op has a constant number of iterations, of less than a vector.
bool isInShortLoop(Operation *op) {
  constexpr int64_t vector = 16;
  auto loop = op->getParentOfType<scf::ForOp>();
  std::optional<int64_t> begin = loop ? getConstantIntValue(loop.getLowerBound()) : std::nullopt,
                         end = loop ? getConstantIntValue(loop.getUpperBound()) : std::nullopt,
                         step = loop ? getConstantIntValue(loop.getStep()) : std::nullopt;
  return begin && end && step && (*end - *begin) / *step < vector;
}

/// LLVM 22 leaves out the last elements of a short reduction by maxnum, which ignores NaN.
bool isVectorized(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  bool ignoresNan = isa<arith::MaxNumFOp, arith::MinNumFOp>(op);
  return (type.isF32() || type.isF64()) && !(ignoresNan && isInShortLoop(op));
}

struct ExpandArith : impl::ExpandArithBase<ExpandArith> {
  using ExpandArithBase::ExpandArithBase;

  void runOnOperation() override {
    if (failed(expandArith(getOperation(), isVectorized)))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
