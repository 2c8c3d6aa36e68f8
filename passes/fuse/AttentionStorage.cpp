#include "passes/fuse/AttentionStorage.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/View.h"
#include "passes/fuse/AttentionMatmuls.h"
#include "passes/fuse/RepeatedDim.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

ArrayRef<int64_t> shapeOf(Value value) { return pd::tensorType(value).getShape(); }

/// The matrices of which `value` is the transpose, perhaps with other batches; null if it is another value.
static Value untransposed(Value value) {
  if (Operation *op = value.getDefiningOp(); keepsMatrices(op))
    value = op->getOperand(0);
  auto transpose = value.getDefiningOp<pd::TransposeOp>();
  if (!transpose)
    return {};
  auto rank = static_cast<int64_t>(transpose.getPerm().size());
  for (auto [index, own] : llvm::enumerate(transpose.getPerm())) {
    auto dim = static_cast<int64_t>(index);
    int64_t expected = dim < rank - 2 ? dim : 2 * rank - 3 - dim;
    if ((own < 0 ? own + rank : own) != expected)
      return {};
  }
  return transpose.getX();
}

bool AttentionStorage::isDynamic() const {
  return llvm::any_of(
      ArrayRef<Value>{forward.scores, forward.first.x(), forward.first.y(), forward.second.y()},
      [](Value value) { return ShapedType::isDynamicShape(shapeOf(value)); });
}

StoredTensor AttentionStorage::store(Value value, bool isTransposed, ArrayRef<int64_t> batches) {
  if (isTransposed)
    if (Value matrix = untransposed(value); matrix && (!isDynamic() || shapeOf(matrix).size() == 4)) {
      value = matrix;
      isTransposed = false;
    }
  SmallVector<int64_t> shape(batches);
  llvm::append_range(shape, shapeOf(value).take_back(2));
  StoredTensor stored{isDynamic() ? value : reshaped(rewriter, value, shape)};
  if (isTransposed)
    std::swap(stored.permutation[2], stored.permutation[3]);
  while (auto transpose = stored.value.getDefiningOp<pd::TransposeOp>()) {
    if (isWithoutKernel(target) && llvm::is_sorted(stored.permutation))
      break;
    for (int64_t &dim : stored.permutation)
      dim = transpose.getPerm()[static_cast<size_t>(dim)];
    for (int64_t &dim : stored.permutation)
      dim += dim < 0 ? 4 : 0;
    stored.value = transpose.getX();
  }
  bool isReadable =
      isWithoutKernel(target) ? llvm::is_sorted(stored.permutation) : stored.permutation[3] == 3;
  if (!isReadable) { // kernels read rows of adjacent elements
    stored.value = pd::TransposeOp::create(rewriter, root->getLoc(), stored.value,
                                           rewriter.getDenseI64ArrayAttr(stored.permutation));
    stored.permutation = {0, 1, 2, 3};
  }
  return stored;
}

bool AttentionStorage::readUnrepeatedHeads(StoredTensor &stored) {
  auto repeated = RepeatedDim::of(stored.value, stored.permutation[1]);
  Operation *view = repeated ? repeated->narrow.getDefiningOp() : nullptr;
  if (!view || view->getNumOperands() != 1 || !view->hasTrait<pd::MovesElements>() ||
      isa<pd::TransposeOp>(view))
    return false;
  SmallVector<int64_t> expected(shapeOf(repeated->narrow));
  expected.erase(expected.begin() + static_cast<long>(stored.permutation[1]) + 1);
  if (expected.size() != 4 || shapeOf(view->getOperand(0)) != ArrayRef(expected))
    return false;
  stored.value = view->getOperand(0);
  return true;
}

pd::TransposeOp AttentionStorage::transposeOf(Value result, StoredTensor &out) {
  auto transpose = result.hasOneUse() ? dyn_cast<pd::TransposeOp>(*result.user_begin()) : pd::TransposeOp();
  if (!transpose || shapeOf(result).size() != 4)
    return {};
  StoredTensor permuted;
  for (auto [stored, dim] : llvm::enumerate(transpose.getPerm()))
    permuted.permutation[static_cast<size_t>(dim + (dim < 0 ? 4 : 0))] = static_cast<int64_t>(stored);
  if (permuted.permutation[3] != 3)
    return {};
  out = permuted;
  return transpose;
}

Value AttentionStorage::withDimsOf(Value other, Value value) {
  if (!isDynamic())
    return reshaped(rewriter, value, shapeOf(other));
  auto type = RankedTensorType::get(shapeOf(other), getElementTypeOrSelf(value));
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(rewriter, root->getLoc(), type, value);
}

Value AttentionStorage::scaled(Value value, double factor) {
  return scaledBy(rewriter, root->getLoc(), value, factor);
}

} // namespace proa
