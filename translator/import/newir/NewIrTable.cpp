#include "translator/import/newir/NewIrTable.h"

#include "llvm/ADT/StringMap.h"

namespace proa::import {

// One function makes the whole table: too large to be optimized in reasonable time.
#ifdef __clang__
#pragma clang optimize off
#else
#pragma GCC optimize("O0")
#endif

const NewIrOp *findNewIrOp(llvm::StringRef name) {
  static const std::vector<NewIrOp> table = {
#include "dialects/pd/AllNewIr.inc"
  };
  static const llvm::StringMap<const NewIrOp *> byName = [] {
    llvm::StringMap<const NewIrOp *> map;
    for (const NewIrOp &entry : table)
      map[llvm::StringRef(entry.target).split('.').second] = &entry;
    return map;
  }();
  return byName.lookup(name.rtrim('_'));
}

} // namespace proa::import
