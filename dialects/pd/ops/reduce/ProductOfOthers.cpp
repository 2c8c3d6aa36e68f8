#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// For each element of a line the product of those before it, or after it.
Expression productOf(Expression lines, bool behind) {
  TensorBuilder &e = lines.owner();
  return e.wrap(e.create<CumprodOp>(lines, lines.rank() - 1, false, true, behind));
}

/// The products, computed by multiplications only.
Expression multiplied(Expression x, ArrayRef<int64_t> axes) {
  TensorBuilder &e = x.owner();
  SmallVector<int64_t> order, back(x.rank());
  SmallVector<DimSize> kept, shape;
  DimSize count = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (!llvm::is_contained(axes, d)) {
      order.push_back(d);
      kept.push_back(DimSize(x, d));
    }
  for (int64_t axis : axes) {
    order.push_back(axis);
    count = multiply(e, count, DimSize(x, axis));
  }
  for (auto [position, d] : llvm::enumerate(order)) {
    back[d] = static_cast<int64_t>(position);
    shape.push_back(DimSize(x, d));
  }
  kept.push_back(count);
  Expression lines = reshapeTo(e.transpose(x, order), kept);
  Expression others = productOf(lines, false) * productOf(lines, true);
  return e.transpose(reshapeTo(others, shape), back);
}

} // namespace

/// Zero if there is a zero among the others, else a quotient.
FailureOr<SmallVector<Value>> ProductOfOthersOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0), isZero = e.equal(x, 0.0), factor = e.select(isZero, 1.0, x);
  Expression product = e.wrap(e.create<ProdOp>(factor, getAxisAttr(), builder.getBoolAttr(true)));
  Expression ones = e.cast(isZero, builder.getI64Type());
  Expression zerosElsewhere = e.sum(ones, reducedAxes(getAxis(), x.rank())) - ones;
  return e.results({e.select(e.equal(zerosElsewhere, 0.0), product / factor, 0.0)});
}

FailureOr<SmallVector<Value>> ProductOfOthersOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  SmallVector<int64_t> axes = reducedAxes(getAxis(), tensorType(getX()).getRank());
  TensorBuilder e(builder, getOperation());
  auto formula = [&](Value x) { return e.results({multiplied(e.computed(x), axes)})[0]; };
  return SmallVector<Value>{vjpOfFormula(builder, getX(), cotangents[0], formula)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/ProductOfOthers.cpp.inc"
#include "dialects/pd/ops/reduce/ProductOfOthers.methods.inc"
