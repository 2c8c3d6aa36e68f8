#include "translator/import/newir/NewIrTable.h"

#include "lib/base/support/TableByName.h"

#include "llvm/ADT/STLExtras.h"

namespace proa::import {

bool isStructuralAttribute(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "struct_name",   "place",       "stop_gradient",    "infer_flags",
      "decrease_axis", "op_role",     "op_callstack",     "op_namescope",
      "op_device",     "persistable", "execution_stream", "force_fp32_output"};
  return llvm::is_contained(names, name) || name.starts_with("__");
}

bool NewIrIgnored::isNeutral(const newir::Literal &value) const {
  if (neutral == anyValue)
    return true;
  if (const auto *text = std::get_if<std::string>(&value.value))
    return neutral == *text;
  if (const auto *list = std::get_if<std::vector<newir::Literal>>(&value.value))
    if (list->empty())
      return neutral == "[]";
  std::optional<double> scalar = newir::numberOf(value);
  double expected = neutral == "true";
  return scalar && (neutral == "true" || neutral == "false" || !neutral.getAsDouble(expected)) &&
         *scalar == expected;
}

bool NewIrOp::knows(llvm::StringRef attribute) const {
  auto isNamed = [&](const NewIrIgnored &entry) { return entry.name == attribute; };
  return llvm::any_of(ignored, isNamed) ||
         llvm::any_of(attributes, [&](const MappedAttribute &own) { return own.sourceName == attribute; });
}

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
