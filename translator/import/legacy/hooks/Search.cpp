//! Hooks of ops that order, find and count elements, and of reductions with axes of their own.
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/search/CountOps.h"

using namespace mlir;

namespace proa::import::hooks {

void importArg(OpImporter &importer) {
  // -1 means the default, int64.
  if (importer.intAttribute("dtype", -1) < 0)
    importer.overrideAttribute("dtype", TypeAttr::get(importer.getBuilder().getI64Type()));
  importer.importByTable();
}

void importReduceByAxis(OpImporter &importer) {
  if (importer.boolAttribute("reduce_all", false))
    importer.overrideAttribute("axis", importer.getBuilder().getDenseI64ArrayAttr({}));
  importer.importByTable();
}

void importNanmedian(OpImporter &importer) {
  if (!importer.hasAttribute("keepdim")) // Paddle's default
    importer.overrideAttribute("keepdim", importer.getBuilder().getBoolAttr(true));
  importer.importByTable();
}

/// The op of 1.x, without is_sorted: elements in the order of their first appearance.
void importUnique(OpImporter &importer) {
  if (importer.boolAttribute("is_sorted", false))
    return importer.importByTable();
  Value x = importer.requiredInput("X");
  Type dtype = importer.typeAttribute("dtype", 3);
  if (!x || !dtype)
    return;
  auto unique =
      pd::UniqueWithCountsOp::create(importer.getBuilder(), importer.getLocation(), x, TypeAttr::get(dtype));
  importer.setOutput("Out", unique.getOut());
  importer.setOutput("Index", unique.getInverse());
}

} // namespace proa::import::hooks
