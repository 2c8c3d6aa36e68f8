#include "dialects/pd/builders/ElementBuilder.h"

#include "lib/base/support/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {

template <class Op> static IndexValue emit(IndexValue a, IndexValue b) {
  ElementBuilder &e = a.getOwner();
  return {e, e.getBuilder().createOrFold<Op>(e.getLoc(), a.value(), b.value())};
}

IndexValue operator+(IndexValue a, IndexValue b) { return emit<arith::AddIOp>(a, b); }
IndexValue operator-(IndexValue a, IndexValue b) { return emit<arith::SubIOp>(a, b); }
IndexValue operator*(IndexValue a, IndexValue b) { return emit<arith::MulIOp>(a, b); }
IndexValue operator/(IndexValue a, IndexValue b) { return emit<arith::DivUIOp>(a, b); }
IndexValue operator%(IndexValue a, IndexValue b) { return emit<arith::RemUIOp>(a, b); }
IndexValue operator+(IndexValue a, int64_t b) { return a + a.getOwner().index(b); }
IndexValue operator-(IndexValue a, int64_t b) { return a - a.getOwner().index(b); }
IndexValue operator*(IndexValue a, int64_t b) { return a * a.getOwner().index(b); }
IndexValue operator/(IndexValue a, int64_t b) { return a / a.getOwner().index(b); }
IndexValue operator%(IndexValue a, int64_t b) { return a % a.getOwner().index(b); }
IndexValue min(IndexValue a, IndexValue b) { return emit<arith::MinSIOp>(a, b); }
IndexValue max(IndexValue a, IndexValue b) { return emit<arith::MaxSIOp>(a, b); }
IndexValue max(IndexValue a, int64_t b) { return max(a, a.getOwner().index(b)); }
IndexValue ceilDivide(IndexValue a, int64_t b) { return b == 1 ? max(a, 0) : (max(a, 0) + (b - 1)) / b; }
IndexValue ceilDivide(IndexValue a, IndexValue b) { return (a + (b - 1)) / b; }

Value isLess(IndexValue a, IndexValue b) {
  ElementBuilder &e = a.getOwner();
  return e.getBuilder().createOrFold<arith::CmpIOp>(e.getLoc(), arith::CmpIPredicate::slt, a.value(),
                                                    b.value());
}

ElementBuilder::ElementBuilder(OpBuilder &builder, Operation *op, ValueRange operands, KernelChecks *checks)
    : builder(&builder), op(op), operands(operands), checks(checks) {
  for (Value operand : operands) {
    Indices &own = dims.emplace_back();
    bool isMemory = isa<MemRefType>(operand.getType());
    for (auto [d, size] : llvm::enumerate(cast<ShapedType>(operand.getType()).getShape())) {
      if (!ShapedType::isDynamic(size))
        own.push_back(index(size));
      else if (isMemory)
        own.push_back({*this, builder.createOrFold<memref::DimOp>(op->getLoc(), operand, d)});
      else
        own.push_back({*this, tensor::DimOp::create(builder, op->getLoc(), operand, d)});
    }
  }
}

ElementBuilder::ElementBuilder(OpBuilder &builder, Operation *op, DynamicDims dynamicDims)
    : builder(&builder), op(op) {
  ValueRange left = dynamicDims.values;
  for (Value operand : op->getOperands()) {
    Indices &own = dims.emplace_back();
    for (int64_t size : cast<ShapedType>(operand.getType()).getShape()) {
      if (!ShapedType::isDynamic(size)) {
        own.push_back(index(size));
        continue;
      }
      own.push_back({*this, left.front()});
      left = left.drop_front();
    }
  }
}

IndexValue ElementBuilder::index(int64_t value) {
  return {*this, arith::ConstantIndexOp::create(*builder, getLoc(), value)};
}

ElementBuilder::Indices ElementBuilder::indices(ValueRange values) {
  Indices list;
  for (Value value : values)
    list.emplace_back(*this, value);
  return list;
}

IndexValue ElementBuilder::select(Value condition, IndexValue x, IndexValue y) {
  return {*this, builder->createOrFold<arith::SelectOp>(getLoc(), condition, x.value(), y.value())};
}

Value ElementBuilder::load(unsigned operand, ArrayRef<IndexValue> at) {
  SmallVector<Value> values(at.begin(), at.end());
  if (!isa<MemRefType>(operands[operand].getType()))
    return tensor::ExtractOp::create(*builder, getLoc(), operands[operand], values);
  Value element = memref::LoadOp::create(*builder, getLoc(), operands[operand], values);
  if (!getElementTypeOrSelf(op->getOperand(operand)).isInteger(1))
    return element;
  Value zero = arith::ConstantOp::create(*builder, getLoc(), builder->getIntegerAttr(element.getType(), 0));
  return arith::CmpIOp::create(*builder, getLoc(), arith::CmpIPredicate::ne, element, zero);
}

Value ElementBuilder::isEqual(IndexValue x, IndexValue y) {
  return builder->createOrFold<arith::CmpIOp>(getLoc(), arith::CmpIPredicate::eq, x.value(), y.value());
}

int64_t ElementBuilder::argumentOf(unsigned operand) const {
  Value value = operands[operand];
  // The conversion to signless integers may be under way; memory of dynamic dims is a view of the argument.
  while (isa_and_present<UnrealizedConversionCastOp, memref::ReinterpretCastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? int64_t(argument.getArgNumber()) : -1;
}

IndexValue ElementBuilder::loadInteger(unsigned operand, ArrayRef<IndexValue> at) {
  Value element = load(operand, at);
  bool isUnsigned = getElementTypeOrSelf(op->getOperand(operand)).isUnsignedInteger();
  Type index = builder->getIndexType();
  return {*this, isUnsigned ? Value(arith::IndexCastUIOp::create(*builder, getLoc(), index, element))
                            : Value(arith::IndexCastOp::create(*builder, getLoc(), index, element))};
}

CheckedIndex ElementBuilder::loadIndex(unsigned operand, ArrayRef<IndexValue> at, unsigned bound,
                                       int64_t axis, bool wraps) {
  IndexValue given = loadInteger(operand, at), size = dim(bound, axis), own = given;
  if (wraps)
    own = select(isLess(given, index(0)), given + size, given);
  // As unsigned values, negative ones are large.
  Value isInside =
      arith::CmpIOp::create(*builder, getLoc(), arith::CmpIPredicate::ult, own.value(), size.value());
  Value isOutside =
      arith::XOrIOp::create(*builder, getLoc(), isInside,
                            arith::ConstantOp::create(*builder, getLoc(), builder->getBoolAttr(true)));
  addCheck(wraps ? CheckedNumber::IndexFromEnd : CheckedNumber::Index, operand, at, bound, axis, isOutside,
           given);
  return {own, isInside};
}

IndexValue ElementBuilder::loadGroupSize(unsigned operand, IndexValue group, IndexValue before,
                                         unsigned bound, int64_t axis) {
  constexpr int64_t large = int64_t(1) << 40; // sums of larger sizes could overflow
  IndexValue size = min(loadInteger(operand, {group}), index(large)), sum = before + size;
  Value isNegative = isLess(size, index(0));
  Value isWrong = arith::OrIOp::create(*builder, getLoc(), isNegative, isLess(dim(bound, axis), sum));
  addCheck(CheckedNumber::GroupSize, operand, {group}, bound, axis, isWrong, select(isNegative, size, sum));
  return select(isWrong, index(0), size);
}

void ElementBuilder::addCheck(CheckedNumber kind, unsigned operand, ArrayRef<IndexValue> at, unsigned bound,
                              int64_t axis, Value isWrong, IndexValue wrong) {
  assert(checks && "the kernel has no place for errors");
  checks->list.push_back({argumentOf(operand), argumentOf(bound), axis,
                          getConstantIntValue(dim(bound, axis).value()).value_or(0), kind});
  IndexValue position = index(0);
  for (auto [d, i] : llvm::enumerate(at))
    position = position * dim(operand, int64_t(d)) + i;
  auto reporting = scf::IfOp::create(*builder, getLoc(), isWrong);
  OpBuilder inner = reporting.getThenBodyBuilder();
  OpBuilder *outer = std::exchange(builder, &inner);
  report(checks->list.size() - 1, position, wrong);
  builder = outer;
}

void ElementBuilder::report(unsigned check, IndexValue position, IndexValue wrong) {
  constexpr int64_t valueBits = 24, largest = (int64_t(1) << (valueBits - 1)) - 1;
  IndexValue clamped = max(min(wrong, index(largest)), -largest - 1);
  auto integer = [&](IndexValue value) -> Value {
    return arith::IndexCastOp::create(*builder, getLoc(), builder->getI64Type(), value.value());
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(*builder, getLoc(), builder->getI64IntegerAttr(value));
  };
  Value low =
      arith::AndIOp::create(*builder, getLoc(), integer(clamped), constant((int64_t(1) << valueBits) - 1));
  Value high = arith::ShLIOp::create(*builder, getLoc(), integer(position), constant(valueBits));
  Value word = arith::OrIOp::create(*builder, getLoc(), high, low);
  memref::AtomicRMWOp::create(*builder, getLoc(), builder->getI64Type(), arith::AtomicRMWKind::minu, word,
                              checks->words, ValueRange{index(check).value()});
}

Value ElementBuilder::constant(double value, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    auto whole = type.isInteger(1) ? static_cast<int64_t>(value != 0) : toInteger<int64_t>(value);
    APInt bits(integer.getWidth(), static_cast<uint64_t>(whole), /*isSigned=*/true, /*implicitTrunc=*/true);
    return arith::ConstantOp::create(*builder, getLoc(), IntegerAttr::get(type, bits));
  }
  return scalar(type).constant(value, type);
}

ScalarBuilder ElementBuilder::scalar(Type result) {
  return ScalarBuilder(*builder, getLoc(), result, /*operandUnsigned=*/false);
}

Value ElementBuilder::toElement(IndexValue position, Type type) {
  Value whole = arith::IndexCastOp::create(*builder, getLoc(), builder->getI64Type(), position.value());
  return scalar(type).cast(whole);
}

IndexValue ElementBuilder::toIndex(Value value) {
  Value whole = arith::FPToSIOp::create(*builder, getLoc(), builder->getI64Type(), value);
  return {*this, arith::IndexCastOp::create(*builder, getLoc(), builder->getIndexType(), whole)};
}

Type ElementBuilder::sumType(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32
             ? Float32Type::get(element.getContext())
             : element;
}

Value ElementBuilder::logicalAnd(Value x, Value y) {
  return builder->createOrFold<arith::AndIOp>(getLoc(), x, y);
}

Value ElementBuilder::choose(Value condition, function_ref<Value()> ifTrue, function_ref<Value()> ifFalse) {
  if (std::optional<int64_t> known = getConstantIntValue(condition))
    return *known ? ifTrue() : ifFalse();
  auto branch = [&](function_ref<Value()> make) {
    return [this, make](OpBuilder &inner, Location loc) {
      OpBuilder *outer = std::exchange(builder, &inner);
      Value value = make();
      builder = outer;
      scf::YieldOp::create(inner, loc, value);
    };
  };
  return scf::IfOp::create(*builder, getLoc(), condition, branch(ifTrue), branch(ifFalse)).getResult(0);
}

ElementBuilder::Values ElementBuilder::loops(ArrayRef<IndexRange> ranges, Values state,
                                             function_ref<Values(ArrayRef<IndexValue>, ValueRange)> body) {
  Indices at;
  std::function<Values(ValueRange)> nest = [&](ValueRange own) -> Values {
    if (at.size() == ranges.size())
      return body(at, own);
    const IndexRange &range = ranges[at.size()];
    Value one = index(1);
    auto loop = scf::ForOp::create(*builder, getLoc(), range.begin, range.end, one, own,
                                   [&](OpBuilder &inner, Location loc, Value position, ValueRange values) {
                                     OpBuilder *outer = std::exchange(builder, &inner);
                                     at.emplace_back(*this, position);
                                     Values next = nest(values);
                                     at.pop_back();
                                     builder = outer;
                                     scf::YieldOp::create(inner, loc, next);
                                   });
    return Values(loop.getResults());
  };
  return nest(state);
}

} // namespace proa::pd

#include "dialects/pd/ir/ElementInterface.cpp.inc"
