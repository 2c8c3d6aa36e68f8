#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/attention/AttentionOps.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// scores [..., M, N] with minus infinity for keys after the last one that the query may use.
Expression causal(Expression scores) {
  TensorBuilder &e = scores.owner();
  Type index = e.getBuilder().getI64Type();
  int64_t rank = scores.rank();
  DimSize queries(scores, rank - 2), keys(scores, rank - 1);
  Expression row = insertDim(iota(e, queries, index), 1), column = insertDim(iota(e, keys, index), 0);
  Expression distance = e.wrap(keys.getValue(e)) - e.wrap(queries.getValue(e));
  Expression isSeen = column <= row + distance;
  return e.select(isSeen, scores, minusInfinity);
}

Expression softmax(Expression x) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<SoftmaxOp>(x, static_cast<uint64_t>(x.rank() - 1)));
}

/// [B, N, G, D] as [B, H, N, D], each head for H / G queries.
Expression headsFirst(Expression x, int64_t queryHeads) {
  TensorBuilder &e = x.owner();
  Expression heads = e.transpose(x, {0, 2, 1, 3});
  int64_t own = heads.type().getDimSize(1);
  if (own == queryHeads)
    return heads;
  llvm::SmallVector<DimSize> shape = dimSizesOf(heads), repeated = shape;
  repeated.insert(repeated.begin() + 2, DimSize(queryHeads / own));
  shape[1] = queryHeads;
  return reshapeTo(expandTo(insertDim(heads, 2), repeated), shape);
}

} // namespace

LogicalResult FlashAttnOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto q = tensorType(adaptor.getQ()), k = tensorType(adaptor.getK()), v = tensorType(adaptor.getV());
  if (q.getRank() != 4 || k.getRank() != 4 || v.getRank() != 4 || q.isDynamicDim(3) ||
      q.getDimSize(3) != k.getDimSize(3))
    return inferenceError(location, "C1: q is " + llvm::Twine(debugString(q)) + ", k " + debugString(k) +
                                        ", v " + debugString(v));
  int64_t heads = q.getDimSize(2), keyHeads = k.getDimSize(2);
  if (heads <= 0 || keyHeads <= 0 || v.getDimSize(2) != keyHeads || heads % keyHeads != 0)
    return inferenceError(location, "C2: q has " + llvm::Twine(heads) + " heads, k " + llvm::Twine(keyHeads) +
                                        ", v " + llvm::Twine(v.getDimSize(2)));
  if (adaptor.getDropout().convertToDouble() != 0 && !adaptor.getIsTest())
    return inferenceError(location, "C3: dropout requires is_test");
  llvm::SmallVector<int64_t> shape(q.getShape());
  shape[3] = v.getDimSize(3);
  results.push_back(q.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> FlashAttnOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Value ownMask = getAttnMask();
  bool isFused = !ownMask || tensorType(ownMask).getRank() == 4;
  if (isFused && !tensorType(getV()).isDynamicDim(3)) {
    double ownScale = 1 / std::sqrt(static_cast<double>(tensorType(getQ()).getDimSize(3)));
    DenseI64ArrayAttr rowsFirst = builder.getDenseI64ArrayAttr({0, 2, 1, 3});
    auto fused = FusedAttentionOp::create(
        builder, getLoc(), getQ(), getK(), getV(), ownMask, Value(), Value(), Value(), Value(),
        builder.getF64FloatAttr(ownScale), builder.getBoolAttr(getCausal()), rowsFirst, rowsFirst, rowsFirst,
        rowsFirst, builder.getF64FloatAttr(0),
        DropoutModeAttr::get(getContext(), DropoutMode::UpscaleInTrain), builder.getDenseI64ArrayAttr({}),
        /*mask_fill=*/builder.getF64FloatAttr(0), /*soft_cap=*/builder.getF64FloatAttr(0),
        /*left_window=*/builder.getI64IntegerAttr(-1), /*right_window=*/builder.getI64IntegerAttr(-1),
        /*ring=*/builder.getBoolAttr(false));
    return SmallVector<Value>{fused.getOut()};
  }
  int64_t heads = tensorType(getQ()).getDimSize(2);
  Expression q = headsFirst(e.computed(getQ()), heads), k = headsFirst(e.computed(getK()), heads),
             v = headsFirst(e.computed(getV()), heads);
  double scale = 1 / std::sqrt(static_cast<double>(q.type().getDimSize(3)));
  Expression scores = e.matmul(q, k, false, true) * scale;
  if (Value mask = getAttnMask())
    scores = scores + e.cast(e.computed(mask), scores.type().getElementType());
  if (getCausal())
    scores = causal(scores);
  return e.results({e.transpose(e.matmul(softmax(scores), v), {0, 2, 1, 3})});
}

LogicalResult FusedSoftmaxMaskUpperTriangleOp::inferReturnTypes(MLIRContext *,
                                                                std::optional<Location> location,
                                                                Adaptor adaptor,
                                                                llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() < 2)
    return inferenceError(location,
                          "C1: x must have rank 2 or more, found rank " + llvm::Twine(type.getRank()));
  results.push_back(type);
  return success();
}

FailureOr<SmallVector<Value>> FusedSoftmaxMaskUpperTriangleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({softmax(causal(e.operand(0)))});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/Attention.cpp.inc"
#include "dialects/pd/ops/attention/Attention.methods.inc"
