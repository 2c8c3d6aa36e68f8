#include "passes/analysis/IndexChecks.h"

#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {

Value viewOfWords(OpBuilder &builder, Location loc, Value base, size_t count) {
  auto type = MemRefType::get({ShapedType::kDynamic}, builder.getI64Type());
  return memref::ReinterpretCastOp::create(
      builder, loc, type, base, OpFoldResult(builder.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{builder.getIndexAttr(static_cast<int64_t>(count))},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

void describeChecks(func::FuncOp kernel, const pd::KernelChecks &checks) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> list;
  for (const pd::KernelChecks::Check &check : checks.list)
    list.push_back(builder.getDenseI64ArrayAttr(
        {check.indices, check.bound, check.axis, check.size, static_cast<int64_t>(check.kind)}));
  kernel->setAttr(indexChecksAttribute, builder.getArrayAttr(list));
}

} // namespace proa
