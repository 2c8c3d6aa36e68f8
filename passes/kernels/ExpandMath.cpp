// Polynomials for math functions: see Passes.td.
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/StringSet.h"

#include <numbers>

namespace proa {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

// Those whose polynomial is exact to about 5 units in the last place. That of sin and cos is not, beyond
// small arguments and near zeros, nor those of atan, atan2 and cbrt: they stay calls of libm.
bool hasGoodPolynomial(llvm::StringRef function) {
  static const llvm::StringSet<> good = {"exp", "expm1", "log", "log1p", "log2", "erf", "tanh"};
  function.consume_front("math.");
  return good.contains(function);
}

/// log and log2 of f32: the polynomials take subnormal numbers for the smallest normal one, so those are
/// scaled up first.
template <class Log> void scaleSubnormals(Operation *root, double logOfTwo) {
  SmallVector<Log> logarithms;
  root->walk([&](Log op) {
    if (op.getType().isF32())
      logarithms.push_back(op);
  });
  constexpr double smallestNormal = 0x1p-126;
  constexpr int shift = 24;
  for (Log op : logarithms) {
    OpBuilder builder(op);
    Location location = op.getLoc();
    auto number = [&](double value) {
      return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(static_cast<float>(value)))
          .getResult();
    };
    Value x = op.getOperand();
    Value isSmall =
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, x, number(smallestNormal));
    Value scaled = arith::MulFOp::create(builder, location, x, number(double(1 << shift)));
    op->setOperand(0, arith::SelectOp::create(builder, location, isSmall, scaled, x));
    builder.setInsertionPointAfter(op);
    Value less = arith::SelectOp::create(builder, location, isSmall, number(shift * logOfTwo), number(0));
    auto result = arith::SubFOp::create(builder, location, op, less);
    op.getResult().replaceAllUsesExcept(result, result);
  }
}

struct ExpandMath : proa::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    scaleSubnormals<math::LogOp>(getOperation(), std::numbers::ln2);
    scaleSubnormals<math::Log2Op>(getOperation(), 1);
    RewritePatternSet patterns(&getContext());
    populateMathAlgebraicSimplificationPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
