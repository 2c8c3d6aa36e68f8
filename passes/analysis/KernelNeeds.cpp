#include "passes/analysis/KernelNeeds.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

using namespace mlir;

namespace proa {

KernelNeeds KernelNeeds::of(Operation *kernel) {
  KernelNeeds needs;
  needs.hasCounters = ScratchAttr::hasCounters(kernel);
  for (DenseI64ArrayAttr dims : ScratchAttr::buffersOf(kernel)) {
    std::vector<int64_t> &own = needs.scratch.emplace_back();
    for (int64_t dim : dims.asArrayRef())
      own.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  }
  if (auto checks = kernel->getAttrOfType<ArrayAttr>(indexChecksAttribute))
    for (auto check : checks.getAsRange<IndexCheckAttr>())
      needs.checks.push_back({check.getIndices().value_or(-1), check.getBound().value_or(-1), check.getAxis(),
                              check.getSize().value_or(0), check.getKind()});
  if (auto checks = kernel->getAttrOfType<ArrayAttr>(dimChecksAttribute))
    for (auto check : checks.getAsRange<DimCheckAttr>())
      needs.dimChecks.push_back({check.getArgument(), check.getAxis(), check.getOther().value_or(-1),
                                 check.getOtherAxis().value_or(0), check.getSize().value_or(-1),
                                 check.getMayBeOne()});
  return needs;
}

} // namespace proa
