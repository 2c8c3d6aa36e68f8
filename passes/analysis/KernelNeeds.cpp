#include "passes/analysis/KernelNeeds.h"

#include "passes/analysis/KernelAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"

using namespace mlir;

namespace proa {

/// The checks of an attribute; each has five numbers.
static std::vector<std::vector<int64_t>> checksOf(Operation *kernel, StringRef attribute) {
  std::vector<std::vector<int64_t>> result;
  auto checks = kernel->getAttrOfType<ArrayAttr>(attribute);
  for (Attribute check : checks ? checks.getValue() : ArrayRef<Attribute>())
    if (auto numbers = dyn_cast<DenseI64ArrayAttr>(check); numbers && numbers.size() == 5)
      result.emplace_back(numbers.asArrayRef().begin(), numbers.asArrayRef().end());
  return result;
}

KernelNeeds KernelNeeds::of(Operation *kernel) {
  KernelNeeds needs;
  needs.hasCounters = kernel->hasAttr(countersAttribute);
  auto scratch = kernel->getAttrOfType<ArrayAttr>(scratchAttribute);
  for (Attribute buffer : scratch ? scratch.getValue() : ArrayRef<Attribute>())
    if (auto dims = dyn_cast<DenseI64ArrayAttr>(buffer)) {
      std::vector<int64_t> &own = needs.scratch.emplace_back();
      for (int64_t dim : dims.asArrayRef())
        own.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    }
  needs.checks = checksOf(kernel, indexChecksAttribute);
  needs.dimChecks = checksOf(kernel, dimChecksAttribute);
  return needs;
}

} // namespace proa
