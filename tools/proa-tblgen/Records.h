/// Helpers for op records that all generators share.
#pragma once

#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tblgen {

/// Whether a record is in the main input file itself, not in one that it includes.
bool isInMainFile(const llvm::Record &record);
/// The records of a class in the main input file.
std::vector<const llvm::Record *> ofMainFile(const llvm::RecordKeeper &records, llvm::StringRef className);
/// The op records of the pd dialect in the main input file.
std::vector<const llvm::Record *> opsOfMainFile(const llvm::RecordKeeper &records);
/// The op records of any dialect in the main input file that name a library kernel.
std::vector<const llvm::Record *> libraryOpsOfMainFile(const llvm::RecordKeeper &records);

/// As proa::pd::OpKind (dialects/pd/ir/OpKind.h), by the fields of the record.
enum class OpKind { Primitive, Composite, Library };
OpKind kindOf(const llvm::Record &record);

/// Constraints.cpp: "C<number>. <text>" for each constraint of the record and each type constraint. Returns
/// true, after an error at the record, if the numbers are wrong or a primitive has none.
bool constraintsOf(const mlir::tblgen::Operator &op, const llvm::Record &record,
                   std::vector<std::string> &out);

/// The C++ class: "::proa::pd::AddOp".
std::string qualifiedClass(const llvm::Record &record);

/// `text` as a C++ string literal.
std::string quoted(llvm::StringRef text);

/// The Arity (translator/import/legacy/LegacyTable.h) of an ODS operand or result: "Required", "Optional" or
/// "Variadic".
llvm::StringRef arityOf(const mlir::tblgen::NamedTypeConstraint &value);

/// The summary of the type of an ODS operand or result, without its number and "ranked", which all tensors
/// are.
llvm::StringRef typeSummary(const mlir::tblgen::NamedTypeConstraint &value);

/// The element types of an ODS operand or result as text: "float", "bool or integer", "any".
std::string elementsOf(const mlir::tblgen::NamedTypeConstraint &value);

/// The AttributeKind (translator/import/legacy/LegacyTable.h) of an ODS attribute.
std::string attributeKind(const llvm::Record &record, const mlir::tblgen::Attribute &attribute);

/// The values of an enum attribute (dialects/pd/ir/Enums.td); null for other attributes.
const llvm::Record *enumOf(const mlir::tblgen::Attribute &attribute);

/// The keywords of the values of an enum: "NCHW, NHWC".
std::string keywordsOf(const llvm::Record &values);

/// Format.cpp: whether an assembly format would print operandSegmentSizes; reports it.
bool printsSegmentSizes(const mlir::tblgen::Operator &op, const llvm::Record &record);

/// Derivative.cpp: the method vjp() from the fields `derivatives` or `vjp`; "" without them.
void emitVjp(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os);

/// Linear.cpp: the method getLinearGroups(), from the field `linear`; nothing where the record has none.
void emitLinearGroups(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os);

/// Batching.cpp: the method batch(), from the field `batching`; nothing where the record has none.
void emitBatching(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os);

/// The statement of a library op for each transform, as the generated pages show it.
struct LibraryTransforms {
  std::string evaluation; ///< "reference kernel", "constant" or "none"
  std::string derivative; ///< "rule", "zero" or "none" (an error)
  std::string
      batching; ///< "rule", "unbatched" (one example at a time), "refused" (an error) or "no operands"
  std::string sharding; ///< "rule" or "replicated"
  std::string lowering; ///< "kernel `name`", "constant" or "none"
};

/// Transforms.cpp: the transforms of a library op. Returns true, after an error at the record, if it does not
/// state one.
bool transformsOf(const llvm::Record &record, LibraryTransforms &out);
/// Whether the field `batching` names a rule.
bool hasBatchingRule(const llvm::Record &record);
/// The reason in the field `sharding` of an op that cannot be split.
std::optional<llvm::StringRef> wholeReasonOf(const llvm::Record &record);

/// Opens the dialect's namespaces on construction and closes them at the end.
class NamespaceScope {
public:
  explicit NamespaceScope(llvm::raw_ostream &os) : os(os) { os << "namespace proa::pd {\n\n"; }
  ~NamespaceScope() { os << "} // namespace proa::pd\n"; }

private:
  llvm::raw_ostream &os;
};

} // namespace proa::tblgen
