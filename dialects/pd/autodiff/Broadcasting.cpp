#include "dialects/pd/autodiff/Broadcasting.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceAsOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A dimension of a value.
using Dimension = std::pair<Value, int64_t>;

/// At most this many ops are followed to find the source of a dim. A source that is not found costs an op,
/// which folds once dims are static.
constexpr int mostSteps = 24;

/// The dimension of an operand that is dimension d of the op's result; negative where it has none.
int64_t aligned(Value operand, Value result, int64_t d) {
  return d - (tensorType(result).getRank() - tensorType(operand).getRank());
}

bool hasSizeOne(Value value, int64_t d) { return d < 0 || tensorType(value).getDimSize(d) == 1; }

Dimension originOf(Dimension dimension, int &steps);

/// Of an elementwise op's result: that of the operands that are not broadcast, if they have one in common.
std::optional<Dimension> throughElementwise(Operation *op, Dimension dimension, int &steps) {
  std::optional<Dimension> common;
  for (Value operand : op->getOperands()) {
    int64_t d = aligned(operand, dimension.first, dimension.second);
    if (hasSizeOne(operand, d))
      continue;
    Dimension origin = originOf({operand, d}, steps);
    if (common && *common != origin)
      return std::nullopt;
    common = origin;
  }
  return common;
}

/// Of a matrix product's result: its rows are x's, its columns y's.
std::optional<Dimension> throughProduct(MatmulOp op, int64_t d) {
  int64_t rank = tensorType(op.getOut()).getRank(), rankX = tensorType(op.getX()).getRank(),
          rankY = tensorType(op.getY()).getRank();
  if (rankX < 2 || rankY < 2 || d < rank - 2)
    return std::nullopt;
  if (d == rank - 2)
    return Dimension{op.getX(), rankX - (op.getTransposeX() ? 1 : 2)};
  return Dimension{op.getY(), rankY - (op.getTransposeY() ? 2 : 1)};
}

std::optional<Dimension> throughReduction(ReductionOpInterface op, int64_t d) {
  Value x = op->getOperand(0);
  SmallVector<int64_t> reduced = op.getReducedDims();
  if (tensorType(op->getResult(0)).getRank() == tensorType(x).getRank())
    return llvm::is_contained(reduced, d) ? std::nullopt : std::optional(Dimension{x, d});
  for (int64_t from = 0; from < tensorType(x).getRank(); ++from)
    if (!llvm::is_contained(reduced, from) && d-- == 0)
      return Dimension{x, from};
  return std::nullopt;
}

std::optional<Dimension> oneStepBack(Dimension dimension, int &steps) {
  auto [value, d] = dimension;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<ScalarOpInterface, CastOp>(op) || (op->hasTrait<ElementwiseTrait>() && op->getNumOperands() == 1))
    return throughElementwise(op, dimension, steps);
  if (auto product = dyn_cast<MatmulOp>(op))
    return throughProduct(product, d);
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return throughReduction(reduction, d);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    int64_t from = transpose.getPerm()[d];
    return Dimension{transpose.getX(), from < 0 ? from + tensorType(value).getRank() : from};
  }
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (reshape && !reshape.getShapeTensor() && reshape.getShape()[d] == 0)
    return Dimension{reshape.getX(), d};
  return std::nullopt;
}

/// The first value found on the way back that has the same dim; equal ones have equal dims.
Dimension originOf(Dimension dimension, int &steps) {
  while (steps-- > 0) {
    auto before = oneStepBack(dimension, steps);
    if (!before)
      break;
    dimension = *before;
  }
  return dimension;
}

/// Whether dimension d of the operand may have size 1 where that of the result has another. Of its
/// operand's type it is known that it is open.
bool mayBeBroadcast(OpOperand &operand, int64_t d) {
  Operation *op = operand.getOwner();
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    int64_t added = tensorType(expand.getOut()).getRank() - tensorType(expand.getX()).getRank();
    return expand.getShapeTensor() || expand.getShape()[d + added] != -1;
  }
  if (isa<MatmulOp>(op)) {
    auto hasBatch = [](Value matrices) { return tensorType(matrices).getRank() > 2; };
    if (d >= tensorType(operand.get()).getRank() - 2 || !llvm::all_of(op->getOperands(), hasBatch))
      return false;
  } else if (!isa<ScalarOpInterface>(op)) {
    return op->hasTrait<BroadcastsOperands>();
  }
  Value result = op->getResult(0);
  int64_t place = d + tensorType(result).getRank() - tensorType(operand.get()).getRank();
  int steps = mostSteps;
  Dimension own = originOf({operand.get(), d}, steps);
  return llvm::any_of(op->getOperands(), [&](Value other) {
    int64_t there = aligned(other, result, place);
    if (other == operand.get() || hasSizeOne(other, there))
      return false;
    int steps = mostSteps;
    return originOf({other, there}, steps) != own;
  });
}

} // namespace

Value sumToShapeOf(OpBuilder &builder, Location location, Value gradient, Value like) {
  auto from = tensorType(gradient), to = tensorType(like);
  int64_t added = from.getRank() - to.getRank();
  llvm::SmallVector<int64_t> axes, leading;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (d < added || (to.getDimSize(d - added) == 1 && from.getDimSize(d) != 1))
      axes.push_back(d);
  if (axes.empty())
    return gradient;
  auto element = TypeAttr::get(from.getElementType());
  TypeAttr kept = from.getElementType().isInteger() ? element : TypeAttr();
  gradient = SumOp::create(builder, location, gradient, axes, /*keepdim=*/true, kept);
  if (added == 0)
    return gradient;
  for (int64_t d = 0; d < added; ++d)
    leading.push_back(d);
  return SumOp::create(builder, location, gradient, leading, /*keepdim=*/false, kept);
}

Value gradientOfOperand(OpBuilder &builder, OpOperand &operand, Value gradient) {
  Location location = operand.getOwner()->getLoc();
  gradient = sumToShapeOf(builder, location, gradient, operand.get());
  auto from = tensorType(gradient), to = tensorType(operand.get());
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.isDynamicDim(d) && from.getDimSize(d) != 1 && mayBeBroadcast(operand, d))
      return ReduceAsOp::create(builder, location, gradient, operand.get());
  return gradient;
}

bool mayBroadcast(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    for (int64_t d = 0; type && d < type.getRank(); ++d)
      if (type.isDynamicDim(d) && mayBeBroadcast(operand, d))
        return true;
    return false;
  });
}

} // namespace proa::pd
