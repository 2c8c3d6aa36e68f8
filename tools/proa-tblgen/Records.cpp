#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"

namespace proa::tblgen {

bool isInMainFile(const llvm::Record &record) {
  return llvm::SrcMgr.FindBufferContainingLoc(record.getLoc().front()) == llvm::SrcMgr.getMainFileID();
}

std::vector<const llvm::Record *> ofMainFile(const llvm::RecordKeeper &records, llvm::StringRef className) {
  std::vector<const llvm::Record *> result;
  for (const llvm::Record *record : records.getAllDerivedDefinitionsIfDefined(className))
    if (isInMainFile(*record))
      result.push_back(record);
  return result;
}

std::vector<const llvm::Record *> libraryOpsOfMainFile(const llvm::RecordKeeper &records) {
  std::vector<const llvm::Record *> ops = ofMainFile(records, "Op");
  llvm::erase_if(ops, [](const llvm::Record *record) {
    return !record->getValue("library") || record->getValueAsString("library").empty();
  });
  return ops;
}

std::vector<const llvm::Record *> opsOfMainFile(const llvm::RecordKeeper &records) {
  return ofMainFile(records, "Pd_Op");
}

OpKind kindOf(const llvm::Record &record) {
  if (record.getValueAsBit("decomposesInCode") || !record.getValueAsString("decomposition").empty())
    return OpKind::Composite;
  bool isPrimitive = !record.getValueAsString("scalar").empty() ||
                     !record.getValueAsString("reduction").empty() || record.getValueAsBit("evaluates") ||
                     record.getValueAsBit("indexingMap");
  return isPrimitive ? OpKind::Primitive : OpKind::Library;
}

std::string qualifiedClass(const llvm::Record &record) {
  return "::proa::pd::" + mlir::tblgen::Operator(record).getCppClassName().str();
}

llvm::StringRef arityOf(const mlir::tblgen::NamedTypeConstraint &value) {
  return value.isOptional() ? "Optional" : value.isVariadic() ? "Variadic" : "Required";
}

llvm::StringRef typeSummary(const mlir::tblgen::NamedTypeConstraint &value) {
  llvm::StringRef summary = value.constraint.getSummary();
  for (llvm::StringRef prefix : {"variadic of ", "optional ", "ranked "})
    summary.consume_front(prefix);
  return summary;
}

std::string elementsOf(const mlir::tblgen::NamedTypeConstraint &value) {
  llvm::StringRef summary = typeSummary(value).split(" of ").first;
  summary.consume_back("tensor");
  return summary.trim().empty() ? "any" : summary.trim().str();
}

const llvm::Record *enumOf(const mlir::tblgen::Attribute &attribute) {
  const llvm::Record &record = attribute.getBaseAttr().getDef();
  return record.isSubClassOf("Pd_EnumAttr") ? record.getValueAsDef("enum") : nullptr;
}

std::string keywordsOf(const llvm::Record &values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values.getValueAsListOfDefs("enumerants"), os, [&](const llvm::Record *value) {
    llvm::StringRef keyword = value->getValueAsString("str");
    os << (keyword.empty() ? "''" : keyword);
  });
  return text;
}

std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

} // namespace proa::tblgen
