#include "dialects/pd/builders/ElementBuilder.h"

#include "lib/support/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
IndexValue min(IndexValue a, IndexValue b) { return emit<arith::MinSIOp>(a, b); }
IndexValue max(IndexValue a, IndexValue b) { return emit<arith::MaxSIOp>(a, b); }
IndexValue max(IndexValue a, int64_t b) { return max(a, a.getOwner().index(b)); }
IndexValue ceilDivide(IndexValue a, int64_t b) { return b == 1 ? max(a, 0) : (max(a, 0) + (b - 1)) / b; }

Value isLess(IndexValue a, IndexValue b) {
  ElementBuilder &e = a.getOwner();
  return e.getBuilder().createOrFold<arith::CmpIOp>(e.getLoc(), arith::CmpIPredicate::slt, a.value(),
                                                    b.value());
}

ElementBuilder::ElementBuilder(OpBuilder &builder, Operation *op, ValueRange operands)
    : builder(&builder), op(op), operands(operands) {
  for (Value operand : operands) {
    Indices &own = dims.emplace_back();
    for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(operand.getType()).getShape()))
      own.push_back(ShapedType::isDynamic(size)
                        ? IndexValue(*this, tensor::DimOp::create(builder, op->getLoc(), operand, d))
                        : index(size));
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
  return tensor::ExtractOp::create(*builder, getLoc(), operands[operand], values);
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
  return ScalarBuilder(*builder, getLoc(), result, /*operandUnsigned=*/false, /*resultUnsigned=*/false);
}

Value ElementBuilder::toElement(IndexValue number, Type type) {
  Value whole = arith::IndexCastOp::create(*builder, getLoc(), builder->getI64Type(), number.value());
  return scalar(type).cast(whole);
}

IndexValue ElementBuilder::toIndex(Value number) {
  Value whole = arith::FPToSIOp::create(*builder, getLoc(), builder->getI64Type(), number);
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
