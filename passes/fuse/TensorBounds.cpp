#include "passes/fuse/TensorBounds.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "passes/analysis/ConstantNumber.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool isInteger(double value) { return value == std::round(value); }

TensorBounds hullOf(ArrayRef<double> numbers, bool areIntegers) {
  return {*llvm::min_element(numbers), *llvm::max_element(numbers), areIntegers};
}

bool isFinite(const TensorBounds &bounds) {
  return std::isfinite(bounds.least) && std::isfinite(bounds.greatest);
}

TensorBounds boundsOfType(IntegerType type) {
  auto bits = static_cast<int>(type.getWidth());
  return type.isUnsigned() || bits == 1
             ? TensorBounds{0, std::ldexp(1, bits) - 1, true}
             : TensorBounds{-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1, true};
}

/// Whether an op moves the elements of its first operand only.
bool isMoveOfFirst(Operation *op) {
  auto elementOf = [](Value value) { return pd::tensorType(value).getElementType(); };
  return (op->hasTrait<pd::MovesElements>() || isa<pd::GatherOp>(op)) && op->getNumOperands() > 0 &&
         llvm::none_of(op->getOperands().drop_front(),
                       [&](Value other) { return elementOf(other) == elementOf(op->getOperand(0)); });
}

class BoundsReader {
public:
  explicit BoundsReader(int64_t mostElements) : mostElements(mostElements) {}

  std::optional<TensorBounds> read(Value value, unsigned depth = 0) const {
    constexpr unsigned mostDepth = 16;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      return std::nullopt;
    if (auto constant = ofConstant(value, type))
      return constant;
    Operation *op = value.getDefiningOp();
    if (!op || depth == mostDepth || op->getNumOperands() == 0)
      return std::nullopt;
    auto operand = [&](unsigned i) { return read(op->getOperand(i), depth + 1); };
    if (auto cast = dyn_cast<pd::CastOp>(op))
      return ofCast(cast, operand(0));
    if (isMoveOfFirst(op))
      return operand(0);
    if (auto round = dyn_cast<pd::RoundOp>(op))
      return round.getDecimals() == 0 ? std::optional(TensorBounds{-infinity, infinity, true}) : std::nullopt;
    bool isWhere = isa<pd::WhereOp>(op);
    if (op->getNumOperands() > (isWhere ? 3 : 2))
      return std::nullopt;
    std::optional<TensorBounds> x = operand(isWhere ? 1 : 0);
    if (!x || op->getNumOperands() == 1)
      return x ? inType(ofUnary(op, *x), type.getElementType()) : x;
    std::optional<TensorBounds> y = operand(isWhere ? 2 : 1);
    return y ? inType(ofBinary(op, *x, *y), type.getElementType()) : y;
  }

private:
  int64_t mostElements; ///< of constants

  /// The bounds of results of this type: integers out of its range wrap around.
  static std::optional<TensorBounds> inType(std::optional<TensorBounds> bounds, Type element) {
    auto integer = dyn_cast<IntegerType>(element);
    if (!bounds || !integer)
      return bounds;
    TensorBounds all = boundsOfType(integer);
    return bounds->areIn(all.least, all.greatest) ? bounds : all;
  }

  std::optional<TensorBounds> ofConstant(Value value, RankedTensorType type) const {
    if (std::optional<double> number = constantNumber(value))
      return TensorBounds{*number, *number, isInteger(*number)};
    if (!type.hasStaticShape() || type.getNumElements() > mostElements)
      return std::nullopt;
    auto elements = constantNumbers(value);
    bool areFinite = elements && llvm::all_of(*elements, [](double own) { return std::isfinite(own); });
    return areFinite && !elements->empty()
               ? std::optional(hullOf(*elements, llvm::all_of(*elements, isInteger)))
               : std::nullopt;
  }

  /// Integers of a few bits may have all values of their type.
  static std::optional<TensorBounds> ofCast(pd::CastOp op, std::optional<TensorBounds> x) {
    auto from = dyn_cast<IntegerType>(pd::tensorType(op.getX()).getElementType()),
         to = dyn_cast<IntegerType>(op.getDtype());
    if (!x && from && from.getWidth() <= 16)
      x = boundsOfType(from);
    if (!to)
      return x;
    TensorBounds all = boundsOfType(to);
    return x && x->areIntegers && x->areIn(all.least, all.greatest) ? x : all;
  }

  static std::optional<TensorBounds> ofUnary(Operation *op, const TensorBounds &x) {
    auto [least, greatest, areIntegers] = x;
    if (auto scale = dyn_cast<pd::ScaleOp>(op)) {
      double factor = scale.getScale().convertToDouble(), bias = scale.getBias().convertToDouble();
      double offset = scale.getBiasAfterScale() ? bias : factor * bias;
      return hullOf({factor * least + offset, factor * greatest + offset},
                    areIntegers && isInteger(factor) && isInteger(offset));
    }
    if (isa<pd::AbsOp>(op))
      return hullOf({least > 0 ? least : 0, std::max(std::abs(least), std::abs(greatest))}, areIntegers);
    return std::nullopt;
  }

  static std::optional<TensorBounds> ofBinary(Operation *op, const TensorBounds &x, const TensorBounds &y) {
    bool areIntegers = x.areIntegers && y.areIntegers;
    if (isa<pd::AddOp>(op))
      return TensorBounds{x.least + y.least, x.greatest + y.greatest, areIntegers};
    if (isa<pd::SubtractOp>(op))
      return TensorBounds{x.least - y.greatest, x.greatest - y.least, areIntegers};
    if (isa<pd::MinimumOp>(op))
      return TensorBounds{std::min(x.least, y.least), std::min(x.greatest, y.greatest), areIntegers};
    if (isa<pd::MaximumOp>(op))
      return TensorBounds{std::max(x.least, y.least), std::max(x.greatest, y.greatest), areIntegers};
    if (isa<pd::MultiplyOp>(op) && isFinite(x) && isFinite(y))
      return hullOf({x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest},
                    areIntegers);
    if (isa<pd::WhereOp>(op))
      return hullOf({x.least, x.greatest, y.least, y.greatest}, areIntegers);
    return std::nullopt;
  }
};

} // namespace

std::optional<TensorBounds> boundsOf(Value value) {
  std::optional<TensorBounds> bounds = BoundsReader(std::numeric_limits<int64_t>::max()).read(value);
  return bounds && isFinite(*bounds) ? bounds : std::nullopt;
}

std::optional<TensorBounds> integerBoundsOf(Value value) {
  constexpr int64_t mostElements = 256;
  std::optional<TensorBounds> bounds = BoundsReader(mostElements).read(value);
  return bounds && bounds->areIntegers ? bounds : std::nullopt;
}

} // namespace proa
