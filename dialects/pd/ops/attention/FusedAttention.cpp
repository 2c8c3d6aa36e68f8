#include "dialects/pd/ops/attention/FusedAttention.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

LogicalResult FusedAttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto operands = AttentionOperands::of(adaptor);
  if (failed(operands.check(location)))
    return failure();
  PermutedTensor out{operands.q.tensor, adaptor.getOutPermutation()};
  if (!out.isValid())
    return inferenceError(location, "C1: out_permutation does not have each of 0 to 3 once");
  SmallVector<int64_t> shape(4), inOrder = operands.resultShape();
  for (auto [i, dim] : llvm::enumerate(attentionDims(out.permutation)))
    shape[static_cast<size_t>(dim)] = inOrder[i];
  results.push_back(tensorType(operands.q.tensor).clone(shape));
  results.append(2, operands.statisticType());
  return success();
}

FailureOr<SmallVector<Value>> FusedAttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto operands = AttentionOperands::of(*this);
  constexpr int64_t axis = elementOfAttention;
  Expression scores = operands.scores(e);
  Expression weights = e.wrap(e.create<SoftmaxOp>(scores, static_cast<uint64_t>(axis)));
  const WeightDropout &dropout = operands.dropout;
  weights = dropout.apply(weights, dropout.kept(weights));
  Expression out = e.matmul(weights, operands.repeatHeads(operands.v.inOrder(e)));
  Expression maximum = e.max(scores, {axis});
  Expression sum = e.sum(e.exp(scores - maximum), {axis});
  return e.results({storedAs(out, getOutPermutation()), dropDim(maximum, axis), dropDim(sum, axis)});
}

std::optional<int64_t> FusedAttentionOp::getDeviceOperations() {
  return AttentionOperands::of(*this).operations(/*productsOfHeads=*/1, /*productsOfValues=*/1);
}

const char *FusedAttentionOp::whyNoLibraryKernel() { return whyNoCpuKernel(*this); }

const char *FusedAttentionOp::whyNoDeviceKernel() {
  if (const char *reason = AttentionOperands::of(*this).whyNoDeviceKernel())
    return reason;
  return whyNoRows({getOut(), getOutPermutation()});
}

} // namespace proa::pd

#include "dialects/pd/ops/attention/FusedAttentionInterface.cpp.inc"
#include "dialects/pd/ops/attention/RingInterface.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/FusedAttention.cpp.inc"
#include "dialects/pd/ops/attention/FusedAttention.methods.inc"
