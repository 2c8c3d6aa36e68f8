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

/// The most ops visited to find the origin of a dim. An unknown origin only costs a pd.reduce_as, which folds
/// when dims become static.
constexpr int maxSteps = 24;

/// The operand's dimension that broadcasts to dimension d of the result; negative if otherDim is none.
int64_t aligned(Value operand, Value result, int64_t d) {
  return d - (tensorType(result).getRank() - tensorType(operand).getRank());
}

bool isOne(Value value, int64_t d) { return d < 0 || tensorType(value).getDimSize(d) == 1; }

Dimension originOf(Dimension dimension, int &steps);

/// The origin of an elementwise op's result dim: the common origin of the operands that are not broadcast.
std::optional<Dimension> throughElementwise(Operation *op, Dimension dimension, int &steps) {
  std::optional<Dimension> common;
  for (Value operand : op->getOperands()) {
    int64_t d = aligned(operand, dimension.first, dimension.second);
    if (isOne(operand, d))
      continue;
    Dimension origin = originOf({operand, d}, steps);
    if (common && *common != origin)
      return std::nullopt;
    common = origin;
  }
  return common;
}

/// The origin of a matmul's result dim: rows come from x, columns from y.
std::optional<Dimension> throughMatmul(MatmulOp op, int64_t d) {
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
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return throughMatmul(matmul, d);
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

/// The earliest dim, on the path back through the ops, with the same size. Equal origins have equal sizes.
Dimension originOf(Dimension dimension, int &steps) {
  while (steps-- > 0) {
    auto before = oneStepBack(dimension, steps);
    if (!before)
      break;
    dimension = *before;
  }
  return dimension;
}

/// Whether dimension d of the operand, a dynamic dim, may be 1 at run time while the result's dim is not 1.
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
  int64_t resultDim = d + tensorType(result).getRank() - tensorType(operand.get()).getRank();
  int steps = maxSteps;
  Dimension own = originOf({operand.get(), d}, steps);
  return llvm::any_of(op->getOperands(), [&](Value other) {
    int64_t otherDim = aligned(other, result, resultDim);
    if (other == operand.get() || isOne(other, otherDim))
      return false;
    int steps = maxSteps;
    return originOf({other, otherDim}, steps) != own;
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
