#include "passes/lower-gpu/LaneReduction.h"

#include "passes/lower-gpu/LaunchForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace proa {

/// `value` of the lane whose number differs in the bits of `offset`.
static Value shuffle(OpBuilder &b, Location loc, Value value, int64_t offset) {
  Type type = value.getType();
  bool isSmall = type.getIntOrFloatBitWidth() < 32;
  if (isSmall)
    value = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  auto constant = [&](int64_t scalar) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(scalar)));
  };
  Value other =
      gpu::ShuffleOp::create(b, loc, value, constant(offset), constant(warpSize), gpu::ShuffleMode::XOR)
          .getShuffleResult();
  return isSmall ? Value(arith::TruncIOp::create(b, loc, type, other)) : other;
}

SmallVector<Value> combineLanes(OpBuilder &b, Location loc, ValueRange values, int64_t lanes,
                                function_ref<SmallVector<Value>(ValueRange, ValueRange)> combine) {
  SmallVector<Value> combined(values);
  for (int64_t offset = lanes / 2; offset > 0; offset /= 2) {
    SmallVector<Value> others;
    for (Value value : combined)
      others.push_back(shuffle(b, loc, value, offset));
    combined = combine(combined, others);
  }
  return combined;
}

} // namespace proa
