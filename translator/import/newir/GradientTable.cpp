#include "translator/import/newir/GradientTable.h"

#include "lib/base/support/TableByName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

namespace proa::import {

std::optional<size_t> NewIrGradient::positionOf(Given value) const {
  const auto *found = llvm::find(operands, value);
  return found == operands.end() ? std::nullopt : std::optional<size_t>(found - operands.begin());
}

const NewIrGradient *findNewIrGradient(llvm::StringRef name) {
  static const NewIrGradient table[] = {
#define GET_NEW_IR_GRADIENTS
#include "dialects/pd/AllNewIr.inc"
  };
  static const auto byName = tableByName(table, &NewIrGradient::name);
  // Of an op that has no form but that in place, "assign_out_", the gradient is "assign_out__grad".
  size_t doubled = name.find("__");
  return doubled == llvm::StringRef::npos
             ? byName.lookup(name.rtrim('_'))
             : byName.lookup((name.take_front(doubled) + name.drop_front(doubled + 1).rtrim('_')).str());
}

} // namespace proa::import
