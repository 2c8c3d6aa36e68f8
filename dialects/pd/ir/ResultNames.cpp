#include "dialects/pd/ir/ResultNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace proa::pd {

/// The array of names of a location; null if it has none.
static ArrayAttr namesOf(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused ? dyn_cast_if_present<ArrayAttr>(fused.getMetadata()) : ArrayAttr();
}

llvm::StringRef resultName(Location location, size_t result) {
  if (ArrayAttr names = namesOf(location)) {
    auto name = result < names.size() ? dyn_cast<StringAttr>(names[result]) : StringAttr();
    return name ? name.getValue() : llvm::StringRef();
  }
  auto name = dyn_cast<NameLoc>(location);
  return name ? name.getName().getValue() : llvm::StringRef();
}

llvm::StringRef resultName(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return resultName(value.getLoc(), result ? result.getResultNumber() : 0);
}

void setResultName(OpResult result, llvm::StringRef name, Location created) {
  Operation *op = result.getOwner();
  if (op->getNumResults() < 2 || !isa<NameLoc>(created))
    return;
  Builder builder(op->getContext());
  SmallVector<Attribute> names(op->getNumResults(), builder.getStringAttr(""));
  if (op->getLoc() != created) {
    auto fused = dyn_cast<FusedLoc>(op->getLoc());
    ArrayAttr before = namesOf(op->getLoc());
    if (!before || before.size() != names.size() || fused.getLocations().front() != created)
      return;
    names.assign(before.begin(), before.end());
  }
  Attribute &own = names[result.getResultNumber()];
  if (!cast<StringAttr>(own).empty())
    return;
  own = builder.getStringAttr(name);
  op->setLoc(FusedLoc::get(op->getContext(), {created}, builder.getArrayAttr(names)));
}

} // namespace proa::pd
