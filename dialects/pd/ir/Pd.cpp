#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ops/control/Control.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/base/support/UnknownOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "dialects/pd/ir/PdDialect.cpp.inc"
#include "dialects/pd/ir/PdInterfaces.cpp.inc"

namespace proa::pd {

#include "dialects/pd/ir/Families.inc"

namespace {

/// Folds composites with constant operands through their decomposition.
struct CompositeFolder : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, llvm::ArrayRef<Attribute> operands,
                     llvm::SmallVectorImpl<OpFoldResult> &results) const final {
    return isa<DecomposableOpInterface>(op) ? foldAllByEvaluation(op, operands, results) : failure();
  }
};

/// Ops of the dialect may be inlined into any region.
struct PdInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void PdDialect::initialize() {
  // Recurrences, and derivatives of loops, decompose into loops over arrays.
  getContext()->loadDialect<scf::SCFDialect, tensor::TensorDialect>();
  addInterfaces<CompositeFolder, PdInliner>();
  registerAttributes();
  registerTypes();
  registerFamilies(*this);
}

std::optional<Dialect::ParseOpHook> PdDialect::getParseOperationHook(StringRef) const {
  return reportUnknownOp;
}

Operation *PdDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  if (auto elements = dyn_cast<ElementsAttr>(value); elements && elements.getShapedType() == type)
    return ConstantOp::create(builder, location, type, elements);
  return nullptr;
}

bool compatibleTypes(TypeRange inferred, TypeRange given) {
  if (inferred.size() != given.size())
    return false;
  for (auto [a, b] : llvm::zip(inferred, given)) {
    auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
    auto listX = dyn_cast<ArrayType>(a), listY = dyn_cast<ArrayType>(b);
    if (listX && listY && listX.getElement() && listY.getElement()) {
      x = listX.getElement();
      y = listY.getElement();
    }
    if (!x || !y) {
      if (a != b && !(listX && listY))
        return false;
      continue;
    }
    if (x.getElementType() != y.getElementType() || failed(verifyCompatibleShape(x.getShape(), y.getShape())))
      return false;
  }
  return true;
}

Type elementTypeOf(MLIRContext *context, DType dtype) {
  Builder b(context);
  switch (dtype) {
  case DType::Bool:
    return b.getI1Type();
  case DType::UInt8:
  case DType::UInt16:
  case DType::UInt32:
  case DType::UInt64:
    return b.getIntegerType(sizeOf(dtype) * 8, /*isSigned=*/false);
  case DType::Int8:
  case DType::Int16:
  case DType::Int32:
  case DType::Int64:
    return b.getIntegerType(sizeOf(dtype) * 8);
  case DType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DType::Float16:
    return b.getF16Type();
  case DType::BFloat16:
    return b.getBF16Type();
  case DType::Float32:
    return b.getF32Type();
  case DType::Float64:
    return b.getF64Type();
  case DType::Complex64:
    return ComplexType::get(b.getF32Type());
  case DType::Complex128:
    return ComplexType::get(b.getF64Type());
  }
  return {};
}

std::optional<DType> dtypeOf(Type type) {
  if (type.isInteger(1))
    return DType::Bool;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 8:
      return isUnsigned ? DType::UInt8 : DType::Int8;
    case 16:
      return isUnsigned ? DType::UInt16 : DType::Int16;
    case 32:
      return isUnsigned ? DType::UInt32 : DType::Int32;
    case 64:
      return isUnsigned ? DType::UInt64 : DType::Int64;
    }
    return std::nullopt;
  }
  if (isa<Float8E4M3FNType>(type))
    return DType::Float8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::Float8E5M2;
  if (type.isF16())
    return DType::Float16;
  if (type.isBF16())
    return DType::BFloat16;
  if (type.isF32())
    return DType::Float32;
  if (type.isF64())
    return DType::Float64;
  if (auto complexType = dyn_cast<ComplexType>(type))
    return complexType.getElementType().isF32() ? DType::Complex64 : DType::Complex128;
  return std::nullopt;
}

} // namespace proa::pd
