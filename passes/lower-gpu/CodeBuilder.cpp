#include "passes/lower-gpu/CodeBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

Value CodeBuilder::i32(int64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

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

} // namespace proa
