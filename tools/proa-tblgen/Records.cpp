#include "Records.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"

namespace proa::tblgen {

bool isInMainFile(const llvm::Record &record) {
  return llvm::SrcMgr.FindBufferContainingLoc(record.getLoc().front()) == llvm::SrcMgr.getMainFileID();
}

std::vector<const llvm::Record *> opsOfMainFile(const llvm::RecordKeeper &records) {
  std::vector<const llvm::Record *> ops;
  for (const llvm::Record *record : records.getAllDerivedDefinitionsIfDefined("Pd_Op"))
    if (isInMainFile(*record))
      ops.push_back(record);
  return ops;
}

std::vector<const llvm::Record *> libraryOpsOfMainFile(const llvm::RecordKeeper &records) {
  std::vector<const llvm::Record *> ops;
  for (const llvm::Record *record : records.getAllDerivedDefinitions("Op"))
    if (isInMainFile(*record) && record->getValue("library") && !record->getValueAsString("library").empty())
      ops.push_back(record);
  return ops;
}

bool isPrimitive(const llvm::Record &record) {
  return !record.getValueAsBit("decomposesInCode") && record.getValueAsString("decomposition").empty();
}

std::string qualifiedClass(const llvm::Record &record) {
  return "::proa::pd::" + mlir::tblgen::Operator(record).getCppClassName().str();
}

llvm::StringRef arityOf(const mlir::tblgen::NamedTypeConstraint &value) {
  return value.isOptional() ? "Optional" : value.isVariadic() ? "Variadic" : "Required";
}

std::string elementsOf(const mlir::tblgen::NamedTypeConstraint &value) {
  llvm::StringRef summary = value.constraint.getSummary();
  for (llvm::StringRef prefix : {"variadic of ", "optional "})
    summary.consume_front(prefix);
  summary = summary.split(" of ").first;
  summary.consume_back("tensor");
  return summary.trim().empty() ? "any" : summary.trim().str();
}

std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

} // namespace proa::tblgen
