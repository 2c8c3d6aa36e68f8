//! The field `legacy`: the mapping table of legacy ops (translator/import/legacy/LegacyTable.h).
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

static void emitList(llvm::raw_ostream &os, llvm::ArrayRef<llvm::StringRef> list) {
  os << "{";
  llvm::interleaveComma(list, os, [&](llvm::StringRef s) { os << quoted(s); });
  os << "}";
}

/// The entries of `ignored` as {NAME, VALUE}, and {NAME, "slot"}. Each says at which value it is ignored.
static void emitIgnored(const llvm::Record &record, const llvm::Record &legacy, llvm::raw_ostream &os) {
  bool hasHook = !legacy.getValueAsString("hook").empty();
  os << "{";
  for (llvm::StringRef attribute : legacy.isSubClassOf("LegacyFormula")
                                       ? legacy.getValueAsListOfStrings("attributes")
                                       : std::vector<llvm::StringRef>())
    os << "{" << quoted(attribute) << ", \"hook\"}, ";
  for (llvm::StringRef entry : legacy.getValueAsListOfStrings("ignored")) {
    auto [name, value] = entry.split('=');
    bool isSlot = name.consume_front("slot ");
    if (name.empty() || isSlot == entry.contains('=') || name.contains(' ') || (value == "hook" && !hasHook))
      llvm::PrintFatalError(record.getLoc(),
                            "legacy: expected 'NAME=VALUE', 'NAME=any', 'NAME=fused', 'slot NAME' or, with a "
                            "hook, 'NAME=hook' in the ignored attributes, found '" +
                                entry + "'");
    os << "{" << quoted(name) << ", " << quoted(isSlot ? "slot" : value) << "}, ";
  }
  os << "}";
}

/// The element types of the op: the types of its first operand, or of its result.
static std::string elementsOf(const mlir::tblgen::Operator &op) {
  if (op.getNumOperands() == 0 && op.getNumResults() == 0)
    return "";
  return elementsOf(op.getNumOperands() > 0 ? op.getOperand(0) : op.getResult(0));
}

/// "axis=-1" as {"axis", ConstantKind::Int, -1, ""}.
static void emitConstants(const llvm::Record &record, const llvm::Record &legacy, llvm::raw_ostream &os) {
  os << "{";
  for (llvm::StringRef entry : legacy.getValueAsListOfStrings("constants")) {
    auto [name, value] = entry.split('=');
    int64_t integer = 0;
    if (name.empty() || value.empty())
      llvm::PrintFatalError(record.getLoc(),
                            "legacy: constants: expected 'name=value', found '" + entry + "'");
    os << "{" << quoted(name) << ", ";
    if (value == "true" || value == "false")
      os << "ConstantKind::Bool, " << (value == "true") << ", \"\"}, ";
    else if (!value.getAsInteger(10, integer))
      os << "ConstantKind::Int, " << integer << ", \"\"}, ";
    else
      os << "ConstantKind::String, 0, " << quoted(value) << "}, ";
  }
  os << "}";
}

static bool hasArrayOperand(const mlir::tblgen::Operator &op) {
  return llvm::any_of(op.getOperands(), [](const mlir::tblgen::NamedTypeConstraint &operand) {
    return operand.constraint.getDefName() == "Pd_Array";
  });
}

static void emitSlot(llvm::raw_ostream &os, llvm::StringRef spelling, llvm::StringRef arity) {
  os << "{" << quoted(spelling) << ", Arity::" << arity << "}, ";
}

static void emitHook(llvm::raw_ostream &os, const llvm::Record &legacy) {
  llvm::StringRef hook = legacy.getValueAsString("hook");
  os << (hook.empty() ? "nullptr" : "&hooks::" + hook.str());
}

static void emitOne(const llvm::Record &record, const llvm::Record &legacy, size_t rank,
                    llvm::raw_ostream &os) {
  mlir::tblgen::Operator op(record);
  auto inputs = legacy.getValueAsListOfStrings("inputs");
  auto outputs = legacy.getValueAsListOfStrings("outputs");
  bool hasHook = !legacy.getValueAsString("hook").empty();
  if (!hasHook && inputs.size() != static_cast<size_t>(op.getNumOperands()))
    llvm::PrintFatalError(record.getLoc(), "legacy: one input entry for each operand is needed");
  if (!hasHook && outputs.size() != static_cast<size_t>(op.getNumResults()))
    llvm::PrintFatalError(record.getLoc(), "legacy: one output entry for each result is needed");
  os << "{" << quoted(legacy.getValueAsString("legacyType")) << ", " << quoted(op.getOperationName())
     << ",\n {";
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool known = i < static_cast<size_t>(op.getNumOperands());
    emitSlot(os, inputs[i], known ? arityOf(op.getOperand(i)) : "Optional");
  }
  os << "},\n {";
  for (size_t i = 0; i < outputs.size(); ++i) {
    bool variadic = i < static_cast<size_t>(op.getNumResults()) && op.getResult(i).isVariableLength();
    emitSlot(os, outputs[i], variadic ? "Variadic" : "Required");
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
  emitIgnored(record, legacy, os);
  os << ", LodRule::" << lodRuleOf(record) << ", ";
  emitHook(os, legacy);
  os << ", " << quoted(elementsOf(op)) << ", ";
  legacy.getValueAsBit("isWritten") ? os << rank : os << "LegacyOp::unwrittenRank";
  os << ", ";
  emitList(os, legacy.getValueAsListOfStrings("scratch"));
  os << ", ";
  emitConstants(record, legacy, os);
  os << ", " << (hasArrayOperand(op) ? "true" : "false") << "},\n";
}

/// An entry without a target. The attributes that its hook reads need no conversion.
static void emitFormula(const llvm::Record &record, llvm::raw_ostream &os) {
  if (record.getValueAsString("hook").empty())
    llvm::PrintFatalError(record.getLoc(), "LegacyFormula: a hook is needed");
  os << "{" << quoted(record.getValueAsString("legacyType")) << ", \"\",\n {";
  for (llvm::StringRef input : record.getValueAsListOfStrings("inputs")) {
    bool isOptional = input.consume_back("?");
    emitSlot(os, input, isOptional ? "Optional" : input.contains('*') ? "Variadic" : "Required");
  }
  os << "},\n {";
  for (llvm::StringRef output : record.getValueAsListOfStrings("outputs"))
    emitSlot(os, output, output.contains('*') ? "Variadic" : "Required");
  os << "},\n {},\n ";
  emitIgnored(record, record, os);
  os << ", LodRule::None, ";
  emitHook(os, record);
  os << ", \"any\", LegacyOp::unwrittenRank, {}, {}, "
     << (record.getValueAsBit("takesArrays") ? "true" : "false") << "},\n";
}

static bool emitLegacyMap(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records))
    for (auto [rank, legacy] : llvm::enumerate(record->getValueAsListOfDefs("legacy")))
      emitOne(*record, *legacy, rank, os);
  for (const llvm::Record *record : ofMainFile(records, "LegacyFormula"))
    emitFormula(*record, os);
  return false;
}

/// The mappings of the ops in the main file, each with its op.
static std::vector<std::pair<const llvm::Record *, const llvm::Record *>>
mappings(const llvm::RecordKeeper &records) {
  std::vector<std::pair<const llvm::Record *, const llvm::Record *>> all;
  for (const llvm::Record *record : opsOfMainFile(records))
    for (const llvm::Record *legacy : record->getValueAsListOfDefs("legacy"))
      all.emplace_back(record, legacy);
  return all;
}

/// IMPORT_HOOK(function) for each hook, EXPORT_HOOK("legacy type", OpClass, function) and WRITTEN_IF("legacy
/// type", OpClass, condition) for each mapping that has one. The including file defines the macros that it
/// needs.
static bool emitHooks(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  llvm::StringSet<> seen;
  os << "#ifdef IMPORT_HOOK\n";
  auto declare = [&](const llvm::Record &legacy) {
    if (llvm::StringRef hook = legacy.getValueAsString("hook"); !hook.empty() && seen.insert(hook).second)
      os << "IMPORT_HOOK(" << hook << ")\n";
  };
  for (auto [op, legacy] : mappings(records))
    declare(*legacy);
  for (const llvm::Record *record : ofMainFile(records, "LegacyFormula"))
    declare(*record);
  os << "#endif\n";
  for (auto [macro, field] : {std::pair("EXPORT_HOOK", "exportHook"), std::pair("WRITTEN_IF", "writtenIf")}) {
    os << "#ifdef " << macro << "\n";
    for (auto [op, legacy] : mappings(records))
      if (llvm::StringRef value = legacy->getValueAsString(field); !value.empty())
        os << macro << "(" << quoted(legacy->getValueAsString("legacyType")) << ", " << qualifiedClass(*op)
           << ", " << value << ")\n";
    os << "#endif\n";
  }
  return false;
}

static mlir::GenRegistration map("gen-legacy-map", "The table of legacy ops", emitLegacyMap);
static mlir::GenRegistration hooks("gen-legacy-hooks", "Declarations of import and export hooks", emitHooks);
