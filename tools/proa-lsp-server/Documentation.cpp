#include "tools/proa-lsp-server/Documentation.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace proa::lsp {
namespace {

const std::vector<OpDocumentation> &table() {
  static const std::vector<OpDocumentation> rows = {
#include "tools/proa-lsp-server/AllDocumentation.inc"
  };
  return rows;
}

} // namespace

std::vector<llvm::StringRef> AttributeDocumentation::keywordList() const {
  llvm::SmallVector<llvm::StringRef> list;
  keywords.split(list, ", ", -1, /*KeepEmpty=*/false);
  return {list.begin(), list.end()};
}

std::string AttributeDocumentation::detail() const {
  std::string text = type.str();
  if (!keywords.empty())
    text += ": " + keywords.str();
  if (!defaultValue.empty())
    text += ", default " + defaultValue.str();
  else if (isOptional)
    text += ", optional";
  return text;
}

const OpDocumentation *documentationOf(llvm::StringRef op) {
  static const llvm::StringMap<const OpDocumentation *> byName = [] {
    llvm::StringMap<const OpDocumentation *> map;
    for (const OpDocumentation &row : table())
      map[row.name] = &row;
    return map;
  }();
  return byName.lookup(op);
}

} // namespace proa::lsp
