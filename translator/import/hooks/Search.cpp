//! Hooks of ops that order, find and count elements, and of reductions with axes of their own.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/Infer.h"

using namespace mlir;

namespace proa::import::hooks {

void importArg(OpImporter &importer) {
  // -1 stands for the default, int64.
  if (importer.intAttribute("dtype", -1) < 0)
    importer.overrideAttribute("dtype", TypeAttr::get(importer.getBuilder().getI64Type()));
  importer.importByTable();
}

void importReduceByAxis(OpImporter &importer) {
  if (importer.boolAttribute("reduce_all", false))
    importer.overrideAttribute("axis", importer.getBuilder().getDenseI64ArrayAttr({}));
  importer.importByTable();
}

} // namespace proa::import::hooks
