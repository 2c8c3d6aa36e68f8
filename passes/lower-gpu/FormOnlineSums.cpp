// The maximum of long rows and the sum of their exponentials in one reading: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_FORMONLINESUMS
#include "passes/lower-gpu/Passes.h.inc"

namespace {

Value withoutExtensions(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// The argument of the body for the only input.
bool isInput(Value value, linalg::GenericOp op, unsigned input) {
  auto argument = dyn_cast<BlockArgument>(withoutExtensions(value));
  return argument && argument.getOwner() == op.getBody() && argument.getArgNumber() == input;
}

Operation *yieldedOp(linalg::GenericOp op) {
  return op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
}

/// A sum of exponentials of x - max(x) along the same loops.
struct SumOfExponentials {
  linalg::GenericOp maximum, exponentials, sum;
  AffineMap input, result; ///< of the loops to x, and to the sum

  static FailureOr<SumOfExponentials> match(linalg::GenericOp sum, PatternRewriter &rewriter) {
    auto refuse = [&](const char *why) { return rewriter.notifyMatchFailure(sum, why); };
    if (sum.getNumReductionLoops() == 0 || sum.getNumDpsInputs() != 1 || sum.getNumDpsInits() != 1)
      return refuse("is not a reduction of one tensor");
    auto add = dyn_cast_or_null<arith::AddFOp>(yieldedOp(sum));
    if (!add || !add.getType().isF32() || sum.getBody()->getOperations().size() != 2)
      return refuse("is not a sum of f32");
    SumOfExponentials found;
    found.sum = sum;
    found.exponentials = sum.getDpsInputs()[0].getDefiningOp<linalg::GenericOp>();
    if (!found.exponentials || found.exponentials.getNumReductionLoops() != 0 ||
        found.exponentials.getNumDpsInputs() != 2 || found.exponentials.getNumResults() != 1)
      return refuse("does not add what an elementwise op of two operands computes");
    found.maximum = found.exponentials.getDpsInputs()[1].getDefiningOp<linalg::GenericOp>();
    if (!found.isExponential())
      return refuse("does not add exponentials of differences from a maximum");
    if (!found.isMaximum())
      return refuse("the exponentials are not relative to the maximum of their elements");
    if (!found.haveSameLoops())
      return refuse("the loops of maximum, exponentials and sum differ");
    return found;
  }

  Value x() { return maximum.getDpsInputs()[0]; }

private:
  /// exp(x - m). The difference may have a lower bound if exp of the bound is too small to change a sum
  /// that is at least 1.
  bool isExponential() {
    auto exponential = dyn_cast_or_null<math::ExpOp>(yieldedOp(exponentials));
    if (!exponential || !exponential.getType().isF32())
      return false;
    Value difference = exponential.getOperand();
    if (auto select = difference.getDefiningOp<arith::SelectOp>()) {
      auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
      constexpr double leastChange = -60; // 2^-86: 2^62 of them do not change a sum of 1
      FloatAttr bound;
      if (!compare || compare.getPredicate() != arith::CmpFPredicate::OLT ||
          !matchPattern(select.getTrueValue(), m_Constant(&bound)) ||
          bound.getValueAsDouble() > leastChange || compare.getRhs() != select.getTrueValue() ||
          !isDifference(compare.getLhs()))
        return false;
      difference = select.getFalseValue();
    }
    return isDifference(difference);
  }

  bool isDifference(Value value) {
    auto subtract = value.getDefiningOp<arith::SubFOp>();
    return subtract && isInput(subtract.getLhs(), exponentials, 0) &&
           isInput(subtract.getRhs(), exponentials, 1);
  }

  bool isMaximum() {
    if (!maximum || maximum.getNumDpsInputs() != 1 || maximum.getNumResults() != 1 ||
        maximum.getNumReductionLoops() == 0)
      return false;
    Operation *greatest = yieldedOp(maximum);
    if (!isa_and_present<arith::MaximumFOp, arith::MaxNumFOp>(greatest) ||
        !greatest->getResult(0).getType().isF32())
      return false;
    Value accumulator = maximum.getRegionOutputArgs()[0];
    Value left = greatest->getOperand(0), right = greatest->getOperand(1);
    FloatAttr start;
    auto fill = maximum.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    bool startsLow = fill && matchPattern(fill.getInputs()[0], m_Constant(&start)) &&
                     start.getValue().isInfinity() && start.getValue().isNegative();
    return startsLow && x() == exponentials.getDpsInputs()[0] &&
           ((left == accumulator && isInput(right, maximum, 0)) ||
            (right == accumulator && isInput(left, maximum, 0)));
  }

  bool haveSameLoops() {
    SmallVector<AffineMap> ofMaximum = maximum.getIndexingMapsArray(),
                           ofExponentials = exponentials.getIndexingMapsArray(),
                           ofSum = sum.getIndexingMapsArray();
    input = ofMaximum[0];
    result = ofMaximum[1];
    return maximum.getIteratorTypesArray() == sum.getIteratorTypesArray() && ofExponentials[2].isIdentity() &&
           ofSum[0].isIdentity() && ofExponentials[0] == input && ofExponentials[1] == result &&
           ofSum[1] == result && input.isPermutation();
  }
};

/// Maximum and sum by one reduction.
struct MergeSum : OpRewritePattern<linalg::GenericOp> {
  MergeSum(MLIRContext *context, PassRemarks remarks, int64_t blocks)
      : OpRewritePattern(context), remarks(remarks), blocks(blocks) {}

  PassRemarks remarks;
  int64_t blocks;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    FailureOr<SumOfExponentials> match = SumOfExponentials::match(op, rewriter);
    if (failed(match))
      return failure();
    std::optional<int64_t> bytes = exponentialBytes(op);
    int64_t available = gpuOf(op).sharedBytesOf(blocks);
    if (bytes && *bytes <= available)
      return rewriter.notifyMatchFailure(op, [&](mlir::Diagnostic &reason) {
        reason << "the exponentials of a row, " << *bytes << " bytes, fit the " << available
               << " bytes of shared memory that each of " << blocks << " blocks has";
      });
    for (Operation *user : match->exponentials->getUsers())
      if (auto reader = dyn_cast<linalg::LinalgOp>(user);
          user != op && (!reader || reader.getNumReductionLoops() > 0))
        return rewriter.notifyMatchFailure(op, "something else than elementwise ops reads the exponentials");
    rewriter.setInsertionPoint(match->exponentials);
    rewrite(*match, rewriter);
    remarks.done(op) << "the maximum of a row and the sum of its exponentials are one reduction: its "
                        "exponentials take "
                     << (bytes ? std::to_string(*bytes) : "a dynamic number of") << " bytes, each of "
                     << std::to_string(blocks) << " blocks has " << std::to_string(available)
                     << " of shared memory";
    return success();
  }

private:
  /// The size of a row of exponentials; nothing if it is dynamic.
  static std::optional<int64_t> exponentialBytes(linalg::GenericOp op) {
    int64_t bytes = sizeof(float);
    for (auto [size, iterator] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
      if (iterator != utils::IteratorType::reduction)
        continue;
      if (ShapedType::isDynamic(size))
        return std::nullopt;
      bytes *= size;
    }
    return bytes;
  }

  static void rewrite(SumOfExponentials &match, PatternRewriter &rewriter) {
    Location loc = match.sum.getLoc();
    Operation *greatest = yieldedOp(match.maximum);
    Value inits[] = {match.maximum.getDpsInits()[0], match.sum.getDpsInits()[0]};
    // The start of the sum is computed after the maximum.
    if (Operation *start = inits[1].getDefiningOp())
      moveBefore(start, rewriter);
    Type types[] = {inits[0].getType(), inits[1].getType()};
    AffineMap maps[] = {match.input, match.result, match.result};
    auto merged = linalg::GenericOp::create(
        rewriter, loc, types, match.x(), inits, maps, match.maximum.getIteratorTypesArray(),
        [&](OpBuilder &b, Location at, ValueRange arguments) {
          Value x = arguments[0];
          if (x.getType() != rewriter.getF32Type())
            x = arith::ExtFOp::create(b, at, rewriter.getF32Type(), x);
          linalg::YieldOp::create(b, at, combine(b, at, greatest, arguments[1], arguments[2], x));
        });
    Value maximum = merged.getResult(0), sum = checked(merged, rewriter);
    rewriter.replaceAllUsesWith(match.maximum.getResult(0), maximum);
    rewriter.replaceOp(match.sum, sum);
  }

  /// Moves `op` and what it needs before the insertion point.
  static void moveBefore(Operation *op, PatternRewriter &rewriter) {
    Operation *position = &*rewriter.getInsertionPoint();
    if (op->getBlock() != position->getBlock() || op->isBeforeInBlock(position))
      return;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        moveBefore(producer, rewriter);
    rewriter.moveOpBefore(op, position);
  }

  /// The maximum and the sum of the exponentials relative to it, of (m, s) and (x, 1). The smaller one of m
  /// and x is rescaled; without a number above -inf it has no element. The power of 2 may be approximate:
  /// where the rounding of its exponent matters, the term does not.
  static SmallVector<Value> combine(OpBuilder &b, Location loc, Operation *greatest, Value m, Value s,
                                    Value x) {
    auto constant = [&](double value) {
      return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(value)));
    };
    constexpr auto contract = arith::FastMathFlags::contract;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Value isOther = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, m);
    Value maximum = isa<arith::MaximumFOp>(greatest) ? Value(arith::MaximumFOp::create(b, loc, m, x))
                                                     : Value(arith::MaxNumFOp::create(b, loc, m, x));
    Value smaller = arith::MinimumFOp::create(b, loc, m, x); // NaN if one is
    Value isNothing = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, constant(-infinity));
    Value base = arith::SelectOp::create(b, loc, isNothing, constant(0), maximum);
    Value exponent = arith::MulFOp::create(b, loc, arith::SubFOp::create(b, loc, smaller, base),
                                           constant(std::numbers::log2e));
    Value factor = math::Exp2Op::create(b, loc, exponent, arith::FastMathFlags::afn);
    Value one = constant(1);
    Value larger = arith::SelectOp::create(b, loc, isOther, one, s),
          other = arith::SelectOp::create(b, loc, isOther, s, one);
    Value scaled = arith::MulFOp::create(b, loc, other, factor, contract);
    return {maximum, arith::AddFOp::create(b, loc, larger, scaled, contract)};
  }

  /// The sum of a row, which is NaN where the maximum is infinite, as the difference from it is.
  static Value checked(linalg::GenericOp merged, PatternRewriter &rewriter) {
    Location loc = merged.getLoc();
    auto type = cast<RankedTensorType>(merged.getResult(1).getType());
    AffineMap identity = rewriter.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
    SmallVector<utils::IteratorType> loops(static_cast<size_t>(type.getRank()),
                                           utils::IteratorType::parallel);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, merged.getResult(1));
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
    AffineMap maps[] = {identity, identity, identity};
    return linalg::GenericOp::create(rewriter, loc, TypeRange(type), merged.getResults(), empty, maps, loops,
                                     [](OpBuilder &b, Location at, ValueRange arguments) {
                                       Value m = arguments[0];
                                       Value zero = arith::SubFOp::create(b, at, m, m);
                                       Value sum = arith::AddFOp::create(b, at, arguments[1], zero);
                                       linalg::YieldOp::create(b, at, sum);
                                     })
        .getResult(0);
  }
};

struct FormOnlineSums : impl::FormOnlineSumsBase<FormOnlineSums> {
  using FormOnlineSumsBase::FormOnlineSumsBase;

  void runOnOperation() override {
    if (!getOperation()->hasAttr(kernelAttribute))
      return;
    PassRemarks remarks(getArgumentName());
    RewritePatternSet patterns(&getContext());
    patterns.add<MergeSum>(&getContext(), remarks, blocks);
    applyPatternsOnce(getOperation(), std::move(patterns), remarks);
  }
};

} // namespace
} // namespace proa
