//! Enum attributes: the table by which importers turn keywords into them (dialects/pd/ir/Enums.h).
#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"

using namespace proa::tblgen;

static bool emitEnums(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
      if (const llvm::Record *values = enumOf(attribute.attr))
        os << "{{" << quoted(op.getOperationName()) << ", " << quoted(attribute.name) << "}, {&fromKeyword<"
           << values->getValueAsString("className") << "Attr>, " << quoted(keywordsOf(*values)) << "}},\n";
  }
  return false;
}

static mlir::GenRegistration enumsGenerator("gen-enum-attributes", "The table of enum attributes", emitEnums);
