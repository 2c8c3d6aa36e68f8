#include "dialects/pd/Infer.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/math/BinaryOps.h"
#include "dialects/pd/reduce/OthersOps.h"
#include "dialects/pd/reduce/ReduceOps.h"
#include "dialects/pd/shape/Extent.h"
#include "dialects/pd/shape/SliceOps.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// x [..., count] with ones before each line and without as many elements at its end.
Expression shifted(Expression x, int64_t by) {
  TensorBuilder &e = x.owner();
  int64_t axis = x.rank() - 1;
  SmallVector<Extent> shape = extentsOf(x);
  shape[axis] = by;
  Expression ones = expandTo(e.constant(1, x.type().getElementType()), shape);
  return slice(concat({ones, x}, axis), axis, 0, -by);
}

/// For each element of a line the product of those before it, by doubling the stretches.
Expression productBefore(Expression x) {
  int64_t count = x.type().getShape().back();
  Expression product = shifted(x, 1);
  for (int64_t stretch = 1; stretch < count; stretch *= 2)
    product = product * shifted(product, stretch);
  return product;
}

Expression reversed(Expression x) {
  return x.owner().wrap(x.owner().create<FlipOp>(x, llvm::ArrayRef<int64_t>(x.rank() - 1)));
}

/// The products by multiplications alone; the extents along the axes are known and there are elements.
Expression multiplied(Expression x, ArrayRef<int64_t> axes) {
  TensorBuilder &e = x.owner();
  SmallVector<int64_t> order, back(x.rank());
  SmallVector<Extent> kept, shape;
  int64_t count = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(axes, d)) {
      order.push_back(d);
      kept.push_back(Extent(x, d));
    }
  for (int64_t axis : axes) {
    order.push_back(axis);
    count *= x.type().getDimSize(axis);
  }
  for (auto [place, d] : llvm::enumerate(order)) {
    back[d] = static_cast<int64_t>(place);
    shape.push_back(Extent(x, d));
  }
  kept.push_back(count);
  Expression lines = reshapeTo(e.transpose(x, order), kept);
  Expression others = productBefore(lines) * reversed(productBefore(reversed(lines)));
  return e.transpose(reshapeTo(others, shape), back);
}

} // namespace

/// Zero where there is a zero among the others, else a quotient.
Values ProductOfOthersOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), isZero = e.equal(x, 0.0), factor = e.select(isZero, 1.0, x);
  Expression product = e.wrap(e.create<ProdOp>(factor, getAxisAttr(), builder.getBoolAttr(true)));
  Expression ones = e.cast(isZero, builder.getI64Type());
  Expression zerosElsewhere = e.sum(ones, reducedAxes(getAxis(), x.rank())) - ones;
  return e.results({e.select(e.equal(zerosElsewhere, 0.0), product / factor, 0.0)});
}

Values ProductOfOthersOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  SmallVector<int64_t> axes = reducedAxes(getAxis(), tensorType(getX()).getRank());
  bool isKnown = llvm::all_of(axes, [&](int64_t axis) { return tensorType(getX()).getDimSize(axis) > 0; });
  TensorBuilder e(builder, getOperation());
  if (!isKnown)
    return gradientOfFormula(builder, getLoc(), getX(), cotangents, [&](ValueRange in) {
      return ProductOfOthersOp::create(builder, getLoc(), in[0], getAxisAttr()).getOperation();
    });
  auto formula = [&](Value x) { return e.results({multiplied(e.computed(x), axes)})[0]; };
  return SmallVector<Value>{vjpOfFormula(builder, getX(), cotangents[0], formula)};
}

//===-- reduce_as
//-----------------------------------------------------------------------------------------------===//

LogicalResult ReduceAsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX()), target = tensorType(adaptor.getTarget());
  int64_t added = type.getRank() - target.getRank();
  bool isBroadcast = added >= 0;
  SmallVector<int64_t> shape(target.getShape());
  for (int64_t d = 0; isBroadcast && d < target.getRank(); ++d) {
    int64_t from = shape[d], to = type.getDimSize(added + d);
    isBroadcast = from == 1 || from == to || ShapedType::isDynamic(from) || ShapedType::isDynamic(to);
    // An open extent of the target may be 1 as well as that of x.
    if (ShapedType::isDynamic(from) && to == 1)
      shape[d] = 1;
  }
  if (!isBroadcast)
    return inferenceError(location, "C1: " + llvm::Twine(debugString(target)) + " does not broadcast to " +
                                        debugString(type));
  results.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> ReduceAsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), target = e.wrap(getTarget());
  int64_t added = x.rank() - target.rank();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, added));
  for (int64_t d = 0; d < target.rank(); ++d) {
    int64_t from = target.type().getDimSize(d), to = x.type().getDimSize(added + d);
    // Which of the two an open extent is has to be known.
    if (from != to && (ShapedType::isDynamic(from) || ShapedType::isDynamic(to)) && from != 1)
      return failure();
    if (from == 1 && to != 1)
      axes.push_back(added + d);
  }
  Expression sum = axes.empty() ? x : e.cast(e.sum(x, axes), x.type().getElementType());
  return e.results({reshapeTo(sum, extentsOf(target))});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/reduce/Others.cpp.inc"
#include "dialects/pd/reduce/Others.methods.inc"
