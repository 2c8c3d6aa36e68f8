#include "passes/lower-gpu/CodeBuilder.h"

#include "passes/lower-gpu/LaunchForm.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

Value CodeBuilder::i32(int64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value CodeBuilder::toValue(OpFoldResult size) const { return getValueOrCreateConstantIndexOp(b, loc, size); }

void CodeBuilder::where(Value condition, function_ref<void()> body) const {
  OpBuilder::InsertionGuard guard(b);
  if (condition)
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, condition).thenBlock());
  body();
}

CodeBuilder::Values CodeBuilder::where(Value condition, TypeRange types, function_ref<Values()> then,
                                       function_ref<Values()> otherwise) const {
  auto branches = scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [block, values] :
       {std::pair(branches.thenBlock(), then), std::pair(branches.elseBlock(), otherwise)}) {
    b.setInsertionPointToStart(block);
    Values own = values();
    if (!types.empty()) // otherwise the block has its terminator
      scf::YieldOp::create(b, loc, own);
  }
  return Values(branches.getResults());
}

void CodeBuilder::loop(Value begin, Value end, Value step, function_ref<void(Value)> body) const {
  loop(begin, end, step, {}, [&](Value index, ValueRange) {
    body(index);
    return Values();
  });
}

CodeBuilder::Values CodeBuilder::loop(Value begin, Value end, Value step, ValueRange state,
                                      function_ref<Values(Value, ValueRange)> body) const {
  auto created = scf::ForOp::create(b, loc, begin, end, step, state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(created.getBody());
  Values next = body(created.getInductionVar(), created.getRegionIterArgs());
  if (!next.empty()) // otherwise the loop has its terminator
    scf::YieldOp::create(b, loc, next);
  return Values(created.getResults());
}

/// `value` of the lane whose number differs in the bits of `offset`.
Value CodeBuilder::shuffle(Value value, int64_t offset) const {
  Type type = value.getType();
  bool isSmall = type.getIntOrFloatBitWidth() < 32;
  if (isSmall)
    value = arith::ExtUIOp::create(b, loc, b.getI32Type(), value);
  Value other = gpu::ShuffleOp::create(b, loc, value, i32(offset), i32(warpSize), gpu::ShuffleMode::XOR)
                    .getShuffleResult();
  return isSmall ? Value(arith::TruncIOp::create(b, loc, type, other)) : other;
}

CodeBuilder::Values CodeBuilder::combineLanes(ValueRange values, int64_t lanes,
                                              function_ref<Values(ValueRange, ValueRange)> combine) const {
  Values combined(values);
  for (int64_t offset = lanes / 2; offset > 0; offset /= 2) {
    Values others = llvm::map_to_vector(combined, [&](Value value) { return shuffle(value, offset); });
    combined = combine(combined, others);
  }
  return combined;
}

} // namespace proa
