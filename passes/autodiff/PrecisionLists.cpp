#include "passes/autodiff/PrecisionLists.h"

using namespace mlir;

namespace proa::autodiff {

PrecisionLists::PrecisionLists(bool isO2) {
  static constexpr struct {
    const char *op;
    Precision onO1, onO2;
  } table[] = {
#include "dialects/pd/AllPrecision.inc"
  };
  for (const auto &entry : table)
    byName[entry.op] = isO2 ? entry.onO2 : entry.onO1;
}

LogicalResult PrecisionLists::set(MLIRContext *context, StringRef op, Precision precision) {
  std::string name = op.contains('.') ? op.str() : ("pd." + op).str();
  if (!RegisteredOperationName::lookup(name, context))
    return failure();
  byName[name] = precision;
  return success();
}

Precision PrecisionLists::of(Operation *op) const {
  auto found = byName.find(op->getName().getStringRef());
  return found == byName.end() ? Precision::Unknown : found->second;
}

} // namespace proa::autodiff
