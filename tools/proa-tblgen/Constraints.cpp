//! The numbered constraints of an op: the constraints of its record, then of its operand and result types.
#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

namespace proa::tblgen {
namespace {

/// MLIR's text of an element type: the name of its record, in lower case up to the first digit.
std::string spelling(const llvm::Record &type) {
  if (type.isSubClassOf("ConfinedType") && type.getValue("elementType"))
    return "complex<" + spelling(*type.getValueAsDef("elementType")) + ">";
  std::string out = type.getName().str();
  for (char &c : out) {
    if (llvm::isDigit(c))
      break;
    c = llvm::toLower(c);
  }
  return out;
}

void appendElementTypes(const llvm::Record &type, llvm::SmallVectorImpl<std::string> &out) {
  if (!type.isSubClassOf("AnyTypeOf"))
    return out.push_back(spelling(type));
  for (const llvm::Record *allowed : type.getValueAsListOfDefs("allowedTypes"))
    appendElementTypes(*allowed, out);
}

/// The element types of "a or b", each a record's summary; none if one is unknown.
llvm::SmallVector<std::string> elementTypes(const llvm::RecordKeeper &records, llvm::StringRef summary) {
  llvm::SmallVector<llvm::StringRef> names;
  summary.split(names, " or ");
  llvm::SmallVector<std::string> out;
  for (llvm::StringRef name : names) {
    // MLIR's "integer" is any integer: unions are proa's own.
    const llvm::Record *found = nullptr;
    for (const llvm::Record *type : records.getAllDerivedDefinitions("Type"))
      if (type->getValueAsString("summary") == name && !type->isSubClassOf("ShapedContainerType") &&
          (!found || type->isSubClassOf("AnyTypeOf")))
        found = type;
    if (!found)
      return {};
    appendElementTypes(*found, out);
  }
  return out;
}

/// "x has elements of type ..." for a tensor whose summary is "<what it is> of <element types> values".
std::string typeConstraint(const llvm::RecordKeeper &records, llvm::StringRef summary) {
  for (size_t at = 0; (at = summary.find(" of ", at)) != llvm::StringRef::npos; at += 4) {
    llvm::StringRef elements = summary.drop_front(at + 4);
    elements.consume_back(" values");
    if (auto types = elementTypes(records, elements); !types.empty())
      return "elements of type " + llvm::join(types, ", ");
  }
  return "type: " + summary.str();
}

/// The number of "C<number>. <text>"; none for other text.
std::optional<unsigned> numberOf(llvm::StringRef constraint) {
  unsigned index = 0;
  if (constraint.consume_front("C") && !constraint.consumeInteger(10, index) && constraint.starts_with(". "))
    return index;
  return std::nullopt;
}

} // namespace

bool constraintsOf(const mlir::tblgen::Operator &op, const llvm::Record &record,
                   std::vector<std::string> &out) {
  unsigned last = 0;
  for (llvm::StringRef constraint : record.getValueAsListOfStrings("constraints")) {
    auto index = numberOf(constraint);
    if (!index || *index <= last) {
      llvm::PrintError(record.getLoc(),
                       "expected constraints \"C<number>. <text>\" with rising numbers, found \"" +
                           constraint + "\"");
      return true;
    }
    last = *index;
    out.push_back(constraint.str());
  }
  if (out.empty() && kindOf(record) != OpKind::Composite && op.getNumArgs() > 0) {
    llvm::PrintError(record.getLoc(),
                     "expected constraints (the field `constraints`), because the op has no decomposition");
    return true;
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> namesByType;
  auto add = [&](const mlir::tblgen::NamedTypeConstraint &value) {
    std::string text = typeConstraint(record.getRecords(), typeSummary(value));
    auto found = llvm::find_if(namesByType, [&](auto &entry) { return entry.first == text; });
    if (found == namesByType.end())
      found = namesByType.insert(found, {text, {}});
    found->second.push_back(("`" + value.name + "`").str());
  };
  for (const mlir::tblgen::NamedTypeConstraint &operand : op.getOperands())
    add(operand);
  for (const mlir::tblgen::NamedTypeConstraint &result : op.getResults())
    add(result);
  for (auto &[text, names] : namesByType)
    out.push_back("C" + std::to_string(++last) + ". " + llvm::join(names, ", ") +
                  (names.size() > 1 ? " have " : " has ") + text);
  return false;
}

} // namespace proa::tblgen
