#include "translator/export/ShiftFormula.h"

#include "dialects/pd/ops/math/BinaryOps.h"

#include <cmath>

using namespace mlir;

namespace proa::exporter {

using pd::Expression;
using pd::TensorBuilder;

/// 2 to the power of the integers y from 0 to 62.
static Expression powerOfTwo(Expression y) {
  TensorBuilder &e = y.owner();
  Type exact = e.getBuilder().getF64Type();
  return e.cast(e.pow(e.constant(2, exact), e.cast(y, exact)), e.getBuilder().getI64Type());
}

/// Products and quotients by powers of 2 in 64 bits, which wrap; by 2^32 and what is left, which both fit.
template <class Shift> static Value shiftFormula(Shift op, TensorBuilder &e) {
  auto type = cast<IntegerType>(pd::tensorType(op.getX()).getElementType());
  bool isLeft = std::is_same_v<Shift, pd::BitwiseLeftShiftOp>;
  auto bits = static_cast<double>(type.getWidth());
  Type wide = e.getBuilder().getI64Type();
  Expression x = e.cast(e.operand(0), wide), y = e.cast(e.operand(1), wide), none = x * 0.0;
  bool drawsInSign = op.getIsArithmetic() && !type.isUnsigned();
  if (!isLeft && !drawsInSign && bits < 64) // as an unsigned value
    x = e.select(x < 0.0, x + std::exp2(bits), x);
  Expression positions = e.minimum(e.maximum(y, 0.0), bits - 1);
  Expression many = e.minimum(positions, 32.0), rest = positions - many;
  auto moved = [&](Expression value, Expression by) {
    Expression factor = powerOfTwo(by);
    return isLeft ? value * factor : e.wrap(e.create<pd::FloorDivideOp>(value, factor));
  };
  Expression out = moved(moved(x, many), rest);
  if (!isLeft && !drawsInSign &&
      bits == 64) { // the sign is a bit like the others: 2^(64 - places) is missing
    Expression half = 63.0 - positions, low = e.minimum(half, 32.0);
    Expression missing = powerOfTwo(low) * powerOfTwo(e.maximum(half - low, 0.0)) * 2.0;
    out = e.select(e.wrap(e.create<pd::LogicalAndOp>(x < 0.0, positions > 0.0)), out + missing, out);
  }
  Expression isOutside = e.wrap(e.create<pd::LogicalOrOp>(y < 0.0, y >= bits));
  Expression left = !isLeft && drawsInSign ? e.select(x < 0.0, none - 1.0, none) : none;
  return e.cast(e.select(isOutside, left, out), type);
}

Value formulaOf(pd::BitwiseLeftShiftOp op, TensorBuilder &e) { return shiftFormula(op, e); }
Value formulaOf(pd::BitwiseRightShiftOp op, TensorBuilder &e) { return shiftFormula(op, e); }

} // namespace proa::exporter
