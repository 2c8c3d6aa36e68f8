#include "dialects/pd/autodiff/CountedLoop.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {

Value oneInt(OpBuilder &builder, Location location, int64_t value) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, value));
}

Value asCondition(OpBuilder &builder, Location location, Value tensor) {
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  if (tensor.getType() != scalar)
    tensor = ReshapeOp::create(builder, location, scalar, tensor, Value(), builder.getDenseI64ArrayAttr({}));
  return tensor::ExtractOp::create(builder, location, tensor);
}

SmallVector<Value> countedLoop(OpBuilder &builder, Location location, Value count, ValueRange inits,
                               llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)> body) {
  SmallVector<Value> all{oneInt(builder, location, 0)};
  llvm::append_range(all, inits);
  SmallVector<Type> types(ValueRange(all).getTypes());
  SmallVector<Location> locations(types.size(), location);
  auto loop = scf::WhileOp::create(builder, location, types, all);
  OpBuilder::InsertionGuard guard(builder);
  Block *test = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Value isRunning = LessThanOp::create(builder, location, test->getArgument(0), count);
  scf::ConditionOp::create(builder, location, asCondition(builder, location, isRunning),
                           test->getArguments());
  Block *inside = builder.createBlock(&loop.getAfter(), {}, types, locations);
  Value index = inside->getArgument(0);
  SmallVector<Value> next = body(builder, index, inside->getArguments().drop_front());
  next.insert(next.begin(), AddOp::create(builder, location, index, oneInt(builder, location, 1)));
  scf::YieldOp::create(builder, location, next);
  return SmallVector<Value>(loop.getResults().drop_front());
}

} // namespace proa::pd
