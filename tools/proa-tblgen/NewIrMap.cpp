//! The fields `newIr` and `newIrInPlace`: the mapping table of ops of Paddle's new IR
//! (translator/import/newir/NewIrTable.h).
#include "NewIr.h"

#include "mlir/TableGen/Attribute.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

#include <optional>
#include <utility>

using namespace proa::tblgen;

namespace {

using Spelling = NewIrSpelling;

/// The op's own mapping first, then the mappings of other ops that map to it.
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

/// The operand that a result overwrites by default.
std::optional<size_t> sameMemory(const Spelling &spelling, llvm::StringRef result) {
  llvm::StringRef stem = result;
  if (!stem.consume_back("_out") && !stem.consume_front("out_"))
    return std::nullopt;
  for (auto [i, operand] : llvm::enumerate(spelling.operands))
    if (operand == stem || operand == ("in_" + stem).str())
      return i;
  return std::nullopt;
}

using Pairs = std::vector<std::pair<size_t, size_t>>;

/// The index of "NAME", or of "operand N".
std::optional<size_t> positionOf(llvm::StringRef name, const std::vector<llvm::StringRef> &names) {
  size_t position = 0;
  llvm::StringRef digits = name;
  if (digits.consume_front("operand ") && !digits.getAsInteger(10, position) && position < names.size())
    return position;
  auto found = llvm::find(names, name);
  return found == names.end() ? std::nullopt : std::optional<size_t>(found - names.begin());
}

/// The entry of the field `newIrInPlace` for a mapping.
std::optional<Pairs> writtenPairs(const llvm::Record &record, const Spelling &spelling) {
  for (llvm::StringRef text : record.getValueAsListOfStrings("newIrInPlace")) {
    llvm::StringRef list = text;
    if (!list.consume_front(spelling.name) || !list.consume_front("_(") || !list.consume_back(")"))
      continue;
    Pairs pairs;
    for (llvm::StringRef pair : namesIn(list)) {
      auto [result, operand] = pair.split('=');
      auto to = positionOf(result, spelling.results), from = positionOf(operand, spelling.operands);
      if (!to || !from)
        llvm::PrintFatalError(record.getLoc(), "newIrInPlace: expected 'result=operand' of " + spelling.name +
                                                   ", found '" + pair + "'");
      pairs.emplace_back(*to, *from);
    }
    return pairs;
  }
  return std::nullopt;
}

/// Indices of the results of the op "NAME_" and of the operands that they overwrite.
Pairs inPlacePairs(const llvm::Record &record, const Spelling &spelling) {
  if (auto written = writtenPairs(record, spelling))
    return *written;
  Pairs pairs;
  for (auto [i, result] : llvm::enumerate(spelling.results))
    if (auto operand = sameMemory(spelling, result))
      pairs.emplace_back(i, *operand);
  if (pairs.empty() && !spelling.results.empty() && !spelling.operands.empty())
    pairs.emplace_back(0, 0);
  return pairs;
}

void checkInPlace(const llvm::Record &record, const std::vector<Spelling> &spellings) {
  for (llvm::StringRef text : record.getValueAsListOfStrings("newIrInPlace"))
    if (llvm::none_of(spellings, [&](const Spelling &spelling) {
          return text.starts_with((spelling.name + "_(").str()) && text.ends_with(")");
        }))
      llvm::PrintFatalError(record.getLoc(),
                            "newIrInPlace: expected 'NAME_(result=operand)', found '" + text + "'");
}

/// The prefixes of operands that the record lacks.
bool isOutsideOfRecord(llvm::StringRef operand) {
  return operand.starts_with("unused ") || operand.starts_with("absent ");
}

/// Each entry of `ignored` says at which value the attribute is ignored.
void checkIgnored(const llvm::Record &record, const mlir::tblgen::Operator &op, const Spelling &spelling) {
  for (llvm::StringRef entry : spelling.ignored) {
    auto [name, value] = entry.split('=');
    if (name.empty() || !entry.contains('='))
      llvm::PrintFatalError(record.getLoc(), "newIr: expected 'NAME=VALUE', 'NAME=axis' or 'NAME=any' in the "
                                             "ignored attributes, found '" +
                                                 entry + "'");
    if (value == "axis" &&
        llvm::none_of(op.getAttributes(), [](const auto &attribute) { return attribute.name == "axis"; }))
      llvm::PrintFatalError(record.getLoc(), "newIr: '" + entry + "' on an op without the attribute 'axis'");
  }
}

void checkNames(const llvm::Record &record, const mlir::tblgen::Operator &op, const Spelling &spelling) {
  auto isOperand = [&](llvm::StringRef name) {
    return llvm::any_of(op.getOperands(), [&](const auto &operand) { return operand.name == name; });
  };
  auto isAttribute = [&](llvm::StringRef name) {
    return llvm::any_of(op.getAttributes(), [&](const auto &attribute) { return attribute.name == name; });
  };
  for (llvm::StringRef name : spelling.operands)
    if (!isOutsideOfRecord(name) && !(name.consume_front("#") ? isAttribute(name) : isOperand(name)))
      llvm::PrintFatalError(record.getLoc(),
                            "newIr: '" + name +
                                "' is neither operand nor attribute of this op, expected 'unused " + name +
                                "' or 'absent " + name + "' for one that the record lacks");
  for (llvm::StringRef name : spelling.set)
    if (!isAttribute(name))
      llvm::PrintFatalError(record.getLoc(), "newIr: '" + name + "' is not an attribute of this op");
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
    // Values of constants are not literals of the file.
    if (attribute.attr.getBaseAttr().getAttrDefName() == "ElementsAttr")
      continue;
    os << "{" << quoted(attribute.name) << ", " << quoted(newName(spelling, attribute.name))
       << ", AttributeKind::" << attributeKind(record, attribute.attr) << ", false}, ";
  }
  os << "}, ";
  os << "{";
  for (llvm::StringRef entry : spelling.ignored)
    os << "{" << quoted(entry.split('=').first) << ", " << quoted(entry.split('=').second) << "}, ";
  os << "}, ";
  emitNames(spelling.set, os);
  os << "{";
  for (auto [result, operand] : inPlacePairs(record, spelling))
    os << "{" << result << ", " << operand << "}, ";
  os << "}},\n";
}

/// Calls `emit` with each op of the file that the new IR has, and its mappings.
void forEachOp(const llvm::RecordKeeper &records,
               llvm::function_ref<void(const llvm::Record &, const mlir::tblgen::Operator &,
                                       const std::vector<Spelling> &)>
                   emit) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    if (op.getNumRegions() == 0 && record->isSubClassOf("Pd_Op"))
      emit(*record, op, spellingsOf(*record, op));
  }
}

bool emitMap(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  os << "#ifdef GET_NEW_IR_OPS\n";
  forEachOp(records, [&](const auto &record, const auto &op, const auto &spellings) {
    checkInPlace(record, spellings);
    for (const Spelling &spelling : spellings) {
      checkNames(record, op, spelling);
      checkIgnored(record, op, spelling);
      emitEntry(record, op, spelling, os);
    }
  });
  os << "#endif\n\n#ifdef GET_NEW_IR_GRADIENTS\n";
  forEachOp(records, [&](const auto &record, const auto &op, const auto &spellings) {
    emitNewIrGradients(record, op, spellings, os);
  });
  os << "#endif\n";
  return false;
}

mlir::GenRegistration newIrMapGenerator("gen-newir-map", "The table of spellings in Paddle's new IR",
                                        emitMap);

} // namespace

bool proa::tblgen::isMutableAttribute(const mlir::tblgen::Operator &op, llvm::StringRef operand) {
  if (operand.starts_with("#"))
    return true;
  bool isTensor = operand.consume_back("_tensor");
  return isTensor &&
         llvm::any_of(op.getAttributes(), [&](const auto &attribute) { return attribute.name == operand; });
}
