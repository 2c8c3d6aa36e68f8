#include "passes/fuse/QuantizedTensor.h"

#include "passes/analysis/ConstantNumber.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/HostScalar.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

/// The bounds of a tensor of integers.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();

  bool areIn(double low, double high) const { return least >= low && greatest <= high; }
};

Bounds boundsOfType(IntegerType type) {
  auto bits = static_cast<int>(type.getWidth());
  return type.isUnsigned() ? Bounds{0, std::ldexp(1, bits) - 1}
                           : Bounds{-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1};
}

std::optional<Bounds> boundsOfConstant(const Tensor &constant) {
  Bounds out{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < constant.size(); ++i) {
    double value = pd::loadScalar(constant, i).real();
    if (value != std::round(value))
      return std::nullopt;
    out = {std::min(out.least, value), std::max(out.greatest, value)};
  }
  return out;
}

/// An op that moves the elements of its first operand.
bool isMove(Operation *op) {
  if (!op || !op->hasTrait<pd::MovesElements>() || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  auto isFloats = [](Value operand) { return isa<FloatType>(pd::tensorType(operand).getElementType()); };
  return isFloats(op->getOperand(0)) && llvm::none_of(op->getOperands().drop_front(), isFloats);
}

/// The bounds of a float tensor whose elements are integers; nothing where they may be others.
std::optional<Bounds> integerBounds(Value value, unsigned depth = 0) {
  constexpr unsigned mostDepth = 16;
  if (std::optional<double> scalar = constantNumber(value); scalar && *scalar == std::round(*scalar))
    return Bounds{*scalar, *scalar};
  if (std::optional<Tensor> constant = pd::knownTensor(value))
    return boundsOfConstant(*constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostDepth)
    return std::nullopt;
  auto operand = [&](unsigned i) { return integerBounds(op->getOperand(i), depth + 1); };
  if (auto cast = dyn_cast<pd::CastOp>(op)) {
    Type from = pd::tensorType(cast.getX()).getElementType();
    if (auto integer = dyn_cast<IntegerType>(from))
      return integer.getWidth() == 8 || integer.getWidth() == 16 ? std::optional(boundsOfType(integer))
                                                                 : std::nullopt;
    return operand(0);
  }
  if (isMove(op) || isa<pd::GatherOp>(op))
    return operand(0);
  if (auto round = dyn_cast<pd::RoundOp>(op))
    return round.getDecimals() == 0 ? std::optional(Bounds()) : std::nullopt;
  if (!isa<pd::MinimumOp, pd::MaximumOp, pd::AddOp, pd::SubtractOp>(op))
    return std::nullopt;
  std::optional<Bounds> a = operand(0), b = operand(1);
  if (!a || !b)
    return std::nullopt;
  if (isa<pd::MinimumOp>(op))
    return Bounds{std::min(a->least, b->least), std::min(a->greatest, b->greatest)};
  if (isa<pd::MaximumOp>(op))
    return Bounds{std::max(a->least, b->least), std::max(a->greatest, b->greatest)};
  return isa<pd::AddOp>(op) ? Bounds{a->least + b->least, a->greatest + b->greatest}
                            : Bounds{a->least - b->greatest, a->greatest - b->least};
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
  std::optional<Bounds> bounds = integerBounds(value);
  if (!bounds || hasOneElement(value))
    return false;
  out.integers = value;
  out.isUnsigned = bounds->areIn(0, 255);
  return out.isUnsigned || bounds->areIn(-128, 127);
}

bool readCentered(Value value, QuantizedTensor &out) {
  auto difference = value.getDefiningOp<pd::SubtractOp>();
  bool isCentered = difference && isFull(difference.getX(), value) && integerBounds(difference.getY()) &&
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
