// Polynomials for math functions: see Passes.td.
#include "passes/lower-cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/StringSet.h"

namespace proa {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

// Those whose polynomial is exact to about 5 units in the last place. That of sin and cos is not, beyond small arguments
// and near zeros, nor those of atan, atan2 and cbrt: they stay calls of libm.
bool hasGoodPolynomial(llvm::StringRef function) {
  static const llvm::StringSet<> good = {"exp", "expm1", "log", "log1p", "log2", "erf", "tanh"};
  function.consume_front("math.");
  return good.contains(function);
}

struct ExpandMath : proa::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathAlgebraicSimplificationPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
