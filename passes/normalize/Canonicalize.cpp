//! pd-canonicalize: MLIR's canonicalization without patterns that compute with conditions.
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CANONICALIZEPROGRAM
#include "passes/normalize/Passes.h.inc"

namespace {

/// The patterns of all loaded dialects and ops but those of scf.if.
FrozenRewritePatternSet canonicalizationPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getStringRef() != scf::IfOp::getOperationName())
      op.getCanonicalizationPatterns(patterns, context);
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns, scf::IfOp::getOperationName());
  return std::move(patterns);
}

class CanonicalizeProgramPass : public impl::CanonicalizeProgramBase<CanonicalizeProgramPass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    patterns = canonicalizationPatterns(context);
    return success();
  }

  void runOnOperation() override {
    // Canonicalization is best effort, as in MLIR: not to converge is not an error.
    (void)applyPatternsGreedily(getOperation(), patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace proa
