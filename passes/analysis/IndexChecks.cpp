#include "passes/analysis/IndexChecks.h"

#include "dialects/proa/Proa.h"

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
  auto argument = [](int64_t index) { return index < 0 ? std::nullopt : std::optional(index); };
  SmallVector<Attribute> list;
  for (const pd::KernelChecks::Check &check : checks.list) {
    bool isSized = check.bound < 0 || check.size > 0; // a dynamic dim has size 0
    std::optional<int64_t> size = isSized ? std::optional(check.size) : std::nullopt;
    list.push_back(IndexCheckAttr::get(kernel.getContext(), argument(check.indices), argument(check.bound),
                                       check.axis, size, check.kind));
  }
  kernel->setAttr(indexChecksAttribute, builder.getArrayAttr(list));
}

} // namespace proa
