//! The field `legacy`: the mapping table of legacy ops (translator/import/LegacyTable.h).
#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;

std::string proa::tblgen::attributeKind(const llvm::Record &record,
                                        const mlir::tblgen::Attribute &attribute) {
  if (enumOf(attribute)) // programs hold its keyword
    return "String";
  llvm::StringRef base = attribute.getBaseAttr().getAttrDefName();
  static const std::pair<llvm::StringRef, const char *> kinds[] = {{"BoolAttr", "Bool"},
                                                                   {"I64Attr", "Int"},
                                                                   {"F64Attr", "Float"},
                                                                   {"StrAttr", "String"},
                                                                   {"TypeAttr", "Type"},
                                                                   {"DenseI64ArrayAttr", "Ints"},
                                                                   {"DenseF64ArrayAttr", "Floats"},
                                                                   {"StrArrayAttr", "Strings"}};
  for (auto &[def, kind] : kinds)
    if (base == def)
      return kind;
  llvm::PrintFatalError(record.getLoc(),
                        "attribute of kind '" + base +
                            "' cannot be imported: use BoolAttr, I64Attr, F64Attr, StrAttr, TypeAttr, "
                            "DenseI64ArrayAttr, DenseF64ArrayAttr, StrArrayAttr or a Pd_EnumAttr");
}

static const mlir::tblgen::NamedAttribute &
findAttribute(const llvm::Record &record, const mlir::tblgen::Operator &op, llvm::StringRef name) {
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
    if (attribute.name == name)
      return attribute;
  llvm::PrintFatalError(record.getLoc(), "legacy: no attribute '" + name + "' on this op");
}

static const char *lodRuleOf(const llvm::Record &record) {
  static const std::pair<llvm::StringRef, const char *> rules[] = {
      {"first", "First"}, {"all", "All"}, {"rows", "Rows"}, {"outer", "Outer"}, {"none", "None"}};
  for (auto &[name, rule] : rules)
    if (record.getValueAsString("lod") == name)
      return rule;
  llvm::PrintFatalError(record.getLoc(), "lod: expected first, all, rows, outer or none");
}

static void emitList(llvm::raw_ostream &os, const std::vector<llvm::StringRef> &list) {
  os << "{";
  llvm::interleaveComma(list, os, [&](llvm::StringRef s) { os << quoted(s); });
  os << "}";
}

/// The element types of the op: those of its first operand, or of its result.
static std::string elementsOf(const mlir::tblgen::Operator &op) {
  if (op.getNumOperands() == 0 && op.getNumResults() == 0)
    return "";
  return elementsOf(op.getNumOperands() > 0 ? op.getOperand(0) : op.getResult(0));
}

static void emitOne(const llvm::Record &record, const llvm::Record &legacy, size_t rank,
                    llvm::raw_ostream &os) {
  mlir::tblgen::Operator op(record);
  auto inputs = legacy.getValueAsListOfStrings("inputs");
  auto outputs = legacy.getValueAsListOfStrings("outputs");
  llvm::StringRef hook = legacy.getValueAsString("hook");
  if (hook.empty() && inputs.size() != static_cast<size_t>(op.getNumOperands()))
    llvm::PrintFatalError(record.getLoc(), "legacy: one input entry for each operand is needed");
  if (hook.empty() && outputs.size() != static_cast<size_t>(op.getNumResults()))
    llvm::PrintFatalError(record.getLoc(), "legacy: one output entry for each result is needed");
  os << "{" << quoted(legacy.getValueAsString("legacyType")) << ", " << quoted(op.getOperationName())
     << ",\n {";
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool known = i < static_cast<size_t>(op.getNumOperands());
    llvm::StringRef arity = known ? arityOf(op.getOperand(i)) : "Optional";
    os << "{" << quoted(inputs[i]) << ", Arity::" << arity << "}, ";
  }
  os << "},\n {";
  for (size_t i = 0; i < outputs.size(); ++i) {
    bool variadic = i < static_cast<size_t>(op.getNumResults()) && op.getResult(i).isVariableLength();
    os << "{" << quoted(outputs[i]) << ", Arity::" << (variadic ? "Variadic" : "Required") << "}, ";
  }
  os << "},\n {";
  for (llvm::StringRef entry : legacy.getValueAsListOfStrings("attributes")) {
    bool isWide = entry.consume_back(":long");
    auto [name, spelling] = entry.split('=');
    const mlir::tblgen::NamedAttribute &attribute = findAttribute(record, op, name);
    bool required = !attribute.attr.isOptional() && !attribute.attr.hasDefaultValue();
    os << "{" << quoted(name) << ", " << quoted(spelling.empty() ? name : spelling)
       << ", AttributeKind::" << attributeKind(record, attribute.attr) << ", "
       << (required ? "true" : "false") << (isWide ? ", true}, " : "}, ");
  }
  os << "},\n ";
  emitList(os, legacy.getValueAsListOfStrings("ignored"));
  os << ", LodRule::" << lodRuleOf(record) << ", " << (hook.empty() ? "nullptr" : "&hooks::" + hook.str())
     << ", " << quoted(elementsOf(op)) << ", ";
  legacy.getValueAsBit("isWritten") ? os << rank : os << "LegacyOp::unwrittenRank";
  if (auto scratch = legacy.getValueAsListOfStrings("scratch"); !scratch.empty()) {
    os << ", ";
    emitList(os, scratch);
  }
  os << "},\n";
}

static bool emitLegacyMap(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records))
    for (auto [rank, legacy] : llvm::enumerate(record->getValueAsListOfDefs("legacy")))
      emitOne(*record, *legacy, rank, os);
  return false;
}

static bool emitHookDeclarations(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  llvm::StringSet<> seen;
  for (const llvm::Record *record : opsOfMainFile(records))
    for (const llvm::Record *legacy : record->getValueAsListOfDefs("legacy"))
      if (llvm::StringRef hook = legacy->getValueAsString("hook"); !hook.empty() && seen.insert(hook).second)
        os << "void " << hook << "(OpImporter &importer);\n";
  return false;
}

static mlir::GenRegistration map("gen-legacy-map", "The table of legacy spellings", emitLegacyMap);
static mlir::GenRegistration hooks("gen-legacy-hooks", "Declarations of import hooks", emitHookDeclarations);
