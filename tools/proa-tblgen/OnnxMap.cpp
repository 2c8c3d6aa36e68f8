//! The field `onnx`: the mapping table of ops of ONNX (translator/import/onnx/OnnxTable.h).
#include "Records.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;

namespace {

const mlir::tblgen::Attribute &attributeOf(const llvm::Record &record, const mlir::tblgen::Operator &op,
                                           llvm::StringRef name) {
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
    if (attribute.name == name)
      return attribute.attr;
  llvm::PrintFatalError(record.getLoc(), "onnx: no attribute '" + name + "' on this op");
}

void emitNames(const llvm::Record &onnx, llvm::raw_ostream &os) {
  os << quoted(onnx.getValueAsString("onnxType")) << ", " << quoted(onnx.getValueAsString("domain")) << ", "
     << onnx.getValueAsInt("since") << ", " << onnx.getValueAsInt("until") << ", ";
}

void emitHook(const llvm::Record &onnx, llvm::raw_ostream &os) {
  llvm::StringRef hook = onnx.getValueAsString("hook");
  os << (hook.empty() ? "nullptr" : "&onnxhooks::" + hook.str());
}

void emitStrings(const llvm::Record &record, const llvm::Record &onnx, llvm::raw_ostream &os) {
  llvm::StringRef strings = onnx.getValueAsString("strings");
  if (!strings.empty() && strings != "inHook" && strings != "moved")
    llvm::PrintFatalError(record.getLoc(),
                          "onnx: strings are '" + strings + "', expected '', 'inHook' or 'moved'");
  os << ", StringUse::" << (strings.empty() ? "Refused" : strings == "inHook" ? "InHook" : "Moved");
}

/// "name=value" entries as {"name", "value"}.
void emitPairs(const llvm::Record &record, const std::vector<llvm::StringRef> &entries,
               llvm::raw_ostream &os) {
  os << "{";
  for (llvm::StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    if (name.empty() || !entry.contains('='))
      llvm::PrintFatalError(record.getLoc(), "onnx: expected 'name=value', found '" + entry + "'");
    os << "{" << quoted(name) << ", " << quoted(value) << "}, ";
  }
  os << "}";
}

/// Names of slots, each with the arity of the record's operand or result.
template <class Values>
void emitSlots(const llvm::Record &record, const std::vector<llvm::StringRef> &names, const Values &values,
               bool hasHook, llvm::raw_ostream &os) {
  size_t count = std::distance(values.begin(), values.end());
  if (!hasHook && names.size() != count)
    llvm::PrintFatalError(record.getLoc(), "onnx: one entry for each operand and each result is needed");
  os << "{";
  for (auto [name, value] : llvm::zip(names, values))
    os << "{" << quoted(name) << ", Arity::" << arityOf(value) << "}, ";
  os << "}";
}

/// The attributes that the ONNX op implies, with their kinds: {"axis", AttributeKind::Int, "1"}.
void emitSet(const llvm::Record &record, const mlir::tblgen::Operator &op,
             const std::vector<llvm::StringRef> &entries, llvm::raw_ostream &os) {
  os << "{";
  for (llvm::StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    os << "{" << quoted(name) << ", AttributeKind::" << attributeKind(record, attributeOf(record, op, name))
       << ", " << quoted(value) << "}, ";
  }
  os << "}";
}

void emitOne(const llvm::Record &record, const llvm::Record &onnx, size_t rank, llvm::raw_ostream &os) {
  mlir::tblgen::Operator op(record);
  bool hasHook = !onnx.getValueAsString("hook").empty() || onnx.getValueAsString("onnxType").empty();
  os << "{";
  emitNames(onnx, os);
  os << quoted(op.getOperationName()) << ",\n ";
  emitSlots(record, onnx.getValueAsListOfStrings("inputs"), op.getOperands(), hasHook, os);
  os << ", ";
  emitSlots(record, onnx.getValueAsListOfStrings("outputs"), op.getResults(), hasHook, os);
  os << ",\n {";
  for (llvm::StringRef entry : onnx.getValueAsListOfStrings("attributes")) {
    auto [name, spelling] = entry.split('=');
    const mlir::tblgen::Attribute &attribute = attributeOf(record, op, name);
    bool isRequired = !attribute.isOptional() && !attribute.hasDefaultValue();
    os << "{" << quoted(name) << ", " << quoted(spelling.empty() ? name : spelling)
       << ", AttributeKind::" << attributeKind(record, attribute) << ", " << (isRequired ? "true" : "false")
       << "}, ";
  }
  os << "},\n ";
  emitSet(record, op, onnx.getValueAsListOfStrings("set"), os);
  os << ", ";
  emitPairs(record, onnx.getValueAsListOfStrings("ignored"), os);
  os << ", ";
  emitHook(onnx, os);
  os << ", ";
  onnx.getValueAsBit("isWritten") ? os << rank : os << "OnnxOp::unwrittenRank";
  emitStrings(record, onnx, os);
  os << "},\n";
}

void emitFormula(const llvm::Record &record, llvm::raw_ostream &os) {
  os << "{";
  emitNames(record, os);
  os << "\"\", {}, {}, {}, {}, {}, ";
  emitHook(record, os);
  os << ", OnnxOp::unwrittenRank";
  emitStrings(record, record, os);
  os << "},\n";
}

bool emitOnnxMap(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records))
    for (auto [rank, onnx] : llvm::enumerate(record->getValueAsListOfDefs("onnx")))
      emitOne(*record, *onnx, rank, os);
  for (const llvm::Record *record : ofMainFile(records, "OnnxFormula"))
    emitFormula(*record, os);
  return false;
}

/// ONNX_IMPORT_HOOK(function) for each import hook, ONNX_EXPORT_HOOK(OpClass, rank, function) and
/// ONNX_WRITTEN_IF(OpClass, rank, condition) for each mapping that has one. The including file defines the
/// macros that it needs.
bool emitOnnxHooks(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  llvm::StringSet<> seen;
  os << "#ifdef ONNX_IMPORT_HOOK\n";
  auto declare = [&](const llvm::Record &onnx) {
    if (llvm::StringRef hook = onnx.getValueAsString("hook"); !hook.empty() && seen.insert(hook).second)
      os << "ONNX_IMPORT_HOOK(" << hook << ")\n";
  };
  for (const llvm::Record *record : opsOfMainFile(records))
    for (const llvm::Record *onnx : record->getValueAsListOfDefs("onnx"))
      declare(*onnx);
  for (const llvm::Record *record : ofMainFile(records, "OnnxFormula"))
    declare(*record);
  os << "#endif\n";
  for (auto [macro, field] :
       {std::pair("ONNX_EXPORT_HOOK", "exportHook"), std::pair("ONNX_WRITTEN_IF", "writtenIf")}) {
    os << "#ifdef " << macro << "\n";
    for (const llvm::Record *record : opsOfMainFile(records))
      for (auto [rank, onnx] : llvm::enumerate(record->getValueAsListOfDefs("onnx")))
        if (llvm::StringRef value = onnx->getValueAsString(field); !value.empty())
          os << macro << "(" << qualifiedClass(*record) << ", " << rank << ", " << value << ")\n";
    os << "#endif\n";
  }
  return false;
}

} // namespace

static mlir::GenRegistration onnxMap("gen-onnx-map", "The table of ops of ONNX", emitOnnxMap);
static mlir::GenRegistration onnxHooks("gen-onnx-hooks", "Declarations of hooks for ONNX", emitOnnxHooks);
