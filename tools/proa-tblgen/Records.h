/// What all generators ask of an op record.
#pragma once

#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace proa::tblgen {

/// Whether a record is in the main input file itself, not in one that it includes.
bool isInMainFile(const llvm::Record &record);

/// The op records of the pd dialect in the main input file.
std::vector<const llvm::Record *> opsOfMainFile(const llvm::RecordKeeper &records);

/// The op records of any dialect in the main input file that name a library kernel.
std::vector<const llvm::Record *> libraryOpsOfMainFile(const llvm::RecordKeeper &records);

/// Whether decompositions end in the op: it has none itself.
bool isPrimitive(const llvm::Record &record);

/// Constraints.cpp: "C<number>. <text>" for each constraint of the record and each type that its values must
/// have. True, after an error at the record, where they are not numbered so, or a primitive names none.
bool constraintsOf(const mlir::tblgen::Operator &op, const llvm::Record &record,
                   std::vector<std::string> &out);

/// "::proa::pd::AddOp".
std::string qualifiedClass(const llvm::Record &record);

/// `text` as a C++ string literal.
std::string quoted(llvm::StringRef text);

/// The Arity (translator/import/LegacyTable.h) of an ODS operand or result: "Required", "Optional" or
/// "Variadic".
llvm::StringRef arityOf(const mlir::tblgen::NamedTypeConstraint &value);

/// The element types of an ODS operand or result, in words: "float", "bool or integer", "any".
std::string elementsOf(const mlir::tblgen::NamedTypeConstraint &value);

/// The AttributeKind (translator/import/LegacyTable.h) of an ODS attribute.
std::string attributeKind(const llvm::Record &record, const mlir::tblgen::Attribute &attribute);

/// Derivative.cpp: the method vjp(), from the fields `derivatives` or `vjp`; nothing where the record has
/// neither.
void emitVjp(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os);

/// Opens the dialect's namespaces on construction and closes them at the end.
class NamespaceScope {
public:
  explicit NamespaceScope(llvm::raw_ostream &os) : os(os) { os << "namespace proa::pd {\n\n"; }
  ~NamespaceScope() { os << "} // namespace proa::pd\n"; }

private:
  llvm::raw_ostream &os;
};

} // namespace proa::tblgen
