#include "dialects/pd/ops/attention/FusedAttentionFormula.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Checks a tensor of rows of the result of attention.
LogicalResult checkRows(std::optional<Location> location, StringRef name, PermutedTensor tensor,
                        const AttentionOperands &operands) {
  Type element = tensorType(operands.q.tensor).getElementType();
  SmallVector<int64_t> expected = operands.resultShape();
  if (tensor.isValid() && tensorType(tensor.tensor).getElementType() == element &&
      mayBeEqual(tensor.shape(), expected))
    return success();
  return inferenceError(location, "C5: " + name + " is " + debugString(tensor.tensor.getType()) +
                                      ", expected the dims " +
                                      debugString(RankedTensorType::get(expected, element)) +
                                      " in the order of its permutation");
}

LogicalResult checkStatistic(std::optional<Location> location, StringRef name, Value tensor,
                             const AttentionOperands &operands) {
  RankedTensorType expected = operands.statisticType();
  if (mayBeEqual(tensorType(tensor).getShape(), expected.getShape()) &&
      tensorType(tensor).getElementType() == expected.getElementType())
    return success();
  return inferenceError(location, "C6: " + name + " is " + debugString(tensor.getType()) + ", expected " +
                                      debugString(expected));
}

template <class Adaptor>
LogicalResult checkOperands(std::optional<Location> location, Adaptor adaptor,
                            const AttentionOperands &operands) {
  return success(succeeded(operands.check(location)) &&
                 succeeded(checkRows(location, "out_grad",
                                     {adaptor.getOutGrad(), adaptor.getOutPermutation()}, operands)) &&
                 succeeded(checkStatistic(location, "maximum", adaptor.getMaximum(), operands)) &&
                 succeeded(checkStatistic(location, "sum", adaptor.getSum(), operands)));
}

template <class Adaptor> LogicalResult checkGradient(std::optional<Location> location, Adaptor adaptor) {
  auto operands = AttentionOperands::of(adaptor);
  if (failed(checkOperands(location, adaptor, operands)))
    return failure();
  return checkStatistic(location, "delta", adaptor.getDelta(), operands);
}

/// The values of the formula that both gradients need.
template <class Op> struct GradientFormula {
  GradientFormula(TensorBuilder &e, Op op)
      : e(e), operands(AttentionOperands::of(op)),
        outGradient(PermutedTensor{op.getOutGrad(), op.getOutPermutation()}.inOrder(e)),
        weights(e.exp(operands.scores(e) - column(op.getMaximum())) / column(op.getSum())) {
    Expression ofWeights = e.matmul(outGradient, operands.repeatHeads(operands.v.inOrder(e)), false, true);
    std::optional<Expression> kept = operands.dropout.kept(weights);
    ofWeights = operands.dropout.apply(ofWeights, kept);
    dropped = operands.dropout.apply(weights, kept);
    scoreGradient = operands.whereNotFilled(weights * (ofWeights - column(op.getDelta())), 0);
    productGradient = scoreGradient * operands.scale;
    if (std::optional<Expression> tanh = operands.tanhOfProducts(e))
      productGradient = productGradient * (1.0 - *tanh * *tanh);
  }

  Expression column(Value statistic) { return insertDim(e.wrap(statistic), elementOfAttention); }

  /// A gradient of a tensor, which may have more batches or rows at run time where the scores' dims
  /// broadcast.
  Expression sumTo(const PermutedTensor &tensor, Expression gradient) {
    if (tensorType(tensor.tensor).hasStaticShape())
      return gradient;
    return e.wrap(e.create<ReduceAsOp>(gradient, tensor.inOrder(e)));
  }

  /// The sum of [B, H, N, D] over the query heads of each head, [B, G, N, D].
  Expression sumOfHeads(Expression x) {
    int64_t own = operands.k.shape()[headOfAttention], all = x.type().getDimSize(headOfAttention);
    if (own == all)
      return x;
    SmallVector<DimSize> groups = dimSizesOf(x);
    groups[headOfAttention] = own;
    groups.insert(groups.begin() + rowOfAttention, DimSize(all / own));
    return e.sum(reshapeTo(x, groups), {rowOfAttention}, /*keepdim=*/false);
  }

  TensorBuilder &e;
  AttentionOperands operands;
  Expression outGradient, weights, dropped = weights, scoreGradient = weights, productGradient = weights;
};

template <class Op> const char *whyNoKernel(Op op) {
  auto operands = AttentionOperands::of(op);
  if (const char *reason = operands.whyNoDeviceKernel())
    return reason;
  constexpr int64_t mostElements = 128; // the sums of a row are in registers
  if (operands.q.shape()[elementOfAttention] > mostElements ||
      operands.v.shape()[elementOfAttention] > mostElements)
    return "a head has more than 128 elements";
  return whyNoRows({op.getOutGrad(), op.getOutPermutation()});
}

} // namespace

Value fusedAttentionDelta(OpBuilder &builder, Operation *op, Value out, Value outGradient,
                          ArrayRef<int64_t> permutation) {
  TensorBuilder e(builder, op);
  Expression product =
      PermutedTensor{outGradient, permutation}.inOrder(e) * PermutedTensor{out, permutation}.inOrder(e);
  return e.sum(product, {elementOfAttention}, /*keepdim=*/false);
}

//===-- All gradients -----------------------------------------------------------------------------------===//

LogicalResult FusedAttentionGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                     Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto operands = AttentionOperands::of(adaptor);
  if (failed(checkOperands(location, adaptor, operands)) ||
      failed(checkRows(location, "out", {adaptor.getOut(), adaptor.getOutPermutation()}, operands)))
    return failure();
  results.assign({adaptor.getQ().getType(), adaptor.getK().getType(), adaptor.getV().getType()});
  return success();
}

FailureOr<SmallVector<Value>> FusedAttentionGradOp::decompose(OpBuilder &builder) {
  Value delta = fusedAttentionDelta(builder, getOperation(), getOut(), getOutGrad(), getOutPermutation());
  auto queries = FusedAttentionQGradOp::create(
      builder, getLoc(), getQ(), getK(), getV(), getOutGrad(), getMaximum(), getSum(), delta, getMask(),
      getKeyLengths(), getDropoutCall(), getPartBegin(), getKeyMask(), getScaleAttr(), getCausalAttr(),
      getQPermutationAttr(), getKPermutationAttr(), getVPermutationAttr(), getOutPermutationAttr(),
      getDropoutPAttr(), getDropoutModeAttr(), getWholeShapeAttr(), getMaskFillAttr(), getSoftCapAttr(),
      getLeftWindowAttr(), getRightWindowAttr());
  auto keys = FusedAttentionKvGradOp::create(
      builder, getLoc(), getQ(), getK(), getV(), getOutGrad(), getMaximum(), getSum(), delta, getMask(),
      getKeyLengths(), getDropoutCall(), getPartBegin(), getKeyMask(), getScaleAttr(), getCausalAttr(),
      getQPermutationAttr(), getKPermutationAttr(), getVPermutationAttr(), getOutPermutationAttr(),
      getDropoutPAttr(), getDropoutModeAttr(), getWholeShapeAttr(), getMaskFillAttr(), getSoftCapAttr(),
      getLeftWindowAttr(), getRightWindowAttr());
  return SmallVector<Value>{queries.getQGrad(), keys.getKGrad(), keys.getVGrad()};
}

const char *FusedAttentionGradOp::whyNoDeviceKernel() {
  return "its partial gradients have kernels of their own";
}

const char *FusedAttentionGradOp::whyNoLibraryKernel() { return whyNoCpuKernel(*this); }

std::optional<int64_t> FusedAttentionGradOp::getDeviceOperations() {
  return AttentionOperands::of(*this).operations(/*productsOfHeads=*/3, /*productsOfValues=*/2);
}

//===-- By queries --------------------------------------------------------------------------------------===//

LogicalResult FusedAttentionQGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                      Adaptor adaptor, SmallVectorImpl<Type> &results) {
  results.push_back(adaptor.getQ().getType());
  return checkGradient(location, adaptor);
}

FailureOr<SmallVector<Value>> FusedAttentionQGradOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  GradientFormula formula(e, *this);
  Expression keys = formula.operands.repeatHeads(formula.operands.k.inOrder(e));
  Expression gradient = formula.sumTo(formula.operands.q, e.matmul(formula.productGradient, keys));
  return e.results({storedAs(gradient, getQPermutation())});
}

const char *FusedAttentionQGradOp::whyNoDeviceKernel() { return whyNoKernel(*this); }

std::optional<int64_t> FusedAttentionQGradOp::getDeviceOperations() {
  return AttentionOperands::of(*this).operations(/*productsOfHeads=*/2, /*productsOfValues=*/1);
}

//===-- By keys and values ------------------------------------------------------------------------------===//

LogicalResult FusedAttentionKvGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                       Adaptor adaptor, SmallVectorImpl<Type> &results) {
  results.assign({adaptor.getK().getType(), adaptor.getV().getType()});
  return checkGradient(location, adaptor);
}

FailureOr<SmallVector<Value>> FusedAttentionKvGradOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  GradientFormula formula(e, *this);
  auto sumOf = [&](Expression byScores, Expression rows, const PermutedTensor &tensor) {
    Expression gradient = formula.sumOfHeads(e.matmul(byScores, rows, true, false));
    return storedAs(formula.sumTo(tensor, gradient), tensor.permutation);
  };
  AttentionOperands &operands = formula.operands;
  return e.results({sumOf(formula.productGradient, operands.q.inOrder(e), operands.k),
                    sumOf(formula.dropped, formula.outGradient, operands.v)});
}

const char *FusedAttentionKvGradOp::whyNoDeviceKernel() { return whyNoKernel(*this); }

std::optional<int64_t> FusedAttentionKvGradOp::getDeviceOperations() {
  return AttentionOperands::of(*this).operations(/*productsOfHeads=*/2, /*productsOfValues=*/2);
}

//===-- By scores ---------------------------------------------------------------------------------------===//

LogicalResult FusedAttentionScoreGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                          Adaptor adaptor, SmallVectorImpl<Type> &results) {
  if (failed(checkGradient(location, adaptor)))
    return failure();
  auto operands = AttentionOperands::of(adaptor);
  SmallVector<int64_t> shape = operands.q.shape();
  shape[elementOfAttention] = operands.k.shape()[rowOfAttention];
  if (adaptor.getSumBatches())
    shape[batchOfAttention] = 1;
  if (adaptor.getSumHeads())
    shape[headOfAttention] = 1;
  results.push_back(RankedTensorType::get(shape, operands.statisticType().getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> FusedAttentionScoreGradOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression gradient = GradientFormula(e, *this).scoreGradient;
  SmallVector<int64_t> summed;
  if (getSumBatches())
    summed.push_back(batchOfAttention);
  if (getSumHeads())
    summed.push_back(headOfAttention);
  return e.results({summed.empty() ? gradient : e.sum(gradient, summed, /*keepdim=*/true)});
}

const char *FusedAttentionScoreGradOp::whyNoDeviceKernel() {
  return tensorType(getScoreGrad()).hasStaticShape() ? whyNoKernel(*this)
                                                     : "the dims of the scores are dynamic";
}

const char *FusedAttentionScoreGradOp::whyNoLibraryKernel() { return whyNoCpuKernel(*this); }

std::optional<int64_t> FusedAttentionScoreGradOp::getDeviceOperations() {
  return AttentionOperands::of(*this).operations(/*productsOfHeads=*/1, /*productsOfValues=*/1);
}

} // namespace proa::pd
