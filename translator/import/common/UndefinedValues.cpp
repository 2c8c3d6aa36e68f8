#include "translator/import/common/UndefinedValues.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace proa::import {
namespace {

bool isMagic(double value) { return std::abs(value - 1.77113e27) < 1e22; }

} // namespace

bool isUndefinedNumber(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<pd::AssignOp, pd::CastOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto full = dyn_cast_or_null<pd::FullOp>(op))
    return isMagic(full.getValue().convertToDouble());
  auto constant = dyn_cast_or_null<pd::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  if (!elements || !elements.isSplat())
    return false;
  APFloat scalar = elements.getSplatValue<APFloat>();
  bool losesInfo = false;
  scalar.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return isMagic(scalar.convertToDouble());
}

bool isPlaceholder(Value value, Value other) {
  if (!value || !other)
    return !value && other;
  return !pd::joinedTypes(value.getType(), other.getType()) && isUndefinedNumber(value);
}

Value convertedTo(OpBuilder &builder, Location location, Value value, Type type) {
  auto from = dyn_cast<RankedTensorType>(value.getType()), to = dyn_cast<RankedTensorType>(type);
  if (!from || !to)
    return {};
  if (from.hasStaticShape() && to.hasStaticShape() && from.getShape() != to.getShape() &&
      from.getNumElements() == to.getNumElements()) {
    from = from.clone(to.getShape());
    value = pd::ReshapeOp::create(builder, location, from, value, Value(),
                                  builder.getDenseI64ArrayAttr(to.getShape()));
  }
  if (failed(verifyCompatibleShape(from, to)))
    return {};
  if (from.getElementType() != to.getElementType())
    value = pd::CastOp::create(builder, location, value, TypeAttr::get(to.getElementType()));
  return value;
}

Value createPlaceholder(OpBuilder &builder, Location location, Type type) {
  if (isa<pd::ArrayType>(type))
    return pd::widened(builder, location, pd::ArrayCreateOp::create(builder, location), type);
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (int64_t &dim : shape)
    dim = ShapedType::isDynamic(dim) ? 1 : dim;
  auto known = tensor.clone(shape);
  Attribute zero = builder.getZeroAttr(tensor.getElementType());
  if (auto complexType = dyn_cast<ComplexType>(tensor.getElementType()))
    zero = ArrayAttr::get(builder.getContext(), {builder.getZeroAttr(complexType.getElementType()),
                                                 builder.getZeroAttr(complexType.getElementType())});
  return pd::ConstantOp::create(builder, location, known, DenseElementsAttr::get(known, zero));
}

} // namespace proa::import
