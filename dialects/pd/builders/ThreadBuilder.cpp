#include "dialects/pd/builders/ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::pd {

ThreadBuilder::ThreadBuilder(OpBuilder &builder, Operation *op, const Kernel &kernel, KernelChecks *checks)
    : ElementBuilder(builder, op, ValueRange(kernel.operands), checks), kernel(kernel) {}

//===-- memory ------------------------------------------------------------------------------------------===//

static SmallVector<Value> valuesOf(ArrayRef<IndexValue> at) {
  return SmallVector<Value>(at.begin(), at.end());
}

/// A bool as a byte.
static Value stored(OpBuilder &b, Location loc, Value memory, Value element) {
  Type type = getElementTypeOrSelf(memory.getType());
  bool isBool = element.getType().isInteger(1) && !type.isInteger(1);
  return isBool ? Value(arith::ExtUIOp::create(b, loc, type, element)) : element;
}

/// The elements of a memref one after the other.
Value ThreadBuilder::flat(Value memory) {
  OpBuilder &b = getBuilder();
  auto type = cast<MemRefType>(memory.getType());
  if (type.getRank() == 1)
    return memory;
  IndexValue count = index(1);
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    count = count * (ShapedType::isDynamic(size)
                         ? IndexValue(*this, b.createOrFold<memref::DimOp>(getLoc(), memory, int64_t(d)))
                         : index(size));
  std::optional<int64_t> known = getConstantIntValue(count.value());
  auto flatType = MemRefType::get({known.value_or(ShapedType::kDynamic)}, type.getElementType());
  OpFoldResult size = known ? OpFoldResult(b.getIndexAttr(*known)) : OpFoldResult(count.value());
  return memref::ReinterpretCastOp::create(b, getLoc(), flatType, memory, OpFoldResult(b.getIndexAttr(0)),
                                           ArrayRef<OpFoldResult>{size},
                                           ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value ThreadBuilder::loadFlat(unsigned operand, IndexValue position) {
  Value element = loadFrom(flat(kernel.operands[operand]), {position});
  if (!getElementTypeOrSelf(getOp()->getOperand(operand)).isInteger(1))
    return element;
  Value zero =
      arith::ConstantOp::create(getBuilder(), getLoc(), getBuilder().getIntegerAttr(element.getType(), 0));
  return arith::CmpIOp::create(getBuilder(), getLoc(), arith::CmpIPredicate::ne, element, zero);
}

void ThreadBuilder::storeFlat(unsigned result, IndexValue position, Value element) {
  if (hasResult(result))
    storeTo(flat(kernel.results[result]), {position}, element);
}

Value ThreadBuilder::loadResult(unsigned result, IndexValue position) {
  return loadFrom(flat(kernel.results[result]), {position});
}

void ThreadBuilder::updateFlat(unsigned result, IndexValue position, arith::AtomicRMWKind kind,
                               Value element) {
  memref::AtomicRMWOp::create(getBuilder(), getLoc(), element.getType(), kind, element,
                              flat(kernel.results[result]), ValueRange{position.value()});
}

Value ThreadBuilder::shared(ArrayRef<int64_t> dims, Type element) {
  // A bool has a byte.
  Type type = element.isInteger(1) ? getBuilder().getI8Type() : element;
  return memref::AllocOp::create(getBuilder(), getLoc(), MemRefType::get(dims, type));
}

Value ThreadBuilder::scratchFrom(IndexValue byte, IndexValue count, Type element) {
  auto type = MemRefType::get({ShapedType::kDynamic}, element);
  return memref::ViewOp::create(getBuilder(), getLoc(), type, kernel.scratch, byte.value(),
                                ValueRange{count.value()});
}

Value ThreadBuilder::loadFrom(Value memory, ArrayRef<IndexValue> at) {
  return memref::LoadOp::create(getBuilder(), getLoc(), memory, valuesOf(at));
}

void ThreadBuilder::storeTo(Value memory, ArrayRef<IndexValue> at, Value element) {
  memref::StoreOp::create(getBuilder(), getLoc(), stored(getBuilder(), getLoc(), memory, element), memory,
                          valuesOf(at));
}

void ThreadBuilder::barrier() { gpu::BarrierOp::create(getBuilder(), getLoc()); }

//===-- control flow ------------------------------------------------------------------------------------===//

template <class Body> auto ThreadBuilder::inside(OpBuilder &inner, Body body) {
  struct Restore {
    ThreadBuilder &owner;
    OpBuilder &outer;
    ~Restore() { owner.enterBody(outer); }
  } restore{*this, getBuilder()};
  enterBody(inner);
  return body();
}

void ThreadBuilder::ifThen(Value condition, function_ref<void()> body) {
  auto created = scf::IfOp::create(getBuilder(), getLoc(), condition);
  OpBuilder inner = created.getThenBodyBuilder();
  inside(inner, body);
}

ThreadBuilder::Values ThreadBuilder::loop(IndexValue begin, IndexValue end, IndexValue step, Values state,
                                          function_ref<Values(IndexValue, ValueRange)> body) {
  auto created = scf::ForOp::create(getBuilder(), getLoc(), begin.value(), end.value(), step.value(), state,
                                    [&](OpBuilder &inner, Location loc, Value position, ValueRange own) {
                                      Values next =
                                          inside(inner, [&] { return body({*this, position}, own); });
                                      scf::YieldOp::create(inner, loc, next);
                                    });
  return Values(created.getResults());
}

void ThreadBuilder::loop(IndexValue begin, IndexValue end, IndexValue step,
                         function_ref<void(IndexValue)> body) {
  loop(begin, end, step, {}, [&](IndexValue position, ValueRange) -> Values {
    body(position);
    return {};
  });
}

void ThreadBuilder::spread(IndexValue count, function_ref<void(IndexValue)> body) {
  loop(thread(), count, index(threads()), body);
}

ThreadBuilder::Values ThreadBuilder::whileLoop(Values state, function_ref<Value(ValueRange)> condition,
                                               function_ref<Values(ValueRange)> body) {
  auto created = scf::WhileOp::create(
      getBuilder(), getLoc(), TypeRange(ValueRange(state)), state,
      [&](OpBuilder &inner, Location loc, ValueRange own) {
        Value holds = inside(inner, [&] { return condition(own); });
        scf::ConditionOp::create(inner, loc, holds, own);
      },
      [&](OpBuilder &inner, Location loc, ValueRange own) {
        Values next = inside(inner, [&] { return body(own); });
        scf::YieldOp::create(inner, loc, next);
      });
  return Values(created.getResults());
}

ThreadBuilder::Values ThreadBuilder::choose(Value condition, function_ref<Values()> ifTrue,
                                            function_ref<Values()> ifFalse) {
  auto branch = [&](function_ref<Values()> make) {
    return [this, make](OpBuilder &inner, Location loc) {
      Values values = inside(inner, make);
      scf::YieldOp::create(inner, loc, values);
    };
  };
  return Values(
      scf::IfOp::create(getBuilder(), getLoc(), condition, branch(ifTrue), branch(ifFalse)).getResults());
}

//===-- scalars -----------------------------------------------------------------------------------------===//

Value ThreadBuilder::logicalOr(Value x, Value y) {
  return getBuilder().createOrFold<arith::OrIOp>(getLoc(), x, y);
}

Value ThreadBuilder::logicalNot(Value x) {
  Value yes = arith::ConstantOp::create(getBuilder(), getLoc(), getBuilder().getBoolAttr(true));
  return getBuilder().createOrFold<arith::XOrIOp>(getLoc(), x, yes);
}

Value ThreadBuilder::select(Value condition, Value x, Value y) {
  return getBuilder().createOrFold<arith::SelectOp>(getLoc(), condition, x, y);
}

Value ThreadBuilder::integer(IndexValue x, Type type) {
  return arith::IndexCastOp::create(getBuilder(), getLoc(), type, x.value());
}

IndexValue ThreadBuilder::fromInteger(Value x) {
  return {*this, arith::IndexCastOp::create(getBuilder(), getLoc(), getBuilder().getIndexType(), x)};
}

//===-- lines -------------------------------------------------------------------------------------------===//

TensorLines TensorLines::of(ElementBuilder &b, unsigned operand, int64_t axis, bool flatten) {
  TensorLines lines{b.index(1), b.index(1), b.index(1)};
  int64_t rank = b.rank(operand);
  if (axis < 0)
    axis += std::max<int64_t>(rank, 1);
  for (int64_t d = 0; d < rank; ++d) {
    IndexValue &size = flatten || d == axis ? lines.length : d < axis ? lines.outer : lines.inner;
    size = size * b.dim(operand, d);
  }
  return lines;
}

StaticLines StaticLines::of(Value tensor, int64_t axis, bool flatten) {
  StaticLines lines;
  ArrayRef<int64_t> shape = cast<ShapedType>(tensor.getType()).getShape();
  auto rank = static_cast<int64_t>(shape.size());
  if (axis < 0)
    axis += std::max<int64_t>(rank, 1);
  for (int64_t d = 0; d < rank; ++d) {
    int64_t &size = flatten || d == axis ? lines.length : d < axis ? lines.outer : lines.inner;
    bool isDynamic = ShapedType::isDynamic(size) || ShapedType::isDynamic(shape[d]);
    size = isDynamic ? ShapedType::kDynamic : size * shape[d];
  }
  return lines;
}

std::string sizeText(int64_t size) { return ShapedType::isDynamic(size) ? "?" : std::to_string(size); }

} // namespace proa::pd

#include "dialects/pd/ir/ThreadInterface.cpp.inc"
