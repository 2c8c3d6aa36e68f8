#include "passes/fuse/QuantizedTensor.h"

#include "passes/analysis/ConstantNumber.h"
#include "passes/fuse/TensorBounds.h"

#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa {
namespace {

/// An op that moves the elements of its first operand.
bool isMove(Operation *op) {
  if (!op || !op->hasTrait<pd::MovesElements>() || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  auto isFloats = [](Value operand) { return isa<FloatType>(pd::tensorType(operand).getElementType()); };
  return isFloats(op->getOperand(0)) && llvm::none_of(op->getOperands().drop_front(), isFloats);
}

/// Whether one operand of a product or difference has all dims of the result, so that the other broadcasts.
bool isFull(Value operand, Value result) {
  return pd::tensorType(operand).getShape() == pd::tensorType(result).getShape();
}

/// Reads `value` as a tensor of integers of 8 bits.
bool readBytes(Value value, QuantizedTensor &out) {
  auto cast = value.getDefiningOp<pd::CastOp>();
  if (!cast || !pd::tensorType(cast.getX()).getElementType().isInteger(8))
    return false;
  out.integers = cast.getX();
  out.isUnsigned = pd::tensorType(cast.getX()).getElementType().isUnsignedInteger();
  return true;
}

/// Reads `value` as floats that are such integers.
bool readIntegers(Value value, QuantizedTensor &out) {
  std::optional<TensorBounds> bounds = integerBoundsOf(value);
  if (!bounds || hasOneElement(value))
    return false;
  out.integers = value;
  out.isUnsigned = bounds->areIn(0, 255);
  return out.isUnsigned || bounds->areIn(-128, 127);
}

bool readCentered(Value value, QuantizedTensor &out) {
  auto difference = value.getDefiningOp<pd::SubtractOp>();
  bool isCentered = difference && isFull(difference.getX(), value) && integerBoundsOf(difference.getY()) &&
                    (readBytes(difference.getX(), out) || readIntegers(difference.getX(), out));
  if (!isCentered)
    return readBytes(value, out) || readIntegers(value, out);
  if (constantNumber(difference.getY()) != 0.0)
    out.zero = difference.getY();
  return true;
}

bool readScaled(Value value, QuantizedTensor &out) {
  Operation *op = value.getDefiningOp();
  auto readFactor = [&](unsigned factor, bool divides) {
    if (!isFull(op->getOperand(1 - factor), value) || !readScaled(op->getOperand(1 - factor), out))
      return false;
    out.factors.push_back({op->getOperand(factor), divides});
    return true;
  };
  if (isa_and_present<pd::MultiplyOp>(op))
    return readFactor(1, false) || readFactor(0, false);
  if (isa_and_present<pd::DivideOp>(op))
    return readFactor(1, true);
  if (readCentered(value, out))
    return true;
  // A cast to a wider float type keeps the elements.
  auto cast = dyn_cast_or_null<pd::CastOp>(op);
  if (!cast)
    return false;
  auto from = dyn_cast<FloatType>(pd::tensorType(cast.getX()).getElementType());
  auto to = dyn_cast<FloatType>(cast.getDtype());
  return from && to && from.isF32() && to.isF64() && readScaled(cast.getX(), out);
}

} // namespace

bool hasOneElement(Value value) {
  auto type = pd::tensorType(value);
  return type.hasStaticShape() && type.getNumElements() == 1;
}

std::optional<QuantizedTensor> QuantizedTensor::read(Value value) {
  QuantizedTensor out;
  for (Operation *op = value.getDefiningOp(); isMove(op); op = value.getDefiningOp()) {
    out.moves.push_back(op);
    value = op->getOperand(0);
  }
  if (!readScaled(value, out))
    return std::nullopt;
  bool differ = (out.zero && !hasOneElement(out.zero)) ||
                llvm::any_of(out.factors, [](const Factor &f) { return !hasOneElement(f.value); });
  return !out.moves.empty() && differ ? std::nullopt : std::optional(out);
}

pd::Expression QuantizedTensor::bytes(pd::TensorBuilder &e) const {
  Type type = IntegerType::get(e.getBuilder().getContext(), 8,
                               isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
  Value value = e.cast(e.wrap(integers), type);
  for (Operation *move : llvm::reverse(moves)) {
    IRMapping mapping;
    mapping.map(move->getOperand(0), value);
    Operation *moved = e.getBuilder().clone(*move, mapping);
    value = moved->getResult(0);
    value.setType(pd::tensorType(value).clone(type));
  }
  return e.wrap(value);
}

} // namespace proa
