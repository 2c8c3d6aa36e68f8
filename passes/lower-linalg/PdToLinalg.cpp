// pd-lower-to-linalg: the primitives in kernel functions become linalg ops on tensors.
#include "passes/lower-linalg/Passes.h"

#include "dialects/pd/builders/ElementBuilder.h"
#include "dialects/pd/ir/Contraction.h"
#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ThreadInterface.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/proa/Proa.h"
#include "passes/analysis/IndexChecks.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/lower-linalg/LowerThreads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_LOWERTOLINALG
#include "passes/lower-linalg/Passes.h.inc"

namespace {

/// Kernels compute on signless integers; ui8 and its like keep their bits.
Type signless(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(signless(tensor.getElementType()));
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSignless() ? Type(IntegerType::get(type.getContext(), integer.getWidth()))
                                          : type;
}

bool isUnsigned(Value value) { return pd::tensorType(value).getElementType().isUnsignedInteger(); }

/// `type` with the sizes that the operands of an elementwise op say of it: they broadcast to the result.
RankedTensorType broadcastType(RankedTensorType type, ValueRange operands) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    size = 1;
    for (Value operand : operands) {
      auto own = cast<RankedTensorType>(operand.getType());
      int64_t ownDim = int64_t(dim) - (type.getRank() - own.getRank());
      int64_t ownSize = ownDim < 0 ? 1 : own.getDimSize(ownDim);
      if (size == 1 || (ShapedType::isDynamic(size) && ownSize != 1))
        size = ownSize;
    }
  }
  return type.clone(shape);
}

/// An empty tensor of `type`; its dynamic sizes come from the operands that have them.
Value emptyLike(OpBuilder &builder, Location location, RankedTensorType type, ValueRange operands) {
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!type.isDynamicDim(dim))
      continue;
    for (Value operand : operands) {
      auto own = cast<RankedTensorType>(operand.getType());
      int64_t ownDim = int64_t(dim) - (type.getRank() - own.getRank());
      if (ownDim < 0 || !own.isDynamicDim(ownDim))
        continue;
      size = tensor::DimOp::create(builder, location, operand, ownDim).getResult();
      break;
    }
  }
  return tensor::EmptyOp::create(builder, location, sizes, type.getElementType());
}

/// How an operand is indexed from the result's index: trailing dimensions aligned, size 1 repeated.
AffineMap broadcastMap(RankedTensorType operand, RankedTensorType result) {
  MLIRContext *context = operand.getContext();
  int64_t offset = result.getRank() - operand.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    exprs.push_back(operand.getDimSize(dim) == 1 && result.getDimSize(offset + dim) != 1
                        ? getAffineConstantExpr(0, context)
                        : getAffineDimExpr(offset + dim, context));
  return AffineMap::get(result.getRank(), 0, exprs, context);
}

class LowerScalar : public OpInterfaceConversionPattern<pd::ScalarOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(pd::ScalarOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    auto finalType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    RankedTensorType resultType = broadcastType(finalType, operands);
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (Value operand : operands)
      if (!matchPattern(operand, m_Constant()) ||
          cast<RankedTensorType>(operand.getType()).getNumElements() != 1) {
        inputs.push_back(operand);
        maps.push_back(broadcastMap(cast<RankedTensorType>(operand.getType()), resultType));
      }
    maps.push_back(rewriter.getMultiDimIdentityMap(resultType.getRank()));
    Value init = emptyLike(rewriter, location, resultType, operands);
    SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
    bool operandUnsigned = isUnsigned(op->getOperand(0)), resultUnsigned = isUnsigned(op->getResult(0));
    auto generic = linalg::GenericOp::create(
        rewriter, location, resultType, inputs, init, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange arguments) {
          SmallVector<Value> scalars;
          size_t next = 0;
          for (Value operand : operands) {
            bool isInput = next < inputs.size() && inputs[next] == operand;
            scalars.push_back(isInput ? arguments[next++] : scalarConstant(b, l, operand));
          }
          pd::ScalarBuilder builder(b, l, resultType.getElementType(), operandUnsigned, resultUnsigned);
          linalg::YieldOp::create(b, l, op.buildScalar(builder, scalars));
        });
    Value result = generic.getResult(0);
    if (resultType != finalType)
      result = tensor::CastOp::create(rewriter, location, finalType, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value scalarConstant(OpBuilder &builder, Location location, Value tensor) {
    DenseElementsAttr value;
    matchPattern(tensor, m_Constant(&value));
    Type element = value.getElementType();
    if (auto complexType = dyn_cast<ComplexType>(element)) {
      auto literal = *value.getValues<std::complex<APFloat>>().begin();
      auto component = complexType.getElementType();
      return complex::ConstantOp::create(builder, location, element,
                                         builder.getArrayAttr({FloatAttr::get(component, literal.real()),
                                                               FloatAttr::get(component, literal.imag())}));
    }
    return arith::ConstantOp::create(builder, location,
                                     cast<TypedAttr>(*value.getValues<Attribute>().begin()));
  }
};

/// The neutral element of a reduction, as a scalar constant.
Value neutralElement(OpBuilder &builder, Location location, pd::ReductionKind kind, Type type,
                     bool isUnsignedType) {
  pd::ScalarBuilder scalar(builder, location, type, /*operandUnsigned=*/false);
  auto integer = dyn_cast<IntegerType>(type);
  switch (kind) {
  case pd::ReductionKind::Sum:
  case pd::ReductionKind::Or:
    return scalar.constant(0, type);
  case pd::ReductionKind::Product:
  case pd::ReductionKind::And:
    return scalar.constant(1, type);
  case pd::ReductionKind::Maximum:
  case pd::ReductionKind::Minimum:
    break;
  }
  bool greatest = kind == pd::ReductionKind::Minimum;
  if (!integer) {
    double infinity = std::numeric_limits<double>::infinity();
    return scalar.constant(greatest ? infinity : -infinity, type);
  }
  unsigned width = integer.getWidth();
  APInt value = isUnsignedType
                    ? (greatest ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                    : (greatest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
  return arith::ConstantOp::create(builder, location, IntegerAttr::get(type, value));
}

Value combine(pd::ScalarBuilder &b, pd::ReductionOpInterface op, Value x, Value y) {
  switch (op.getReductionKind()) {
  case pd::ReductionKind::Sum:
    return b.add(x, y);
  case pd::ReductionKind::Product:
    return b.multiply(x, y);
  case pd::ReductionKind::Maximum:
    return op.propagatesNan() ? b.maximum(x, y) : b.fmax(x, y);
  case pd::ReductionKind::Minimum:
    return op.propagatesNan() ? b.minimum(x, y) : b.fmin(x, y);
  case pd::ReductionKind::And:
    return b.bitAnd(x, y);
  case pd::ReductionKind::Or:
    return b.bitOr(x, y);
  }
  return {};
}

class LowerReduction : public OpInterfaceConversionPattern<pd::ReductionOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(pd::ReductionOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value x = operands[0];
    auto type = cast<RankedTensorType>(x.getType());
    auto resultType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    SmallVector<int64_t> reduced = op.getReducedDims();
    if (type.hasStaticShape() && type.getNumElements() == 0)
      return op.emitOpError("an empty axis has no extreme"), failure();
    bool operandUnsigned = isUnsigned(op->getOperand(0)), resultUnsigned = isUnsigned(op->getResult(0));

    bool keepdim = resultType.getRank() == type.getRank();
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> sizes;
    SmallVector<utils::IteratorType> iterators;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool isReduced = llvm::is_contained(reduced, dim);
      iterators.push_back(isReduced ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      if (isReduced && !keepdim)
        continue;
      exprs.push_back(isReduced ? getAffineConstantExpr(0, getContext())
                                : getAffineDimExpr(dim, getContext()));
      if (isReduced)
        sizes.push_back(rewriter.getIndexAttr(1));
      else if (type.isDynamicDim(dim))
        sizes.push_back(tensor::DimOp::create(rewriter, location, x, dim).getResult());
      else
        sizes.push_back(rewriter.getIndexAttr(type.getDimSize(dim)));
    }
    Type element = resultType.getElementType();
    Value empty = tensor::EmptyOp::create(rewriter, location, sizes, element);
    Value neutral = neutralElement(rewriter, location, op.getReductionKind(), element, resultUnsigned);
    Value init = linalg::FillOp::create(rewriter, location, neutral, empty).getResult(0);
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(type.getRank()),
                                AffineMap::get(type.getRank(), 0, exprs, getContext())};
    auto generic = linalg::GenericOp::create(
        rewriter, location, init.getType(), x, init, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange arguments) {
          pd::ScalarBuilder builder(b, l, element, operandUnsigned, resultUnsigned);
          Value converted = builder.cast(arguments[0]);
          pd::ScalarBuilder combiner(b, l, element, resultUnsigned);
          linalg::YieldOp::create(b, l, combine(combiner, op, arguments[1], converted));
        });
    Value result = generic.getResult(0);
    if (result.getType() != resultType)
      result = tensor::CastOp::create(rewriter, location, resultType, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The index of the first extreme: a reduction to the extreme and its index, whose first result is
/// unused.
class LowerArgExtreme : public OpInterfaceConversionPattern<pd::ArgExtremeOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(pd::ArgExtremeOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (const char *why = op.whyNoArgExtreme())
      return rewriter.notifyMatchFailure(op, why);
    Location location = op.getLoc();
    Value x = operands[0];
    auto type = cast<RankedTensorType>(x.getType());
    auto resultType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    SmallVector<int64_t> searched = op.getSearchedDims();
    bool keepsDims = resultType.getRank() == type.getRank();
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> sizes;
    SmallVector<utils::IteratorType> iterators;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      bool isReduced = llvm::is_contained(searched, dim);
      iterators.push_back(isReduced ? utils::IteratorType::reduction : utils::IteratorType::parallel);
      if (isReduced && !keepsDims)
        continue;
      exprs.push_back(isReduced ? getAffineConstantExpr(0, getContext())
                                : getAffineDimExpr(dim, getContext()));
      sizes.push_back(isReduced ? OpFoldResult(rewriter.getIndexAttr(1))
                                : tensor::getMixedSize(rewriter, location, x, dim));
    }
    Type element = comparedType(type.getElementType()), index = resultType.getElementType();
    SmallVector<TypedAttr> neutral{neutralValue(rewriter, op, element), rewriter.getIntegerAttr(index, 0)};
    SmallVector<Value> inits;
    for (TypedAttr start : neutral) {
      Value empty = tensor::EmptyOp::create(rewriter, location, sizes, start.getType());
      Value constant = arith::ConstantOp::create(rewriter, location, start);
      inits.push_back(linalg::FillOp::create(rewriter, location, constant, empty).getResult(0));
    }
    AffineMap result = AffineMap::get(type.getRank(), 0, exprs, getContext());
    SmallVector<AffineMap> maps{rewriter.getMultiDimIdentityMap(type.getRank()), result, result};
    auto generic = linalg::GenericOp::create(
        rewriter, location, ValueRange(inits).getTypes(), x, inits, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange arguments) {
          Value flatIndex = positionOf(b, l, x, searched, index),
                value = widened(b, l, arguments[0], element);
          linalg::YieldOp::create(b, l, better(b, l, op, value, flatIndex, arguments[1], arguments[2]));
        });
    LoopsAttr::of(generic).withNeutral(rewriter.getArrayAttr({neutral[0], neutral[1]})).setOn(generic);
    Value out = generic.getResult(1);
    if (out.getType() != resultType)
      out = tensor::CastOp::create(rewriter, location, resultType, out);
    rewriter.replaceOp(op, out);
    return success();
  }

private:
  /// A type that lanes of a warp can exchange, in which elements compare as in their own.
  static Type comparedType(Type element) {
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
      return Float32Type::get(element.getContext());
    return element.isInteger(1) ? Type(IntegerType::get(element.getContext(), 8)) : element;
  }

  static Value widened(OpBuilder &b, Location loc, Value value, Type type) {
    if (value.getType() == type)
      return value;
    return isa<FloatType>(type) ? Value(arith::ExtFOp::create(b, loc, type, value))
                                : Value(arith::ExtUIOp::create(b, loc, type, value));
  }

  /// The value that others must be better than to be found.
  static TypedAttr neutralValue(OpBuilder &b, pd::ArgExtremeOpInterface op, Type element) {
    if (auto type = dyn_cast<FloatType>(element)) {
      auto own = cast<FloatType>(cast<RankedTensorType>(op->getOperand(0).getType()).getElementType());
      APFloat bound = APFloat::getLargest(own.getFloatSemantics(), /*Negative=*/op.isGreatest());
      bool isInexact = false;
      bound.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
      return b.getFloatAttr(type, bound);
    }
    unsigned width = element.getIntOrFloatBitWidth();
    bool isUnsignedType = isUnsigned(op->getOperand(0));
    APInt value = op.isGreatest()
                      ? (isUnsignedType ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                      : (isUnsignedType ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
    return b.getIntegerAttr(element, value);
  }

  /// The row-major number of the element among those that are searched.
  static Value positionOf(OpBuilder &b, Location loc, Value x, ArrayRef<int64_t> searched, Type type) {
    Value flatIndex = arith::ConstantIndexOp::create(b, loc, 0);
    for (int64_t dim : searched) {
      int64_t size = cast<RankedTensorType>(x.getType()).getDimSize(dim);
      Value count = ShapedType::isDynamic(size) ? Value(tensor::DimOp::create(b, loc, x, dim))
                                                : Value(arith::ConstantIndexOp::create(b, loc, size));
      flatIndex = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, flatIndex, count),
                                        linalg::IndexOp::create(b, loc, dim));
    }
    return arith::IndexCastOp::create(b, loc, type, flatIndex);
  }

  /// The better element and its index: of equal ones, the first.
  static SmallVector<Value> better(OpBuilder &b, Location loc, pd::ArgExtremeOpInterface op, Value x,
                                   Value flatIndex, Value best, Value bestPosition) {
    // A NaN is neither better than a number nor equal to one.
    auto compare = [&](arith::CmpFPredicate ofFloats, arith::CmpIPredicate ofIntegers) -> Value {
      if (isa<FloatType>(x.getType()))
        return arith::CmpFOp::create(b, loc, ofFloats, x, best);
      return arith::CmpIOp::create(b, loc, ofIntegers, x, best);
    };
    bool hasSign = !isUnsigned(op->getOperand(0));
    Value isBetter = op.isGreatest()
                         ? compare(arith::CmpFPredicate::OGT,
                                   hasSign ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt)
                         : compare(arith::CmpFPredicate::OLT,
                                   hasSign ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult);
    Value isEqual = compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
    Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, flatIndex, bestPosition);
    Value wins = arith::OrIOp::create(b, loc, isBetter, arith::AndIOp::create(b, loc, isEqual, isEarlier));
    return {arith::SelectOp::create(b, loc, wins, x, best),
            arith::SelectOp::create(b, loc, wins, flatIndex, bestPosition)};
  }
};

class LowerIndexingMap : public OpInterfaceConversionPattern<pd::IndexingMapOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(pd::IndexingMapOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<AffineMap> source = op.getIndexingMap();
    if (failed(source))
      return rewriter.notifyMatchFailure(op, "the place of an element is known only at run time");
    Location location = op.getLoc();
    auto resultType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
      if (!resultType.isDynamicDim(dim)) {
        sizes.push_back(rewriter.getIndexAttr(resultType.getDimSize(dim)));
        continue;
      }
      std::optional<unsigned> from = source->getResultPosition(getAffineDimExpr(dim, getContext()));
      if (!from)
        return rewriter.notifyMatchFailure(op, "a dynamic extent of the result is none of the operand's");
      sizes.push_back(tensor::DimOp::create(rewriter, location, operands[0], *from).getResult());
    }
    Value init = tensor::EmptyOp::create(rewriter, location, sizes, resultType.getElementType());
    SmallVector<AffineMap> maps{*source, rewriter.getMultiDimIdentityMap(resultType.getRank())};
    SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        rewriter, location, resultType, operands[0], init, maps, iterators,
        [&](OpBuilder &b, Location l, ValueRange arguments) { linalg::YieldOp::create(b, l, arguments[0]); });
    rewriter.replaceOp(op, generic.getResults());
    return success();
  }
};

/// A sum of products: one loop for each dim of the result and one for the sum.
class LowerContraction : public OpInterfaceConversionPattern<pd::ContractionOpInterface> {
public:
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(pd::ContractionOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<AffineMap> maps = op.getContractionMaps();
    if (maps.empty())
      return rewriter.notifyMatchFailure(op, "not a matmul");
    Location location = op.getLoc();
    auto resultType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    Type element = resultType.getElementType();
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(getContext(), resultType.getShape());
    for (auto [loop, size] : llvm::enumerate(sizes))
      if (resultType.isDynamicDim(loop))
        size = loopSize(rewriter, location, operands.take_front(2), maps, loop);
    Value empty = tensor::EmptyOp::create(rewriter, location, sizes, element);
    Value zero =
        pd::ScalarBuilder(rewriter, location, element, /*operandUnsigned=*/false).constant(0, element);
    Value init = linalg::FillOp::create(rewriter, location, zero, empty).getResult(0);
    SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    auto generic =
        linalg::GenericOp::create(rewriter, location, init.getType(), operands.take_front(2), init, maps,
                                  iterators, [&](OpBuilder &b, Location l, ValueRange arguments) {
                                    pd::ScalarBuilder builder(b, l, element, /*operandUnsigned=*/false);
                                    Value product = builder.multiply(arguments[0], arguments[1]);
                                    linalg::YieldOp::create(b, l, builder.add(arguments[2], product));
                                  });
    Value result = generic.getResult(0);
    if (result.getType() != resultType)
      result = tensor::CastOp::create(rewriter, location, resultType, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// The size of a loop: the size of the dim of x or y that it runs over.
  static OpFoldResult loopSize(OpBuilder &builder, Location location, ArrayRef<Value> operands,
                               ArrayRef<AffineMap> maps, unsigned loop) {
    OpFoldResult size = builder.getIndexAttr(1);
    for (auto [operand, map] : llvm::zip_first(operands, maps))
      if (auto dim = map.getResultPosition(builder.getAffineDimExpr(loop)))
        size = tensor::getMixedSize(builder, location, operand, *dim);
    return size;
  }
};

/// The index checks of kernels that are being lowered.
using ChecksByKernel = llvm::DenseMap<Operation *, pd::KernelChecks>;

class LowerElement : public OpInterfaceConversionPattern<pd::ElementOpInterface> {
public:
  LowerElement(const TypeConverter &converter, MLIRContext *context, ChecksByKernel &checks)
      : OpInterfaceConversionPattern(converter, context), checks(checks) {}

  LogicalResult matchAndRewrite(pd::ElementOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (const char *why = op.whyNoElement())
      return rewriter.notifyMatchFailure(op, why);
    Location location = op.getLoc();
    auto resultType = cast<RankedTensorType>(signless(op->getResult(0).getType()));
    pd::ElementBuilder builder(rewriter, op, operands, &checksOf(op, rewriter));
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(resultType.getShape()))
      sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult(op.buildDim(builder, dim))
                                                  : rewriter.getIndexAttr(size));
    Value init = tensor::EmptyOp::create(rewriter, location, sizes, resultType.getElementType());
    SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(rewriter, location, init.getType(), ValueRange(), init,
                                             rewriter.getMultiDimIdentityMap(resultType.getRank()), iterators,
                                             [&](OpBuilder &b, Location l, ValueRange) {
                                               SmallVector<Value> at;
                                               for (int64_t dim = 0; dim < resultType.getRank(); ++dim)
                                                 at.push_back(linalg::IndexOp::create(b, l, dim));
                                               builder.enterBody(b);
                                               linalg::YieldOp::create(b, l, op.buildElement(builder, at));
                                             });
    Value result = generic.getResult(0);
    if (result.getType() != resultType) // a size that folded to a constant
      result = tensor::CastOp::create(rewriter, location, resultType, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  ChecksByKernel &checks;

  /// The checks of the kernel of `op`. A placeholder has the place of their words until the kernel is
  /// converted.
  pd::KernelChecks &checksOf(Operation *op, OpBuilder &builder) const {
    auto kernel = op->getParentOfType<func::FuncOp>();
    pd::KernelChecks &own = checks[kernel];
    if (!own.words) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&kernel.getBody().front());
      auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI64Type());
      own.words =
          UnrealizedConversionCastOp::create(builder, kernel.getLoc(), type, ValueRange()).getResult(0);
    }
    return own;
  }
};

/// The function gets the words of its checks as its last argument.
LogicalResult addChecksArgument(func::FuncOp kernel, const pd::KernelChecks &checks) {
  Operation *placeholder = checks.words.getDefiningOp();
  if (!checks.list.empty()) {
    if (failed(verifyNotReferenced(kernel, kernel->getParentOfType<ModuleOp>())))
      return failure();
    OpBuilder builder(placeholder);
    Location loc = kernel.getLoc();
    unsigned position = kernel.getNumArguments();
    (void)kernel.insertArgument(position, MemRefType::get({}, builder.getI64Type()), {}, loc);
    placeholder->getResult(0).replaceAllUsesWith(
        viewOfWords(builder, loc, kernel.getArgument(position), checks.list.size()));
    describeChecks(kernel, checks);
  }
  placeholder->erase();
  return success();
}

class LowerConstant : public OpConversionPattern<pd::ConstantOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(pd::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(signless(op.getType()));
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense)
      return rewriter.notifyMatchFailure(op, "kernels hold dense constants only");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, type.getElementType() == dense.getElementType() ? dense : dense.bitcast(type.getElementType()));
    return success();
  }
};

/// A kernel that is one op is left alone by the passes on linalg.
void markOpaqueKernel(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (isa<pd::DeviceKernelOpInterface>(op)) {
      kernel->removeAttr(kernelAttribute);
      kernel->setAttr(deviceKernelAttribute, DeviceKernelAttr::get(kernel.getContext(), DeviceKernel::Op));
      return;
    }
}

/// Kernels of ops with code for threads.
LogicalResult lowerThreadKernels(ModuleOp module, PassRemarks remarks) {
  bool isCorrect = true;
  for (func::FuncOp kernel : kernelsOf(module))
    if (isThreadKernel(kernel))
      isCorrect &= succeeded(verifyKernelSignature(kernel)) &&
                   succeeded(verifyNotReferenced(kernel, module)) &&
                   succeeded(lowerToThreads(kernel, remarks));
  return success(isCorrect);
}

LogicalResult lowerKernels(ModuleOp module) {
  MLIRContext *context = module.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return signless(type); });
  ConversionTarget target(*context);
  target
      .addLegalDialect<linalg::LinalgDialect, arith::ArithDialect, math::MathDialect, complex::ComplexDialect,
                       memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect, BuiltinDialect>();
  // Ops that are a kernel of their own are lowered on memory.
  target.addDynamicallyLegalDialect<pd::PdDialect>(
      [&](Operation *op) { return isa<pd::DeviceKernelOpInterface>(op) && converter.isLegal(op); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return converter.isSignatureLegal(op.getFunctionType()) && converter.isLegal(&op.getBody());
  });
  target.addDynamicallyLegalOp<func::ReturnOp>(
      [&](func::ReturnOp op) { return converter.isLegal(op.getOperandTypes()); });
  RewritePatternSet patterns(context);
  patterns.add<LowerConstant>(converter, context);
  patterns.add<LowerScalar, LowerReduction, LowerArgExtreme, LowerIndexingMap, LowerContraction>(converter,
                                                                                                 context);
  ChecksByKernel checks;
  patterns.add<LowerElement>(converter, context, checks);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  FrozenRewritePatternSet frozen(std::move(patterns));
  bool isCorrect = true;
  SmallVector<func::FuncOp> kernels = kernelsOf(module), changed;
  for (func::FuncOp kernel : kernels) {
    isCorrect &= succeeded(verifyKernelSignature(kernel));
    if (!converter.isSignatureLegal(kernel.getFunctionType()))
      changed.push_back(kernel);
  }
  isCorrect &= succeeded(verifyNotReferenced(changed, module));
  for (func::FuncOp kernel : kernels)
    if (isCorrect && failed(applyPartialConversion(kernel, target, frozen)))
      return failure();
  for (func::FuncOp kernel : kernels)
    if (auto own = checks.find(kernel); own != checks.end())
      isCorrect &= succeeded(addChecksArgument(kernel, own->second));
  if (isCorrect)
    for (func::FuncOp kernel : kernels)
      markOpaqueKernel(kernel);
  return success(isCorrect);
}

struct LowerToLinalg : impl::LowerToLinalgBase<LowerToLinalg> {
  void runOnOperation() override {
    if (failed(lowerThreadKernels(getOperation(), PassRemarks(getArgumentName()))) ||
        failed(lowerKernels(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace proa
