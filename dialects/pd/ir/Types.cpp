#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "dialects/pd/ir/ArrayType.cpp.inc"

namespace proa::pd {

void PdDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/pd/ir/ArrayType.cpp.inc"
      >();
}

Type ArrayType::parse(AsmParser &parser) {
  RankedTensorType element;
  if (parser.parseLess() || (failed(parser.parseOptionalStar()) && parser.parseType(element)) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), element);
}

void ArrayType::print(AsmPrinter &printer) const {
  printer << "<";
  if (getElement())
    printer << getElement();
  else
    printer << "*";
  printer << ">";
}

Type joinedTypes(Type a, Type b) {
  if (a == b)
    return a;
  auto first = dyn_cast<ArrayType>(a), second = dyn_cast<ArrayType>(b);
  if (first && second) {
    if (!first.getElement() || !second.getElement())
      return first.getElement() ? first : second;
    Type element = joinedTypes(first.getElement(), second.getElement());
    return element ? ArrayType::get(a.getContext(), cast<RankedTensorType>(element)) : Type();
  }
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  if (!x || !y || x.getRank() != y.getRank() || x.getElementType() != y.getElementType())
    return {};
  llvm::SmallVector<int64_t> shape(x.getShape());
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim != y.getDimSize(i))
      dim = ShapedType::kDynamic;
  return x.clone(shape);
}

Type moreSpecific(Type given, Type inferred) {
  auto first = dyn_cast<ArrayType>(given), second = dyn_cast<ArrayType>(inferred);
  if (first && second) {
    if (!first.getElement() || !second.getElement())
      return first.getElement() ? second : first;
    return ArrayType::get(given.getContext(),
                          cast<RankedTensorType>(moreSpecific(first.getElement(), second.getElement())));
  }
  auto a = dyn_cast<RankedTensorType>(given), b = dyn_cast<RankedTensorType>(inferred);
  if (!a || !b || a.getRank() != b.getRank())
    return given;
  llvm::SmallVector<int64_t> shape(a.getShape());
  for (auto [i, dim] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(dim))
      dim = b.getDimSize(i);
  return RankedTensorType::get(shape, a.getElementType());
}

Value widened(OpBuilder &builder, Location location, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<ArrayType>(type))
    return ArrayCastOp::create(builder, location, type, value);
  return tensor::CastOp::create(builder, location, type, value);
}

Value beforeWidening(Value value) {
  if (auto cast = value.getDefiningOp<ArrayCastOp>())
    return cast.getArray();
  auto cast = value.getDefiningOp<tensor::CastOp>();
  return cast && compatibleTypes(cast.getSource().getType(), cast.getType()) ? cast.getSource() : value;
}

} // namespace proa::pd
