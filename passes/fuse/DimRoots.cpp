#include "passes/fuse/DimRoots.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include <optional>

using namespace mlir;

namespace proa {
namespace {

/// The dim that a tensor of one element holds; nothing if it is another number.
std::optional<DimRoot> rootHeldBy(Value element) {
  while (true) {
    if (auto reshape = element.getDefiningOp<pd::ReshapeOp>())
      element = reshape.getX();
    else if (auto cast = element.getDefiningOp<pd::CastOp>())
      element = cast.getX();
    else
      break;
  }
  auto dim = element.getDefiningOp<pd::DimOp>();
  if (!dim)
    return std::nullopt;
  auto index = static_cast<int64_t>(dim.getIndex());
  return dimRootOf(dim.getX(), index < 0 ? index + pd::tensorType(dim.getX()).getRank() : index);
}

/// Element `index` of a vector that holds a shape.
std::optional<DimRoot> elementRoot(Value shape, int64_t index) {
  if (auto whole = shape.getDefiningOp<pd::ShapeOp>())
    return dimRootOf(whole.getX(), index);
  auto concat = shape.getDefiningOp<pd::ConcatOp>();
  if (!concat)
    return pd::tensorType(shape).getNumElements() == 1 ? rootHeldBy(shape) : std::nullopt;
  for (Value operand : concat.getX()) {
    RankedTensorType type = pd::tensorType(operand);
    if (!type.hasStaticShape())
      return std::nullopt;
    if (index < type.getNumElements())
      return elementRoot(operand, index);
    index -= type.getNumElements();
  }
  return std::nullopt;
}

/// The dimension of x that an inferred entry of a reshape is: the only one that is left if the others are
/// copied or have the same product.
std::optional<DimRoot> inferredRoot(pd::ReshapeOp op) {
  RankedTensorType from = pd::tensorType(op.getX());
  int64_t product = 1, given = 1;
  SmallVector<int64_t> left;
  for (int64_t axis = 0; axis < from.getRank(); ++axis) {
    bool isCopied = axis < static_cast<int64_t>(op.getShape().size()) && op.getShape()[axis] == 0;
    if (from.isDynamicDim(axis) && !isCopied)
      left.push_back(axis);
    else if (!isCopied)
      product *= from.getDimSize(axis);
  }
  for (int64_t entry : op.getShape())
    given *= entry > 0 ? entry : 1;
  if (left.size() != 1 || product != given || product == 0)
    return std::nullopt;
  return dimRootOf(op.getX(), left.front());
}

std::optional<DimRoot> throughReshape(pd::ReshapeOp op, int64_t axis) {
  if (op.getShapeTensor())
    return elementRoot(op.getShapeTensor(), axis);
  if (op.getShape()[axis] == 0)
    return dimRootOf(op.getX(), axis);
  return op.getShape()[axis] == -1 ? inferredRoot(op) : std::nullopt;
}

std::optional<DimRoot> throughExpand(pd::ExpandOp op, int64_t axis) {
  if (op.getShapeTensor())
    return elementRoot(op.getShapeTensor(), axis);
  int64_t own = axis - (pd::tensorType(op.getOut()).getRank() - pd::tensorType(op.getX()).getRank());
  return own >= 0 && op.getShape()[axis] == -1 ? std::optional(dimRootOf(op.getX(), own)) : std::nullopt;
}

} // namespace

DimRoot dimRootOf(Value tensor, int64_t axis) {
  RankedTensorType type = pd::tensorType(tensor);
  if (!type.isDynamicDim(axis))
    return {Value(), type.getDimSize(axis)};
  std::optional<DimRoot> root;
  if (auto reshape = tensor.getDefiningOp<pd::ReshapeOp>())
    root = throughReshape(reshape, axis);
  else if (auto expand = tensor.getDefiningOp<pd::ExpandOp>())
    root = throughExpand(expand, axis);
  else if (auto transpose = tensor.getDefiningOp<pd::TransposeOp>())
    root = dimRootOf(transpose.getX(), (transpose.getPerm()[axis] + type.getRank()) % type.getRank());
  return root.value_or(DimRoot{tensor, axis});
}

} // namespace proa
