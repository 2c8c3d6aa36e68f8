#include "translator/export/onnx/ComplexPairs.h"

#include "dialects/pd/builders/ScalarBuilder.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa::exporter {

using pd::Expression;
using pd::TensorBuilder;

static bool isComplexTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<ComplexType>(type.getElementType());
}

bool isOnComplex(Operation *op) {
  return llvm::any_of(op->getOperands(), isComplexTensor) || llvm::any_of(op->getResults(), isComplexTensor);
}

Tensor asPairs(const Tensor &tensor) {
  if (tensor.dtype() != DType::Complex64 && tensor.dtype() != DType::Complex128)
    return tensor;
  std::vector<int64_t> dims = tensor.dims();
  dims.push_back(2);
  auto owner = std::make_shared<Tensor>(tensor);
  return {tensor.dtype() == DType::Complex64 ? DType::Float32 : DType::Float64, std::move(dims),
          owner->data(), owner};
}

namespace {

//===-- Elementwise ops ---------------------------------------------------------------------------------===//

/// The scalar function of an op, in arith and math ops.
class ScalarFunction {
public:
  explicit ScalarFunction(pd::ScalarOpInterface op) : context(op.getContext()) {
    context
        ->loadDialect<arith::ArithDialect, math::MathDialect, complex::ComplexDialect, func::FuncDialect>();
    OpBuilder builder(context);
    Location location = op.getLoc();
    llvm::SmallVector<Type> types;
    for (Value operand : op->getOperands())
      types.push_back(pd::tensorType(operand).getElementType());
    Type result = pd::tensorType(op->getResult(0)).getElementType();
    function = func::FuncOp::create(builder, location, "scalar", builder.getFunctionType(types, {result}));
    builder.setInsertionPointToStart(function->addEntryBlock());
    pd::ScalarBuilder scalars(builder, location, result, /*operandUnsigned=*/false);
    Value value = op.buildScalar(scalars, function->getArguments());
    func::ReturnOp::create(builder, location, value);
  }

  /// Failure if an operation of the complex dialect has no lowering.
  LogicalResult lower() {
    RewritePatternSet patterns(context);
    populateComplexToStandardConversionPatterns(patterns, complex::ComplexRangeFlags::basic);
    ConversionTarget target(*context);
    target.addLegalDialect<arith::ArithDialect, math::MathDialect, func::FuncDialect>();
    target.addLegalOp<complex::CreateOp, complex::ReOp, complex::ImOp, complex::ConstantOp>();
    return applyPartialConversion(function->getOperation(), target, std::move(patterns));
  }

  func::FuncOp get() { return *function; }

private:
  MLIRContext *context;
  OwningOpRef<func::FuncOp> function;
};

/// A number of the scalar function for all elements: a tensor, or the two components of a complex one.
struct Number {
  Value re, im;
};

/// Computes a scalar function on tensors.
class TensorFunction {
public:
  TensorFunction(TensorBuilder &e, func::FuncOp function) : e(e), function(function) {}

  FailureOr<Number> compute(ValueRange operands) {
    for (auto [argument, operand] : llvm::zip(function.getArguments(), operands))
      numbers[argument] = isComplexTensor(operand)
                              ? Number{e.create<pd::RealOp>(operand), e.create<pd::ImagOp>(operand)}
                              : Number{operand, {}};
    for (Operation &op : function.getBody().front()) {
      if (auto end = dyn_cast<func::ReturnOp>(op))
        return numbers.lookup(end.getOperand(0));
      Number result = ofComponents(&op);
      if (!result.re)
        result = {ofReals(&op), {}};
      if (!result.re)
        return failure();
      numbers[op.getResult(0)] = result;
    }
    return failure();
  }

private:
  Number of(Operation *op, unsigned operand) { return numbers.lookup(op->getOperand(operand)); }
  Expression real(Operation *op, unsigned operand) { return e.wrap(of(op, operand).re); }

  Value constant(TypedAttr value) {
    auto type = RankedTensorType::get({}, value.getType());
    return e.create<pd::ConstantOp>(type, DenseElementsAttr::get(type, Attribute(value)));
  }

  /// Ops that take or return complex numbers; null for others.
  Number ofComponents(Operation *op) {
    return llvm::TypeSwitch<Operation *, Number>(op)
        .Case([&](complex::CreateOp) { return Number{real(op, 0), real(op, 1)}; })
        .Case([&](complex::ReOp) { return Number{of(op, 0).re, {}}; })
        .Case([&](complex::ImOp) { return Number{of(op, 0).im, {}}; })
        .Case([&](complex::ConstantOp value) {
          return Number{constant(cast<TypedAttr>(value.getValue()[0])),
                        constant(cast<TypedAttr>(value.getValue()[1]))};
        })
        .Case([&](arith::SelectOp) {
          Number x = of(op, 1), y = of(op, 2);
          auto selected = [&](Value a, Value b) {
            return a ? e.create<pd::WhereOp>(of(op, 0).re, a, b) : Value();
          };
          return Number{selected(x.re, y.re), selected(x.im, y.im)};
        })
        .Default([](Operation *) { return Number(); });
  }

  template <class Op> Value unary(Operation *op) { return e.create<Op>(of(op, 0).re); }
  template <class Op> Value binary(Operation *op) { return e.create<Op>(of(op, 0).re, of(op, 1).re); }

  /// Ops on real numbers; null for one that pd has no op for.
  Value ofReals(Operation *op) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case([&](arith::ConstantOp number) { return constant(number.getValue()); })
        .Case([&](arith::AddFOp) { return binary<pd::AddOp>(op); })
        .Case([&](arith::SubFOp) { return binary<pd::SubtractOp>(op); })
        .Case([&](arith::MulFOp) { return binary<pd::MultiplyOp>(op); })
        .Case([&](arith::DivFOp) { return binary<pd::DivideOp>(op); })
        .Case([&](arith::NegFOp) { return unary<pd::NegateOp>(op); })
        .Case([&](arith::AndIOp) { return binary<pd::LogicalAndOp>(op); })
        .Case([&](arith::OrIOp) { return binary<pd::LogicalOrOp>(op); })
        .Case([&](arith::XOrIOp) { return binary<pd::LogicalXorOp>(op); })
        .Case([&](arith::MaximumFOp) {
          return Value(e.create<pd::MaximumOp>(of(op, 0).re, of(op, 1).re, true));
        })
        .Case([&](arith::MinimumFOp) {
          return Value(e.create<pd::MinimumOp>(of(op, 0).re, of(op, 1).re, true));
        })
        .Case<arith::ExtFOp, arith::TruncFOp>(
            [&](Operation *) { return Value(e.cast(real(op, 0), op->getResult(0).getType())); })
        .Case([&](arith::CmpFOp comparison) { return compared(comparison); })
        .Case([&](math::AbsFOp) { return unary<pd::AbsOp>(op); })
        .Case([&](math::ExpOp) { return unary<pd::ExpOp>(op); })
        .Case([&](math::ExpM1Op) { return unary<pd::Expm1Op>(op); })
        .Case([&](math::LogOp) { return unary<pd::LogOp>(op); })
        .Case([&](math::Log1pOp) { return unary<pd::Log1pOp>(op); })
        .Case([&](math::SqrtOp) { return unary<pd::SqrtOp>(op); })
        .Case([&](math::RsqrtOp) { return unary<pd::RsqrtOp>(op); })
        .Case([&](math::SinOp) { return unary<pd::SinOp>(op); })
        .Case([&](math::CosOp) { return unary<pd::CosOp>(op); })
        .Case([&](math::TanOp) { return unary<pd::TanOp>(op); })
        .Case([&](math::TanhOp) { return unary<pd::TanhOp>(op); })
        .Case([&](math::SinhOp) { return unary<pd::SinhOp>(op); })
        .Case([&](math::CoshOp) { return unary<pd::CoshOp>(op); })
        .Case([&](math::AsinhOp) { return unary<pd::AsinhOp>(op); })
        .Case([&](math::AtanOp) { return unary<pd::AtanOp>(op); })
        .Case([&](math::FloorOp) { return unary<pd::FloorOp>(op); })
        .Case([&](math::IsNaNOp) { return unary<pd::IsnanOp>(op); })
        .Case([&](math::IsInfOp) { return unary<pd::IsinfOp>(op); })
        .Case([&](math::IsFiniteOp) { return unary<pd::IsfiniteOp>(op); })
        .Case([&](math::Atan2Op) { return binary<pd::Atan2Op>(op); })
        .Case([&](math::CopySignOp) { return binary<pd::CopysignOp>(op); })
        .Case([&](math::PowFOp) { return binary<pd::ElementwisePowOp>(op); })
        .Default([](Operation *) { return Value(); });
  }

  Value compared(arith::CmpFOp op) {
    Expression x = real(op, 0), y = real(op, 1);
    switch (op.getPredicate()) {
    case arith::CmpFPredicate::OEQ:
      return x == y;
    case arith::CmpFPredicate::UNE:
      return binary<pd::NotEqualOp>(op);
    case arith::CmpFPredicate::OLT:
      return x < y;
    case arith::CmpFPredicate::OLE:
      return x <= y;
    case arith::CmpFPredicate::OGT:
      return x > y;
    case arith::CmpFPredicate::OGE:
      return x >= y;
    case arith::CmpFPredicate::ONE:
      return e.create<pd::LogicalOrOp>(x<y, x> y);
    case arith::CmpFPredicate::UNO:
      return e.create<pd::LogicalOrOp>(e.isnan(x), e.isnan(y));
    default:
      return {};
    }
  }

  TensorBuilder &e;
  func::FuncOp function;
  llvm::DenseMap<Value, Number> numbers;
};

/// The result of an op whose components are computed.
Value joined(TensorBuilder &e, Number value) {
  return value.im ? e.create<pd::ComplexOp>(value.re, value.im) : value.re;
}

FailureOr<llvm::SmallVector<Value>> byScalarFunction(TensorBuilder &e, pd::ScalarOpInterface op) {
  ScalarFunction scalar(op);
  if (failed(scalar.lower()))
    return failure();
  FailureOr<Number> value = TensorFunction(e, scalar.get()).compute(op->getOperands());
  if (failed(value))
    return failure();
  Value result = joined(e, *value);
  if (result.getType() != op->getResult(0).getType())
    return failure();
  return llvm::SmallVector<Value>{result};
}

//===-- Linear ops --------------------------------------------------------------------------------------===//

/// An op on one component of each of its complex operands.
class LinearComponents {
public:
  LinearComponents(TensorBuilder &e, Operation *op) : e(e), op(op) {}

  /// The op with the imaginary components of the operands of these groups, and the real components of the
  /// others.
  Value compute(llvm::ArrayRef<const llvm::SmallVector<unsigned> *> imaginary) {
    IRMapping mapping;
    Operation *copy = e.getBuilder().clone(*op, mapping);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isComplexTensor(operand.get()))
        continue;
      bool isImaginary = llvm::any_of(imaginary, [&](const auto *group) {
        return llvm::is_contained(*group, operand.getOperandNumber());
      });
      copy->setOperand(operand.getOperandNumber(), isImaginary ? e.create<pd::ImagOp>(operand.get())
                                                               : e.create<pd::RealOp>(operand.get()));
    }
    copy->moveAfter(&*std::prev(e.getBuilder().getInsertionPoint()));
    copy->getResult(0).setType(realType(op->getResult(0).getType()));
    for (NamedAttribute attribute : op->getAttrs())
      if (auto type = dyn_cast<TypeAttr>(attribute.getValue()))
        if (auto complexType = dyn_cast<ComplexType>(type.getValue()))
          copy->setAttr(attribute.getName(), TypeAttr::get(complexType.getElementType()));
    return copy->getResult(0);
  }

private:
  static Type realType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType());
  }

  TensorBuilder &e;
  Operation *op;
};

FailureOr<llvm::SmallVector<Value>> byLinearity(TensorBuilder &e, pd::LinearOpInterface linear) {
  Operation *op = linear;
  if (op->getNumResults() != 1 || !isComplexTensor(op->getResult(0)))
    return failure();
  auto groups = linear.getLinearGroups();
  llvm::SmallVector<const llvm::SmallVector<unsigned> *> complexGroups;
  size_t covered = 0;
  for (const auto &group : groups) {
    size_t count = llvm::count_if(group, [&](unsigned i) { return isComplexTensor(op->getOperand(i)); });
    if (count == 0)
      continue;
    if (count != group.size())
      return failure();
    covered += count;
    complexGroups.push_back(&group);
  }
  if (complexGroups.empty() || complexGroups.size() > 2 ||
      covered != static_cast<size_t>(llvm::count_if(op->getOperands(), isComplexTensor)))
    return failure();
  LinearComponents components(e, op);
  const auto *x = complexGroups.front();
  if (complexGroups.size() == 1)
    return llvm::SmallVector<Value>{joined(e, {components.compute({}), components.compute({x})})};
  const auto *y = complexGroups.back();
  Expression re = e.wrap(components.compute({})) - e.wrap(components.compute({x, y}));
  Expression im = e.wrap(components.compute({x})) + e.wrap(components.compute({y}));
  return llvm::SmallVector<Value>{joined(e, {re, im})};
}

} // namespace

FailureOr<llvm::SmallVector<Value>> splitComplex(OpBuilder &builder, Operation *op) {
  if (isa<pd::RealOp, pd::ImagOp, pd::ComplexOp>(op))
    return failure();
  TensorBuilder e(builder, op);
  return pd::guarded([&]() -> FailureOr<llvm::SmallVector<Value>> {
    if (auto scalar = dyn_cast<pd::ScalarOpInterface>(op))
      return byScalarFunction(e, scalar);
    if (auto linear = dyn_cast<pd::LinearOpInterface>(op))
      return byLinearity(e, linear);
    return failure();
  });
}

} // namespace proa::exporter
