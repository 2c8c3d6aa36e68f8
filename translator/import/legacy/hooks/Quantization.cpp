//! Hooks of ops that quantize by what they have seen.
#include "translator/import/legacy/LegacyTable.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace proa::import::hooks {

/// In a test their kernels write the quantized tensor alone: their statistics do not change. A
/// variable that held nothing is then fetched as Paddle's tensor without memory, which is empty and of
/// float64.
void importObservingQuantizer(OpImporter &importer) {
  if (!importer.boolAttribute("is_test", false))
    return importer.importByTable();
  constexpr llvm::StringRef slots[] = {"OutScale", "OutScales", "OutState", "OutAccum"};
  llvm::SmallVector<Value> before;
  for (llvm::StringRef slot : slots)
    before.push_back(importer.valueBefore(slot));
  importer.importByTable();
  auto none = RankedTensorType::get({0}, importer.getBuilder().getF64Type());
  for (auto [slot, value] : llvm::zip(slots, before))
    if (importer.output(slot))
      importer.setOutput(
          slot, value ? value : importer.constant(DenseElementsAttr::get(none, llvm::ArrayRef<double>())));
}

} // namespace proa::import::hooks
