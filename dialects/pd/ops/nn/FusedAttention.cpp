#include "dialects/pd/ops/nn/FusedAttention.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Support/DebugStringHelper.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();
/// The dims of attention's tensors, in this order.
enum Dim : unsigned { batch, head, row, element };

/// Whether a permutation has each dim once.
bool isPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> dims = attentionDims(permutation);
  llvm::sort(dims);
  return dims == attentionDims({});
}

/// The dims [batch, heads, rows, elements] of a tensor.
SmallVector<int64_t> shapeOf(Value tensor, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : attentionDims(permutation))
    shape.push_back(tensorType(tensor).getDimSize(static_cast<unsigned>(dim)));
  return shape;
}

bool fits(int64_t a, int64_t b) { return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b); }

Expression inOrder(TensorBuilder &e, Value tensor, ArrayRef<int64_t> permutation) {
  Expression x = e.computed(tensor);
  return permutation.empty() ? x : e.transpose(x, permutation);
}

/// [B, G, N, D] as [B, H, N, D]: each head for H / G query heads.
Expression repeatHeads(Expression x, int64_t queryHeads) {
  int64_t own = x.type().getDimSize(head);
  if (own == queryHeads)
    return x;
  SmallVector<DimSize> shape = dimSizesOf(x), repeated = shape;
  repeated.insert(repeated.begin() + row, DimSize(queryHeads / own));
  shape[head] = queryHeads;
  return reshapeTo(expandTo(insertDim(x, row), repeated), shape);
}

/// scores [B, H, M, N] with minus infinity for keys that the query does not use.
Expression restrictKeys(Expression scores, bool causal, Value lengths) {
  TensorBuilder &e = scores.owner();
  Type index = e.getBuilder().getI64Type();
  DimSize queries(scores, row), keys(scores, element);
  Expression key = insertDim(iota(e, keys, index), 0);
  if (causal) {
    Expression query = insertDim(iota(e, queries, index), 1);
    Expression distance = e.wrap(keys.getValue(e)) - e.wrap(queries.getValue(e));
    scores = e.select(key <= query + distance, scores, minusInfinity);
  }
  if (lengths) {
    Expression ends = e.cast(e.wrap(lengths), index);
    for (int64_t dim = 1; dim < 4; ++dim)
      ends = insertDim(ends, dim);
    scores = e.select(key < ends, scores, minusInfinity);
  }
  return scores;
}

} // namespace

SmallVector<int64_t> attentionDims(ArrayRef<int64_t> permutation) {
  return permutation.empty() ? SmallVector<int64_t>{batch, head, row, element}
                             : SmallVector<int64_t>(permutation);
}

LogicalResult FusedAttentionOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto q = tensorType(adaptor.getQ()), k = tensorType(adaptor.getK()), v = tensorType(adaptor.getV());
  Type own = q.getElementType();
  bool hasRanks = q.getRank() == 4 && k.getRank() == 4 && v.getRank() == 4;
  bool hasPermutations =
      isPermutation(adaptor.getQPermutation()) && isPermutation(adaptor.getKPermutation()) &&
      isPermutation(adaptor.getVPermutation()) && isPermutation(adaptor.getOutPermutation());
  if (!hasRanks || !hasPermutations || k.getElementType() != own || v.getElementType() != own)
    return inferenceError(location, "C1: q is " + llvm::Twine(debugString(q)) + ", k " + debugString(k) +
                                        ", v " + debugString(v) +
                                        ", expected rank 4, one element type, and permutations of 0 to 3");
  SmallVector<int64_t> ofQ = shapeOf(adaptor.getQ(), adaptor.getQPermutation()),
                       ofK = shapeOf(adaptor.getK(), adaptor.getKPermutation()),
                       ofV = shapeOf(adaptor.getV(), adaptor.getVPermutation());
  bool isStatic = !llvm::is_contained({ofQ[head], ofK[head], ofQ[element], ofK[element], ofV[element]},
                                      ShapedType::kDynamic);
  bool agrees = fits(ofQ[batch], ofK[batch]) && fits(ofK[batch], ofV[batch]) && ofK[head] == ofV[head] &&
                fits(ofK[row], ofV[row]) && ofQ[element] == ofK[element];
  if (!isStatic || !agrees || ofK[head] < 1 || ofQ[head] % ofK[head] != 0)
    return inferenceError(location, "C2: q is " + llvm::Twine(debugString(q)) + ", k " + debugString(k) +
                                        ", v " + debugString(v));
  if (Value mask = adaptor.getMask()) {
    auto type = tensorType(mask);
    int64_t expected[] = {ofQ[batch], ofQ[head], ofQ[row], ofK[row]};
    bool broadcasts = type.getRank() == 4;
    for (unsigned dim = 0; broadcasts && dim < 4; ++dim)
      broadcasts = type.getDimSize(dim) == 1 || fits(type.getDimSize(dim), expected[dim]);
    if (!broadcasts)
      return inferenceError(location, "C3: mask is " + llvm::Twine(debugString(type)) +
                                          ", which does not broadcast to [" + llvm::Twine(expected[0]) +
                                          ", " + llvm::Twine(expected[1]) + ", " + llvm::Twine(expected[2]) +
                                          ", " + llvm::Twine(expected[3]) + "]");
  }
  if (Value lengths = adaptor.getKeyLengths())
    if (tensorType(lengths).getRank() != 1 || !fits(tensorType(lengths).getDimSize(0), ofQ[batch]))
      return inferenceError(location, "C4: key_lengths is " + llvm::Twine(debugString(lengths.getType())) +
                                          ", expected one number for each of " + llvm::Twine(ofQ[batch]) +
                                          " batches");
  SmallVector<int64_t> shape(4), outShape{ofQ[batch], ofQ[head], ofQ[row], ofV[element]};
  for (auto [i, dim] : llvm::enumerate(attentionDims(adaptor.getOutPermutation())))
    shape[static_cast<size_t>(dim)] = outShape[i];
  Type sums = own.getIntOrFloatBitWidth() < 32 ? Float32Type::get(context) : own;
  results.push_back(RankedTensorType::get(shape, own));
  results.push_back(RankedTensorType::get({ofQ[batch], ofQ[head], ofQ[row]}, sums));
  return success();
}

FailureOr<SmallVector<Value>> FusedAttentionOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression q = inOrder(e, getQ(), getQPermutation());
  int64_t heads = q.type().getDimSize(head);
  Expression k = repeatHeads(inOrder(e, getK(), getKPermutation()), heads),
             v = repeatHeads(inOrder(e, getV(), getVPermutation()), heads);
  Expression scores = e.matmul(q, k, false, true) * getScale().convertToDouble();
  if (Value mask = getMask())
    scores = scores + e.cast(e.computed(mask), scores.type().getElementType());
  scores = restrictKeys(scores, getCausal(), getKeyLengths());
  Expression weights = e.wrap(e.create<SoftmaxOp>(scores, static_cast<uint64_t>(element)));
  Expression out = e.matmul(weights, v);
  if (!getOutPermutation().empty())
    out = e.transpose(out, invertPermutationVector(getOutPermutation()));
  Expression largest = e.max(scores, {element});
  Expression lse = dropDim(largest + e.log(e.sum(e.exp(scores - largest), {element})), element);
  return e.results({out, lse});
}

const char *FusedAttentionOp::whyNoDeviceKernel() {
  Type own = tensorType(getQ()).getElementType();
  constexpr int64_t mostElements = 256;
  if (!own.isF16() && !own.isBF16() && !own.isF32())
    return "its elements are other than float16, bfloat16 and float32";
  for (auto [tensor, permutation] :
       {std::pair(getQ(), getQPermutation()), std::pair(getK(), getKPermutation()),
        std::pair(getV(), getVPermutation())}) {
    if (attentionDims(permutation).back() != element)
      return "the elements of a row are not adjacent";
    if (shapeOf(tensor, permutation)[element] > mostElements)
      return "a head has more than 256 elements";
    if (llvm::is_contained(tensorType(tensor).getShape(), 0))
      return "an operand has no elements";
  }
  if (attentionDims(getOutPermutation()).back() != element)
    return "the elements of a row are not adjacent";
  return nullptr;
}

} // namespace proa::pd

#include "dialects/pd/ir/DeviceKernel.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/FusedAttention.cpp.inc"
#include "dialects/pd/ops/nn/FusedAttention.methods.inc"
