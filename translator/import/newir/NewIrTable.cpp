#include "translator/import/newir/NewIrTable.h"

#include "lib/support/TableByName.h"

namespace proa::import {

const NewIrOp *findNewIrOp(llvm::StringRef name) {
  static const NewIrOp table[] = {
#define GET_NEW_IR_OPS
#include "dialects/pd/AllNewIr.inc"
  };
  static const auto byName = tableByName(table, &NewIrOp::name);
  return byName.lookup(name.rtrim('_'));
}

InPlacePairs inPlacePairs(llvm::StringRef name) {
  const NewIrOp *entry = name.ends_with("_") ? findNewIrOp(name) : nullptr;
  return entry ? entry->inPlace : InPlacePairs();
}

} // namespace proa::import
