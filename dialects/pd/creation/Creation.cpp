#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Families.h"
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/shape/KnownElements.h"
#include "dialects/pd/shape/Shape.h"

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<int64_t>> dimsFromTensor(std::optional<Location> location, Value tensor) {
  if (auto known = knownElements(tensor); succeeded(known))
    return *known;
  auto type = tensorType(tensor);
  if (!type.hasStaticShape())
    return inferenceError(location,
                          "the number of dimensions is not known: the shape tensor has a dynamic extent");
  return llvm::SmallVector<int64_t>(type.getNumElements(), ShapedType::kDynamic);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

FailureOr<SmallVector<Value>> FullOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = getDtype();
  Value scalar;
  if (getValueTensor()) {
    scalar = e.cast(e.reshape(e.wrap(getValueTensor()), {}), element);
  } else if (getIntegerValue() && isa<IntegerType>(element)) {
    auto type = RankedTensorType::get({}, element);
    llvm::APInt value(element.getIntOrFloatBitWidth(), static_cast<uint64_t>(*getIntegerValue()),
                      /*isSigned=*/true,
                      /*implicitTrunc=*/true);
    scalar = ConstantOp::create(builder, getLoc(), type, DenseElementsAttr::get(type, value));
  } else {
    scalar = e.constant(getValue().convertToDouble(), element);
  }
  auto expanded = ExpandOp::create(builder, getLoc(), scalar, getShapeTensor(), getShapeAttr());
  return SmallVector<Value>{expanded.getOut()};
}

void registerCreationOps(PdDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/creation/Creation.cpp.inc"
      >();
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/creation/Range.cpp.inc"
      >();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/creation/Creation.cpp.inc"
#include "dialects/pd/creation/Creation.methods.inc"
#include "dialects/pd/creation/Creation.scalar.inc"
