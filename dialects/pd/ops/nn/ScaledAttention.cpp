#include "dialects/pd/ops/nn/ScaledAttention.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

namespace {

/// scale (q k^T) + bias, in the type in which formulas are computed. `bias` may be null.
Expression scoresOf(TensorBuilder &e, Value q, Value k, Value bias, double scale) {
  Expression scores = e.computed(e.matmul(e.wrap(q), e.wrap(k), false, true));
  if (scale != 1)
    scores = scores * scale;
  return bias ? scores + e.computed(bias) : scores;
}

/// x rounded to the element type of `like`.
Expression roundedAs(Expression x, Value like) {
  return x.owner().cast(x, tensorType(like).getElementType());
}

/// Constraints C1 and C2.
LogicalResult checkShapes(std::optional<Location> location, RankedTensorType q, RankedTensorType k,
                          RankedTensorType v, Value bias) {
  auto texts = [&] { return "q is " + debugString(q) + ", k " + debugString(k) + ", v " + debugString(v); };
  int64_t rank = q.getRank();
  if (rank < 2 || k.getRank() != rank || v.getRank() != rank ||
      !mayBeEqual(q.getShape().drop_back(2), k.getShape().drop_back(2)) ||
      !mayBeEqual(k.getShape().drop_back(1), v.getShape().drop_back(1)) ||
      !mayBeEqual(q.getShape().back(), k.getShape().back()))
    return inferenceError(location, "C1: " + texts());
  if (!bias)
    return success();
  SmallVector<int64_t> scores(q.getShape());
  scores.back() = k.getDimSize(rank - 2);
  ArrayRef<int64_t> dims = tensorType(bias).getShape();
  bool fits = dims.size() <= scores.size() &&
              llvm::all_of(llvm::zip(llvm::reverse(dims), llvm::reverse(scores)), [](auto pair) {
                return std::get<0>(pair) == 1 || mayBeEqual(std::get<0>(pair), std::get<1>(pair));
              });
  if (!fits)
    return inferenceError(location, "C2: bias is " + debugString(bias.getType()) + ", " + texts());
  return success();
}

/// The types of the results of pd.attention.
struct AttentionTypes {
  RankedTensorType out, statistics;
};
AttentionTypes typesOf(RankedTensorType q, RankedTensorType v) {
  SmallVector<int64_t> dims(q.getShape());
  dims.back() = v.getShape().back();
  RankedTensorType out = q.clone(dims);
  dims.back() = 1;
  Type element = q.getElementType();
  if (element.getIntOrFloatBitWidth() < 32)
    element = Float32Type::get(q.getContext());
  return {out, RankedTensorType::get(dims, element)};
}

} // namespace

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto q = tensorType(adaptor.getQ()), v = tensorType(adaptor.getV());
  if (failed(checkShapes(location, q, tensorType(adaptor.getK()), v, adaptor.getBias())))
    return failure();
  AttentionTypes types = typesOf(q, v);
  results.assign({types.out, types.statistics, types.statistics});
  return success();
}

FailureOr<SmallVector<Value>> AttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression scores = scoresOf(e, getQ(), getK(), getBias(), getScale().convertToDouble());
  int64_t axis = scores.rank() - 1;
  Expression weights = e.wrap(e.create<SoftmaxOp>(scores, static_cast<uint64_t>(axis)));
  Expression out = e.matmul(roundedAs(weights, getV()), e.wrap(getV()));
  Expression maximum = e.max(scores, axis);
  return e.results({out, maximum, e.sum(e.exp(scores - maximum), axis)});
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto q = tensorType(adaptor.getQ()), k = tensorType(adaptor.getK()), v = tensorType(adaptor.getV());
  if (failed(checkShapes(location, q, k, v, adaptor.getBias())))
    return failure();
  AttentionTypes types = typesOf(q, v);
  for (auto [value, expected] :
       {std::pair(adaptor.getOut(), types.out), std::pair(adaptor.getOutGrad(), types.out),
        std::pair(adaptor.getMaximum(), types.statistics), std::pair(adaptor.getSum(), types.statistics)})
    if (!mayBeEqual(tensorType(value).getShape(), expected.getShape()))
      return inferenceError(location, "C3: found " + debugString(value.getType()) +
                                          ", expected the dims of " + debugString(expected));
  results.assign({q, k, v});
  return success();
}

FailureOr<SmallVector<Value>> AttentionGradOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  double scale = getScale().convertToDouble();
  Expression scores = scoresOf(e, getQ(), getK(), getBias(), scale);
  Expression weights = e.exp(scores - e.wrap(getMaximum())) / e.wrap(getSum());
  Expression gradient = e.wrap(getOutGrad());
  Expression delta = e.sum(e.computed(getOutGrad()) * e.computed(getOut()), {scores.rank() - 1});
  Expression ofWeights = e.computed(e.matmul(gradient, e.wrap(getV()), false, true));
  Expression ofScores = weights * (ofWeights - delta);
  if (scale != 1)
    ofScores = ofScores * scale;
  Expression rounded = roundedAs(ofScores, getQ());
  return e.results({e.matmul(rounded, e.wrap(getK())), e.matmul(rounded, e.wrap(getQ()), true, false),
                    e.matmul(roundedAs(weights, getV()), gradient, true, false)});
}

} // namespace proa::pd

#include "dialects/pd/ops/nn/RingInterface.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/ScaledAttention.cpp.inc"
#include "dialects/pd/ops/nn/ScaledAttention.methods.inc"
