#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/ProductOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The axis of pd.cross, or -1.
int64_t crossAxis(RankedTensorType type, int64_t axis) {
  if (axis == 9) {
    const auto *found = llvm::find(type.getShape(), 3);
    return found == type.getShape().end() ? -1 : found - type.getShape().begin();
  }
  axis = axis < 0 ? axis + type.getRank() : axis;
  bool fits = axis >= 0 && axis < type.getRank() && (type.getDimSize(axis) == 3 || type.isDynamicDim(axis));
  return fits ? axis : -1;
}

} // namespace

LogicalResult KronOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       Results &results) {
  auto element = commonElementType(location, adaptor.getOperands(), "C1");
  if (failed(element))
    return failure();
  llvm::ArrayRef<int64_t> x = tensorType(adaptor.getX()).getShape(),
                          y = tensorType(adaptor.getY()).getShape();
  llvm::SmallVector<int64_t> shape(std::max(x.size(), y.size()));
  for (size_t back = 1; back <= shape.size(); ++back) {
    int64_t a = back <= x.size() ? x[x.size() - back] : 1, b = back <= y.size() ? y[y.size() - back] : 1;
    shape[shape.size() - back] =
        ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ? ShapedType::kDynamic : a * b;
  }
  results.push_back(RankedTensorType::get(shape, *element));
  return success();
}

FailureOr<SmallVector<Value>> KronOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), y = e.operand(1);
  int64_t rank = std::max(x.rank(), y.rank());
  auto dimSizesWith = [&](Expression value) {
    llvm::SmallVector<DimSize> dimSizes(rank - value.rank(), DimSize(1));
    llvm::append_range(dimSizes, dimSizesOf(value));
    return dimSizes;
  };
  llvm::SmallVector<DimSize> xs = dimSizesWith(x), ys = dimSizesWith(y), left, right, out;
  for (int64_t d = 0; d < rank; ++d) {
    left.append({xs[d], DimSize(1)});
    right.append({DimSize(1), ys[d]});
    out.push_back(multiply(e, xs[d], ys[d]));
  }
  return e.results({reshapeTo(reshapeTo(x, left) * reshapeTo(y, right), out)});
}

LogicalResult CrossOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        Results &results) {
  auto x = tensorType(adaptor.getX()), y = tensorType(adaptor.getY());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (x.getRank() != y.getRank() || x.getElementType() != y.getElementType() ||
      failed(verifyCompatibleShape(x.getShape(), y.getShape()))) {
    stream << "C1: both operands must have one type, found " << x << " and " << y;
    return inferenceError(location, text);
  }
  // Dimension 9 is resolved when all dims are static.
  bool isOpen = adaptor.getAxis() == 9 && x.getNumDynamicDims() > 0;
  if (crossAxis(x, adaptor.getAxis()) < 0 && !isOpen) {
    stream << "C2: the dimension must have size 3, found axis " << static_cast<int64_t>(adaptor.getAxis())
           << " of " << x;
    return inferenceError(location, text);
  }
  results.push_back(x);
  return success();
}

/// The product along the first dimension of size 3, decided by the run: of the products along each candidate
/// one is selected, by an index that is out of range if there is none.
static Expression openCross(Expression x, Expression y) {
  TensorBuilder &e = x.owner();
  auto rolled = [&](Expression value, int64_t axis, int64_t by) {
    return concat({slice(value, axis, by, toTheEnd), slice(value, axis, 0, by)}, axis);
  };
  llvm::SmallVector<Expression> products;
  llvm::SmallVector<DimSize> dimSizes;
  for (int64_t axis = 0;
       axis < x.rank() && !llvm::any_of(
                              dimSizes, [](const DimSize &dimSize) { return dimSize.isNumber(3); });
       ++axis) {
    DimSize dimSize(x, axis);
    if (dimSize.isKnown() && !dimSize.isNumber(3))
      continue;
    dimSizes.push_back(dimSize);
    products.push_back(
        insertDim(rolled(x, axis, 1) * rolled(y, axis, 2) - rolled(x, axis, 2) * rolled(y, axis, 1), 0));
  }
  Type i64 = e.getBuilder().getI64Type();
  Expression scalar = e.constant(static_cast<double>(dimSizes.size()), i64);
  for (size_t i = dimSizes.size(); i-- > 0;)
    scalar = e.select(e.equal(e.wrap(dimSizes[i].getValue(e)), 3.0), e.constant(static_cast<double>(i), i64),
                      scalar);
  return dropDim(
      e.wrap(e.create<GatherOp>(concat(products, 0), e.reshape(scalar, {1}), Value(), uint64_t(0))), 0);
}

FailureOr<SmallVector<Value>> CrossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), y = e.operand(1);
  int64_t axis = crossAxis(x.type(), getAxis());
  bool isOpen = getAxis() == 9 && x.type().getNumDynamicDims() > 0;
  if (axis < 0 ||
      (isOpen && llvm::is_contained(x.type().getShape().take_front(axis), ShapedType::kDynamic))) {
    if (!isOpen)
      return notifyDecompositionFailure(builder, *this, "x has no dimension of size 3");
    return e.results({openCross(x, y)});
  }
  auto component = [&](Expression value, int64_t i) { return slice(value, axis, i % 3, i % 3 + 1); };
  llvm::SmallVector<Expression> components;
  for (int64_t i = 0; i < 3; ++i)
    components.push_back(component(x, i + 1) * component(y, i + 2) -
                         component(x, i + 2) * component(y, i + 1));
  return e.results({concat(components, axis)});
}

/// All dimensions but the axis. Where the axis is the first of size 3, those before it are needed whole: a
/// shard of them may have size 3.
bool CrossOp::describeSharding(ShardingRuleBuilder &rule) {
  int64_t axis = crossAxis(rule.operandType(0), getAxis());
  if (axis < 0)
    return true;
  int64_t first = getAxis() == 9 ? axis + 1 : 0;
  for (int64_t dim = first; dim < rule.resultType(0).getRank(); ++dim) {
    if (dim == axis)
      continue;
    unsigned factor = rule.addFactor(rule.resultType(0).getDimSize(dim));
    for (unsigned operand : {0u, 1u})
      rule.setOperand(operand, dim, factor);
    rule.setResult(0, dim, factor);
  }
  return true;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Product.cpp.inc"
#include "dialects/pd/ops/linalg/Product.methods.inc"
#include "dialects/pd/ops/linalg/Product.scalar.inc"
