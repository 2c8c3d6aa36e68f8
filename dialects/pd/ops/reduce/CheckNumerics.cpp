#include "dialects/pd/ops/reduce/CheckNumerics.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

/// Whether the predicate is true for any element of x: a bool vector of one element.
template <class Predicate> static SmallVector<Value> anyOf(Operation *op, OpBuilder &builder) {
  TensorBuilder e(builder, op);
  Expression holds = e.wrap(e.create<Predicate>(op->getOperand(0)));
  llvm::SmallVector<int64_t> axes = reducedAxes({}, holds.rank());
  return SmallVector<Value>{
      e.reshape(e.wrap(e.create<AnyOp>(holds, llvm::ArrayRef<int64_t>(axes), false)), {1})};
}

FailureOr<SmallVector<Value>> HasNanOp::decompose(OpBuilder &builder) {
  return anyOf<IsnanOp>(getOperation(), builder);
}
FailureOr<SmallVector<Value>> HasInfOp::decompose(OpBuilder &builder) {
  return anyOf<IsinfOp>(getOperation(), builder);
}

FailureOr<SmallVector<Value>> CheckNumericsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.cast(e.wrap(getTensor()), builder.getF32Type());
  llvm::SmallVector<int64_t> axes = reducedAxes({}, x.rank());
  Type i64 = builder.getI64Type();
  auto vectorOf = [&](Expression scalar) { return e.reshape(scalar, {1}); };
  auto count = [&](Value holds) { return vectorOf(e.sum(e.cast(e.wrap(holds), i64), axes, false)); };
  Expression counts =
      concat({count(e.create<IsnanOp>(x)), count(e.create<IsinfOp>(x)), count(e.equal(x, 0.0))}, 0);
  Expression values = concat(
      {vectorOf(e.max(x, axes, false)), vectorOf(-e.max(-x, axes, false)), vectorOf(e.mean(x, axes, false))},
      0);
  return SmallVector<Value>{counts, values};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/CheckNumerics.cpp.inc"
#include "dialects/pd/ops/reduce/CheckNumerics.methods.inc"
