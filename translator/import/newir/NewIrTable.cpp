#include "translator/import/newir/NewIrTable.h"

#include "llvm/ADT/StringMap.h"

namespace proa::import {

const NewIrOp *findNewIrOp(llvm::StringRef name) {
  static const NewIrOp table[] = {
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

} // namespace proa::import
