#include "dialects/proa/PatternSets.h"
#include "dialects/proa/Proa.h"
#include "passes/kernels/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CANONICALIZEKERNELS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

namespace {

void addKernelPatterns(RewritePatternSet &patterns) {
  proa::PatternSets::addCanonicalization(patterns, [](RegisteredOperationName) { return true; });
}

struct CanonicalizeKernels : proa::impl::CanonicalizeKernelsBase<CanonicalizeKernels> {
  LogicalResult initialize(MLIRContext *context) override {
    patterns = proa::PatternSets::get(context, getArgument(), addKernelPatterns);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), patterns, config); // best effort, as in MLIR
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
