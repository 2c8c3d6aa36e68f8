#include "dialects/pd/ops/attention/FusedAttentionFormula.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Support/DebugStringHelper.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

constexpr unsigned batch = batchOfAttention, head = headOfAttention, row = rowOfAttention,
                   element = elementOfAttention;

/// scores [B, H, M, N] with minus infinity for keys that the query does not use.
Expression restrictKeys(Expression scores, const AttentionOperands &operands) {
  TensorBuilder &e = scores.owner();
  Type index = e.getBuilder().getI64Type();
  DimSize queries(scores, row), keys(scores, element);
  Expression key = insertDim(iota(e, keys, index), 0);
  if (operands.left || operands.right) {
    Expression query = insertDim(iota(e, queries, index), 1);
    Expression position = query + (e.wrap(keys.getValue(e)) - e.wrap(queries.getValue(e)));
    if (operands.left)
      scores = e.select(position <= key + static_cast<double>(*operands.left), scores, minusInfinity);
    if (operands.right)
      scores = e.select(key <= position + static_cast<double>(*operands.right), scores, minusInfinity);
  }
  if (operands.keyLengths) {
    Expression ends = e.cast(e.wrap(operands.keyLengths), index);
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

bool PermutedTensor::isValid() const {
  SmallVector<int64_t> dims = attentionDims(permutation);
  llvm::sort(dims);
  return tensorType(tensor).getRank() == 4 && dims == attentionDims({});
}

SmallVector<int64_t> PermutedTensor::shape() const {
  SmallVector<int64_t> shape;
  for (int64_t dim : attentionDims(permutation))
    shape.push_back(tensorType(tensor).getDimSize(static_cast<unsigned>(dim)));
  return shape;
}

Expression PermutedTensor::inOrder(TensorBuilder &e) const {
  Expression x = e.computed(tensor);
  return permutation.empty() ? x : e.transpose(x, permutation);
}

Expression storedAs(Expression x, ArrayRef<int64_t> permutation) {
  return permutation.empty() ? x : x.owner().transpose(x, invertPermutationVector(permutation));
}

LogicalResult AttentionOperands::check(std::optional<Location> location) const {
  auto qType = tensorType(q.tensor), kType = tensorType(k.tensor), vType = tensorType(v.tensor);
  Type own = qType.getElementType();
  auto types = [&] {
    return "q is " + debugString(qType) + ", k " + debugString(kType) + ", v " + debugString(vType);
  };
  if (!q.isValid() || !k.isValid() || !v.isValid() || kType.getElementType() != own ||
      vType.getElementType() != own)
    return inferenceError(location, "C1: " + types() +
                                        ", expected rank 4, one element type, and permutations of 0 to 3");
  SmallVector<int64_t> ofQ = q.shape(), ofK = k.shape(), ofV = v.shape();
  bool isStatic = !llvm::is_contained({ofQ[head], ofK[head], ofQ[element], ofK[element], ofV[element]},
                                      ShapedType::kDynamic);
  bool agrees = mayBeEqual(ofQ[batch], ofK[batch]) && mayBeEqual(ofK[batch], ofV[batch]) &&
                ofK[head] == ofV[head] && mayBeEqual(ofK[row], ofV[row]) && ofQ[element] == ofK[element];
  if (!isStatic || !agrees || ofK[head] < 1 || ofQ[head] % ofK[head] != 0)
    return inferenceError(location, "C2: " + types());
  if (mask && !broadcasts(mask))
    return inferenceError(location, "C3: mask is " + llvm::Twine(debugString(mask.getType())) +
                                        ", which does not broadcast to [" + llvm::Twine(ofQ[batch]) + ", " +
                                        llvm::Twine(ofQ[head]) + ", " + llvm::Twine(ofQ[row]) + ", " +
                                        llvm::Twine(ofK[row]) + "]");
  if (keyMask && (!broadcasts(keyMask) || tensorType(keyMask).getDimSize(head) != 1 ||
                  tensorType(keyMask).getDimSize(row) != 1))
    return inferenceError(location, "C11: key_mask is " + llvm::Twine(debugString(keyMask.getType())) +
                                        ", expected [" + llvm::Twine(ofQ[batch]) + ", 1, 1, " +
                                        llvm::Twine(ofK[row]) + "], or 1 in place of either");
  if (keyLengths)
    if (tensorType(keyLengths).getRank() != 1 ||
        !mayBeEqual(tensorType(keyLengths).getDimSize(0), ofQ[batch]))
      return inferenceError(location, "C4: key_lengths is " + llvm::Twine(debugString(keyLengths.getType())) +
                                          ", expected one number for each of " + llvm::Twine(ofQ[batch]) +
                                          " batches");
  if (!std::isfinite(softCap) || softCap < 0)
    return inferenceError(location, "C9: soft_cap is " + std::to_string(softCap) +
                                        ", expected a finite number of at least 0");
  for (auto [name, keys] : {std::pair("left_window", leftAttribute), {"right_window", rightAttribute}})
    if (keys < -1)
      return inferenceError(location, "C10: " + StringRef(name) + " is " + Twine(keys) +
                                          ", expected -1 for no window, or a number of keys");
  return dropout.check(location, ofK[row]);
}

bool AttentionOperands::broadcasts(Value own) const {
  int64_t expected[] = {q.shape()[batch], q.shape()[head], q.shape()[row], k.shape()[row]};
  auto type = tensorType(own);
  return type.getRank() == 4 && llvm::all_of(llvm::zip(type.getShape(), expected), [](auto dims) {
           return std::get<0>(dims) == 1 || mayBeEqual(std::get<0>(dims), std::get<1>(dims));
         });
}

LogicalResult WeightDropout::check(std::optional<Location> location, int64_t keys) const {
  if (!(p >= 0 && p <= 1) || (!call && p != 0))
    return inferenceError(location, "C7: dropout_p is " + std::to_string(p) +
                                        ", expected a number in [0, 1], and 0 without dropout_call");
  if (call && (tensorType(call).getShape() != ArrayRef<int64_t>{2} ||
               !tensorType(call).getElementType().isSignlessInteger(64)))
    return inferenceError(location,
                          "C7: dropout_call is " + debugString(call.getType()) + ", expected tensor<2xi64>");
  constexpr int64_t rank = 4;
  if (!shard.whole.empty() && (!call || !mayBeEqual(shard.whole.back(), keys)))
    return inferenceError(location, "C8: whole_shape has the last entry " +
                                        std::to_string(shard.whole.back()) + ", expected the " +
                                        std::to_string(keys) + " keys of an op with dropout_call");
  return checkShard(location, shard.begin, shard.whole, rank, "C8");
}

double WeightDropout::factor() const {
  return mode == DropoutMode::UpscaleInTrain && p < 1 ? 1 / (1 - p) : 1;
}

std::optional<Expression> WeightDropout::kept(Expression weights) const {
  if (!call)
    return std::nullopt;
  Expression probability = weights.owner().constant(p, weights.type().getElementType());
  return keepAtRandom(weights, probability, /*seed=*/0, call, shard);
}

Expression WeightDropout::apply(Expression x, const std::optional<Expression> &kept) const {
  return kept ? keepMasked(x, *kept, x.owner().constant(p, x.type().getElementType()), mode) : x;
}

SmallVector<int64_t> AttentionOperands::resultShape() const {
  SmallVector<int64_t> shape = q.shape();
  shape[element] = v.shape()[element];
  return shape;
}

RankedTensorType AttentionOperands::statisticType() const {
  Type own = tensorType(q.tensor).getElementType();
  Type sums = own.getIntOrFloatBitWidth() < 32 ? Float32Type::get(own.getContext()) : own;
  return RankedTensorType::get(ArrayRef(q.shape()).drop_back(), sums);
}

Expression AttentionOperands::repeatHeads(Expression x) const {
  int64_t queryHeads = q.shape()[head], own = x.type().getDimSize(head);
  if (own == queryHeads)
    return x;
  SmallVector<DimSize> shape = dimSizesOf(x), repeated = shape;
  repeated.insert(repeated.begin() + row, DimSize(queryHeads / own));
  shape[head] = queryHeads;
  return reshapeTo(expandTo(insertDim(x, row), repeated), shape);
}

std::optional<int64_t> windowOf(uint64_t attribute) {
  auto keys = static_cast<int64_t>(attribute);
  constexpr int64_t most = std::numeric_limits<int32_t>::max(); // no tensor has as many rows
  return keys < 0 || keys > most ? std::nullopt : std::optional(keys);
}

std::optional<Expression> AttentionOperands::tanhOfProducts(TensorBuilder &e) const {
  if (softCap == 0)
    return std::nullopt;
  return e.tanh(e.matmul(q.inOrder(e), repeatHeads(k.inOrder(e)), false, true) * (scale / softCap));
}

Expression AttentionOperands::scores(TensorBuilder &e) const {
  std::optional<Expression> capped = tanhOfProducts(e);
  Expression scores =
      capped ? *capped * softCap : e.matmul(q.inOrder(e), repeatHeads(k.inOrder(e)), false, true) * scale;
  for (Value own : {keyMask, mask})
    if (own && !isCondition(own))
      scores = scores + e.cast(e.computed(own), scores.type().getElementType());
  return restrictKeys(whereNotFilled(scores, maskFill), *this);
}

bool isCondition(Value mask) { return mask && tensorType(mask).getElementType().isInteger(1); }

Expression AttentionOperands::whereNotFilled(Expression x, double fill) const {
  for (Value own : {mask, keyMask})
    if (isCondition(own))
      x = x.owner().select(x.owner().wrap(own), x, fill);
  return x;
}

std::optional<int64_t> AttentionOperands::operations(int64_t productsOfHeads,
                                                     int64_t productsOfValues) const {
  SmallVector<int64_t> ofQ = q.shape(), ofK = k.shape();
  if (ShapedType::isDynamicShape(ofQ) || ShapedType::isDynamicShape(ofK))
    return std::nullopt;
  int64_t pairs = ofQ[row] * ofK[row];
  if (left || right) {
    pairs = 0;
    for (int64_t query = 0; query < ofQ[row]; ++query) {
      int64_t position = query + ofK[row] - ofQ[row],
              begin = left ? std::clamp<int64_t>(position - *left, 0, ofK[row]) : 0,
              end = right ? std::clamp<int64_t>(position + *right + 1, 0, ofK[row]) : ofK[row];
      pairs += std::max<int64_t>(end - begin, 0);
    }
  }
  int64_t products = productsOfHeads * ofQ[element] + productsOfValues * v.shape()[element];
  return 2 * ofQ[batch] * ofQ[head] * pairs * products;
}

const char *whyNoCpuKernel(FusedAttentionOpInterface op) {
  return tensorType(op.getQ()).getElementType().isF64() ? "its elements are float64" : nullptr;
}

const char *whyNoRows(PermutedTensor tensor) {
  constexpr int64_t mostElements = 256;
  if (attentionDims(tensor.permutation).back() != element)
    return "the elements of a row are not adjacent";
  if (tensor.shape()[element] > mostElements)
    return "a head has more than 256 elements";
  return llvm::is_contained(tensorType(tensor.tensor).getShape(), 0) ? "an operand has no elements" : nullptr;
}

const char *AttentionOperands::whyNoDeviceKernel() const {
  Type own = tensorType(q.tensor).getElementType();
  if (!own.isF16() && !own.isBF16() && !own.isF32())
    return "its elements are other than float16, bfloat16 and float32";
  for (const PermutedTensor &tensor : {q, k, v})
    if (const char *reason = whyNoRows(tensor))
      return reason;
  return nullptr;
}

} // namespace proa::pd
