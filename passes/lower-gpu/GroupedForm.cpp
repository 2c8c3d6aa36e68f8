#include "passes/lower-gpu/GroupedForm.h"

#include "dialects/pd/ops/linalg/Grouped.h"
#include "passes/kernels/NarrowFloats.h"
#include "passes/lower-gpu/SingleOpKernel.h"

using namespace mlir;

namespace proa {

GroupedForm GroupedForm::of(Operation *op) {
  GroupedForm form;
  form.x = op->getOperand(0);
  form.y = op->getOperand(1);
  form.sizes = op->getOperand(2);
  auto x = cast<ShapedType>(form.x.getType()), y = cast<ShapedType>(form.y.getType());
  form.element = x.getElementType();
  form.rows = x.getDimSize(0);
  form.groups = cast<ShapedType>(form.sizes.getType()).getDimSize(0);
  if (auto matmul = dyn_cast<pd::GroupedMatmulOp>(op)) {
    form.transposesY = matmul.getTransposeY();
    form.m = form.rows;
    form.n = y.getDimSize(form.transposesY ? 1 : 2);
    form.k = x.getDimSize(1);
    return form;
  }
  form.dividesK = true;
  form.m = x.getDimSize(1);
  form.n = y.getDimSize(1);
  form.k = form.rows;
  return form;
}

Type GroupedForm::sum() const { return isHalf(element) ? Float32Type::get(element.getContext()) : element; }

ContractionSizes GroupedForm::averageSizes() const {
  ContractionSizes average{m, n, k, groups};
  int64_t &divided = dividesK ? average.k : average.m;
  divided = static_cast<int64_t>(llvm::divideCeil(rows, groups));
  average.operandBits = element.getIntOrFloatBitWidth();
  average.sumBits = sum().getIntOrFloatBitWidth();
  average.findsRows = true;
  return average;
}

static AffineMap loopsMap(Type element, ArrayRef<unsigned> order) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : order)
    results.push_back(getAffineDimExpr(loop, element.getContext()));
  return AffineMap::get(GroupedForm::loops, 0, results, element.getContext());
}

AffineMap GroupedForm::mapOfX() const {
  return dividesK ? loopsMap(element, {2, 0}) : loopsMap(element, {0, 2});
}
AffineMap GroupedForm::mapOfY() const {
  return transposesY ? loopsMap(element, {1, 2}) : loopsMap(element, {2, 1});
}
AffineMap GroupedForm::mapOfResult() const { return loopsMap(element, {0, 1}); }

Operation *groupedProductOf(func::FuncOp kernel) {
  Operation *op = singleOpOf(kernel);
  return isa_and_present<pd::GroupedMatmulOp, pd::GroupedMatmulYGradOp>(op) ? op : nullptr;
}

} // namespace proa
