//! The field `newIr`: the table by which ops of Paddle's new IR are imported
//! (translator/import/newir/NewIrTable.h).
#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

#include <utility>

using namespace proa::tblgen;

namespace {

struct Spelling {
  llvm::StringRef name;
  std::vector<llvm::StringRef> operands, results, attributes, ignored, set;
};

/// The op's own spelling first, then those of other ops that become it.
std::vector<Spelling> spellingsOf(const llvm::Record &record, const mlir::tblgen::Operator &op) {
  llvm::StringRef mnemonic = record.getValueAsString("opName");
  std::vector<Spelling> out(1, Spelling{mnemonic, {}, {}, {}, {}, {}});
  for (const auto &operand : op.getOperands())
    out[0].operands.push_back(operand.name);
  bool hasOwn = false;
  for (const llvm::Record *given : record.getValueAsListOfDefs("newIr")) {
    llvm::StringRef name = given->getValueAsString("name");
    if (name.empty() && std::exchange(hasOwn, true))
      llvm::PrintFatalError(record.getLoc(), "newIr: an op has one spelling of its own name there");
    Spelling spelling{name.empty() ? mnemonic : name,
                      given->getValueAsListOfStrings("operands"),
                      given->getValueAsListOfStrings("results"),
                      given->getValueAsListOfStrings("attributes"),
                      given->getValueAsListOfStrings("ignored"),
                      given->getValueAsListOfStrings("set")};
    name.empty() ? void(out[0] = std::move(spelling)) : out.push_back(std::move(spelling));
  }
  for (Spelling &spelling : out)
    if (spelling.results.empty())
      for (const auto &result : op.getResults())
        spelling.results.push_back(result.name);
  return out;
}

void emitNames(const std::vector<llvm::StringRef> &names, llvm::raw_ostream &os) {
  os << "{";
  llvm::interleaveComma(names, os, [&](llvm::StringRef name) { os << quoted(name); });
  os << "}, ";
}

/// The name of an attribute in the file.
llvm::StringRef newName(const Spelling &spelling, llvm::StringRef name) {
  for (llvm::StringRef entry : spelling.attributes)
    if (auto [own, renamed] = entry.split('='); own == name)
      return renamed;
  return name;
}

void checkNames(const llvm::Record &record, const mlir::tblgen::Operator &op, const Spelling &spelling) {
  auto isOperand = [&](llvm::StringRef name) {
    return llvm::any_of(op.getOperands(), [&](const auto &operand) { return operand.name == name; });
  };
  auto isAttribute = [&](llvm::StringRef name) {
    return llvm::any_of(op.getAttributes(), [&](const auto &attribute) { return attribute.name == name; });
  };
  for (llvm::StringRef name : spelling.operands)
    if (!name.empty() && !(name.consume_front("#") ? isAttribute(name) : isOperand(name)))
      llvm::PrintFatalError(record.getLoc(),
                            "newIr: '" + name + "' is neither operand nor attribute of this op");
  for (llvm::StringRef name : spelling.set)
    if (!isAttribute(name))
      llvm::PrintFatalError(record.getLoc(), "newIr: '" + name + "' is no attribute of this op");
}

void emitEntry(const llvm::Record &record, const mlir::tblgen::Operator &op, const Spelling &spelling,
               llvm::raw_ostream &os) {
  os << "{" << quoted(spelling.name) << ", " << quoted(op.getOperationName()) << ", ";
  emitNames(spelling.operands, os);
  os << "{";
  for (const auto &operand : op.getOperands())
    os << "{" << quoted(operand.name) << ", Arity::" << arityOf(operand) << "}, ";
  os << "}, ";
  emitNames(spelling.results, os);
  os << "{";
  for (const auto &result : op.getResults())
    os << "{" << quoted(result.name) << ", Arity::" << arityOf(result) << "}, ";
  os << "},\n {";
  for (const auto &attribute : op.getAttributes()) {
    // Values of constants are no literals of the file.
    if (attribute.attr.getBaseAttr().getAttrDefName() == "ElementsAttr")
      continue;
    os << "{" << quoted(attribute.name) << ", " << quoted(newName(spelling, attribute.name))
       << ", AttributeKind::" << attributeKind(record, attribute.attr) << ", false}, ";
  }
  os << "}, ";
  emitNames(spelling.ignored, os);
  emitNames(spelling.set, os);
  os << "},\n";
}

bool emitMap(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    if (op.getNumRegions() > 0 || !record->isSubClassOf("Pd_Op"))
      continue;
    for (const Spelling &spelling : spellingsOf(*record, op)) {
      checkNames(*record, op, spelling);
      emitEntry(*record, op, spelling, os);
    }
  }
  return false;
}

mlir::GenRegistration generator("gen-newir-map", "The table of spellings in Paddle's new IR", emitMap);

} // namespace
