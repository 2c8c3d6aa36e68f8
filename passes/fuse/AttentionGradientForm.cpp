#include "passes/fuse/AttentionGradientForm.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "passes/fuse/AttentionMatmuls.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>

using namespace mlir;

namespace proa {

//===----------------------------------------------------------------------===//
// Results of the program
//===----------------------------------------------------------------------===//

/// The ops of the program that read or compute gradients which the attention replaces.
static SmallVector<Operation *> opsOf(const AttentionBackward &backward) {
  SmallVector<Operation *> ops;
  for (Operation *op : {backward.q.op, backward.k.op, backward.v.op})
    if (op)
      ops.push_back(op);
  for (const ScoreGradientUse &use : backward.scores)
    ops.push_back(use.use->getOwner());
  return ops;
}

bool isAfter(Operation *root, const AttentionBackward &backward) {
  return llvm::all_of(opsOf(backward), [&](Operation *op) {
    return op->getBlock() == root->getBlock() && root->isBeforeInBlock(op);
  });
}

static Operation *onlyUserOf(Value value) { return value.hasOneUse() ? *value.user_begin() : nullptr; }

bool AttentionGradientFormer::skipFactor(Replaced &result) {
  Operation *user = onlyUserOf(result.value);
  std::optional<double> factor = factorOf(user);
  if (!factor || user->getOperand(0) != result.value || shapeOf(user->getResult(0)) != shapeOf(result.value))
    return false;
  result.factor *= *factor;
  result.value = user->getResult(0);
  return true;
}

/// The result of a matmul that is the gradient of `operand`, and the constant factors after it.
AttentionGradientFormer::Replaced AttentionGradientFormer::resultOf(const AttentionMatmul &matmul,
                                                                    Value operand) {
  Replaced result{matmul.op ? matmul.result() : Value()};
  if (Operation *user = result.value ? onlyUserOf(result.value) : nullptr)
    if (targetOfSum(user, result.value) == operand)
      result.value = user->getResult(0);
  while (result.value && skipFactor(result)) {
  }
  return result;
}

/// Whether tensors are known to have equal dims.
static bool haveSameDims(Value a, Value b) {
  return shapeOf(a) == shapeOf(b) && llvm::all_of(llvm::seq<int64_t>(0, shapeOf(a).size()), [&](int64_t dim) {
           return pd::dimRootOf(a, dim) == pd::dimRootOf(b, dim);
         });
}

/// The sum of a gradient over the heads that are repeated for groups; a null value if the program has none.
/// `isTransposed` says whether the matrices of the matmul are.
AttentionGradientFormer::Replaced AttentionGradientFormer::sumOfHeads(const AttentionMatmul &matmul,
                                                                      Value operand, bool isTransposed,
                                                                      const StoredTensor &repeated) {
  Replaced result = resultOf(matmul, operand);
  if (!result.value || shapeOf(result.value).size() != 4)
    return {};
  SmallVector<int64_t> permutation{0, 1, 2, 3};
  if (isTransposed)
    std::swap(permutation[2], permutation[3]);
  for (;;) {
    Operation *user = onlyUserOf(result.value);
    if (auto transpose = dyn_cast_or_null<pd::TransposeOp>(user)) {
      SmallVector<int64_t> indices(4);
      for (auto [index, dim] : llvm::enumerate(transpose.getPerm()))
        indices[static_cast<size_t>(dim + (dim < 0 ? 4 : 0))] = static_cast<int64_t>(index);
      for (int64_t &dim : permutation)
        dim = indices[static_cast<size_t>(dim)];
      result.value = transpose.getOut();
    } else if (!skipFactor(result)) {
      break;
    }
  }
  Operation *split = onlyUserOf(result.value);
  Value groups = repeated.value.getDefiningOp<pd::ReshapeOp>().getX(); // see readUnrepeatedHeads
  if (permutation != repeated.permutation || !isa_and_present<pd::ReshapeOp>(split) ||
      !haveSameDims(split->getResult(0), groups) || !split->hasOneUse())
    return {};
  auto sum = dyn_cast<pd::SumOp>(*split->user_begin());
  if (!sum || sum.getAxis().size() != 1 || sum.getAxis()[0] != permutation[1] + 1)
    return {};
  result.value = sum.getOut();
  return result;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// A tensor [batch, heads, rows, elements], or with transposed matrices, in the order of its storage.
Value AttentionGradientFormer::inOrder(Value stored, SmallVector<int64_t> permutation, bool isTransposed) {
  if (isTransposed)
    std::swap(permutation[2], permutation[3]);
  if (llvm::is_sorted(permutation))
    return stored;
  return pd::TransposeOp::create(rewriter, root->getLoc(), stored,
                                 rewriter.getDenseI64ArrayAttr(permutation));
}

/// A gradient of keys or values, with a dim of size 1 for the groups if the sum in the program keeps it.
Value AttentionGradientFormer::withGroups(const Replaced &sum, Value gradient, const StoredTensor &stored) {
  if (shapeOf(sum.value).size() == shapeOf(gradient).size())
    return gradient;
  pd::TensorBuilder e(rewriter, root);
  return pd::insertDim(e.wrap(gradient), stored.permutation[1] + 1);
}

/// `factor` times a gradient, with the dims of `value`.
Value AttentionGradientFormer::inPlaceOf(Value value, Value gradient, double factor) {
  gradient = withDimsOf(value, gradient);
  constexpr double rounding = 1e-6; // of factors in float32 that cancel each other
  return std::abs(factor - 1) > rounding ? scaled(gradient, factor) : gradient;
}

/// Replaces a result by `factor` times a gradient.
void AttentionGradientFormer::replace(const Replaced &result, Value gradient, double factor) {
  if (result.value)
    rewriter.replaceAllUsesWith(result.value, inPlaceOf(result.value, gradient, factor * result.factor));
}

/// The place of the gradient: before the first op that it replaces.
void AttentionGradientFormer::setPlace() {
  Operation *first = backward.v.op;
  for (Operation *op : opsOf(backward))
    if (op->isBeforeInBlock(first))
      first = op;
  rewriter.setInsertionPoint(first);
}

/// Replaces uses of the gradient of the scores.
void AttentionGradientFormer::createScoreGradients(pd::FusedAttentionGradOp all) {
  if (backward.scores.empty())
    return;
  Value delta =
      pd::fusedAttentionDelta(rewriter, root, all.getOut(), all.getOutGrad(), all.getOutPermutation());
  for (const ScoreGradientUse &use : backward.scores) {
    Value gradient = pd::FusedAttentionScoreGradOp::create(
        rewriter, root->getLoc(), all.getQ(), all.getK(), all.getV(), all.getOutGrad(), all.getMaximum(),
        all.getSum(), delta, all.getMask(), all.getKeyLengths(), all.getDropoutCall(), all.getPartBegin(),
        all.getKeyMask(), all.getScaleAttr(), all.getCausalAttr(), all.getQPermutationAttr(),
        all.getKPermutationAttr(), all.getVPermutationAttr(), all.getOutPermutationAttr(),
        all.getDropoutPAttr(), all.getDropoutModeAttr(), all.getWholeShapeAttr(), all.getMaskFillAttr(),
        all.getSoftCapAttr(), all.getLeftWindowAttr(), all.getRightWindowAttr(),
        rewriter.getBoolAttr(use.sumsBatches), rewriter.getBoolAttr(use.sumsHeads));
    pd::TensorBuilder e(rewriter, root);
    Value value = use.value();
    gradient = e.cast(e.wrap(inPlaceOf(value, gradient, use.factor)), getElementTypeOrSelf(value));
    if (value == use.use->get())
      rewriter.modifyOpInPlace(use.use->getOwner(), [&] { use.use->set(gradient); });
    else
      rewriter.replaceAllUsesWith(value, gradient);
  }
}

void AttentionGradientFormer::create() {
  auto [op, q, out, keys, values, batches, queryFactor, keyFactor] = attention;
  bool areKeysTransposed = !forward.first.isYTransposed;
  bool isRepeated = keys.repeated.value != keys.own.value;
  Replaced ofKeys, ofValues;
  if (isRepeated) {
    ofKeys = sumOfHeads(backward.k, forward.first.y(), areKeysTransposed, keys.repeated);
    ofValues = sumOfHeads(backward.v, forward.second.y(), false, values.repeated);
  }
  // Otherwise each query head has gradients of its own.
  bool hasSums = ofKeys.value && ofValues.value;
  const StoredTensor &k = hasSums ? keys.own : keys.repeated, &v = hasSums ? values.own : values.repeated;
  setPlace();
  StoredTensor outGradient = store(backward.outGradient, false, batches);
  if (outGradient.permutation != out.permutation)
    outGradient.value = inOrder(inOrder(outGradient.value, outGradient.permutation, false),
                                invertPermutationVector(out.permutation), false);
  auto gradient = pd::FusedAttentionGradOp::create(
      rewriter, root->getLoc(), q.value, k.value, v.value, outGradient.value, op.getMaximum(), op.getSum(),
      op.getOut(), op.getMask(), op.getKeyLengths(), op.getDropoutCall(), op.getPartBegin(), op.getKeyMask(),
      op.getScaleAttr(), op.getCausalAttr(), q.attribute(rewriter), k.attribute(rewriter),
      v.attribute(rewriter), out.attribute(rewriter), op.getDropoutPAttr(), op.getDropoutModeAttr(),
      op.getWholeShapeAttr(), op.getMaskFillAttr(), op.getSoftCapAttr(), op.getLeftWindowAttr(),
      op.getRightWindowAttr(), op.getRingAttr());
  createScoreGradients(gradient);
  double factor = backward.factor / forward.scoreFactor; // of the gradient of the matmul in the program
  replace(resultOf(backward.q, forward.first.x()), inOrder(gradient.getQGrad(), q.permutation, false),
          factor / queryFactor);
  if (hasSums) {
    replace(ofKeys, withGroups(ofKeys, gradient.getKGrad(), k), factor / keyFactor);
    replace(ofValues, withGroups(ofValues, gradient.getVGrad(), v), 1);
    return;
  }
  replace(resultOf(backward.k, forward.first.y()),
          inOrder(gradient.getKGrad(), k.permutation, areKeysTransposed), factor / keyFactor);
  replace(resultOf(backward.v, forward.second.y()), inOrder(gradient.getVGrad(), v.permutation, false), 1);
}

} // namespace proa
