#include "translator/import/newir/NewIrTable.h"

#include "llvm/ADT/StringMap.h"

namespace proa::import {

const NewIrOp *findNewIrOp(llvm::StringRef name) {
  static const NewIrOp table[] = {
#define GET_NEW_IR_OPS
#include "dialects/pd/AllNewIr.inc"
  };
  static const llvm::StringMap<const NewIrOp *> byName = [] {
    llvm::StringMap<const NewIrOp *> map;
    for (const NewIrOp &entry : table)
      map[entry.name] = &entry;
    return map;
  }();
  return byName.lookup(name.rtrim('_'));
}

InPlacePairs inPlacePairs(llvm::StringRef name) {
  const NewIrOp *entry = name.ends_with("_") ? findNewIrOp(name) : nullptr;
  return entry ? entry->inPlace : InPlacePairs();
}

} // namespace proa::import
