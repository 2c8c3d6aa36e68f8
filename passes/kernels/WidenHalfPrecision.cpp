// Floats of 8 and 16 bits in storage, f32 in arithmetic: see Passes.td.
#include "passes/kernels/NarrowFloats.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace proa {
#define GEN_PASS_DEF_WIDENHALFPRECISION
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

Value extend(OpBuilder &builder, Location loc, Value half) {
  return arith::ExtFOp::create(builder, loc, builder.getF32Type(), half);
}

Value round(OpBuilder &builder, Location loc, Type half, Value value) {
  return arith::TruncFOp::create(builder, loc, half, value);
}

/// An operation on half precision scalars becomes the same on f32 with conversions around it.
struct ComputeInF32 : RewritePattern {
  explicit ComputeInF32(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not arithmetic");
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp, arith::BitcastOp>(op))
      return rewriter.notifyMatchFailure(op, "only moves or converts");
    Type result = op->getResult(0).getType();
    if (!proa::isNarrowFloat(result) && llvm::none_of(op->getOperandTypes(), proa::isNarrowFloat))
      return rewriter.notifyMatchFailure(op, "no half precision");
    Location loc = op->getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(proa::isNarrowFloat(operand.getType()) ? extend(rewriter, loc, operand) : operand);
    OperationState state(loc, op->getName(), operands,
                         proa::isNarrowFloat(result) ? rewriter.getF32Type() : result, op->getAttrs());
    Value wide = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(op, proa::isNarrowFloat(result) ? round(rewriter, loc, result, wide) : wide);
    return success();
  }
};

/// extf(truncf(x)) is x for an x of f32: a kernel may be more exact than f16 and bf16 elements. Roundings to
/// 8 bits stay: programs quantize by them.
struct DropRounding : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    auto rounding = op.getIn().getDefiningOp<arith::TruncFOp>();
    if (!rounding || rounding.getIn().getType() != op.getType() || !proa::isHalf(rounding.getType()))
      return rewriter.notifyMatchFailure(op, "does not undo a rounding to half precision from the same type");
    rewriter.replaceOp(op, rounding.getIn());
    return success();
  }
};

/// An elementwise linalg.generic that converts `source` to elements of `type`.
Value convertTensor(OpBuilder &builder, Location loc, Value source, Type type) {
  auto tensor = cast<RankedTensorType>(source.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, tensor::getMixedSizes(builder, loc, source), type);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(tensor.getRank()));
  SmallVector<utils::IteratorType> loops(tensor.getRank(), utils::IteratorType::parallel);
  auto convert = [&](OpBuilder &body, Location at, ValueRange arguments) {
    Value value =
        proa::isNarrowFloat(type) ? round(body, at, type, arguments[0]) : extend(body, at, arguments[0]);
    linalg::YieldOp::create(body, at, value);
  };
  return linalg::GenericOp::create(builder, loc, empty.getType(), source, empty, maps, loops, convert)
      .getResult(0);
}

/// A reduction into half precision accumulates in f32.
struct AccumulateInF32 : OpRewritePattern<linalg::GenericOp> {
  AccumulateInF32(MLIRContext *context, proa::PassRemarks remarks)
      : OpRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
      return rewriter.notifyMatchFailure(op, "not a reduction with one result");
    OpOperand &init = *op.getDpsInitOperand(0);
    Type half = getElementTypeOrSelf(init.get().getType());
    if (!proa::isNarrowFloat(half))
      return rewriter.notifyMatchFailure(op, "does not accumulate in half precision");
    remarks.done(op) << "the reduction accumulates in f32 and is rounded at the end";
    Location loc = op.getLoc();
    Value wideInit = widenInit(rewriter, loc, init.get());
    SmallVector<Value> inputs(op.getDpsInputs());
    auto wide = linalg::GenericOp::create(rewriter, loc, wideInit.getType(), inputs, wideInit,
                                          op.getIndexingMapsArray(), op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), wide.getRegion(), wide.getRegion().begin());
    Block &body = wide.getRegion().front();
    BlockArgument accumulator = body.getArguments().back();
    rewriter.setInsertionPointToStart(&body);
    accumulator.setType(rewriter.getF32Type());
    Value rounded = round(rewriter, loc, half, accumulator);
    rewriter.replaceAllUsesExcept(accumulator, rounded, rounded.getDefiningOp());
    rewriter.setInsertionPoint(body.getTerminator());
    Value yielded = extend(rewriter, loc, body.getTerminator()->getOperand(0));
    rewriter.modifyOpInPlace(body.getTerminator(), [&] { body.getTerminator()->setOperand(0, yielded); });
    rewriter.setInsertionPointAfter(wide);
    rewriter.replaceOp(op, convertTensor(rewriter, loc, wide.getResult(0), half));
    return success();
  }

private:
  proa::PassRemarks remarks;

  static Value widenInit(OpBuilder &builder, Location loc, Value init) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (!fill)
      return convertTensor(builder, loc, init, builder.getF32Type());
    Value value = extend(builder, loc, fill.getInputs()[0]);
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, fill.getOutputs()[0]), builder.getF32Type());
    return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
  }
};

struct WidenHalfPrecision : proa::impl::WidenHalfPrecisionBase<WidenHalfPrecision> {
  using WidenHalfPrecisionBase::WidenHalfPrecisionBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ComputeInF32, DropRounding>(&getContext());
    patterns.add<AccumulateInF32>(&getContext(), proa::PassRemarks(getArgumentName()));
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
