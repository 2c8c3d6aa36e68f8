//! The field `linear`: the groups of operands in which an op is linear (LinearOpInterface).
#include "Records.h"

#include "llvm/TableGen/Error.h"

namespace proa::tblgen {

/// Indices, in the record, of the operands that one entry of the field names: "x" or "x, y".
static llvm::SmallVector<int> operandsOf(const llvm::Record &record, const mlir::tblgen::Operator &op,
                                         llvm::StringRef entry) {
  llvm::SmallVector<int> operands;
  for (llvm::StringRef name : llvm::split(entry, ',')) {
    int operand = 0;
    while (operand < op.getNumOperands() && op.getOperand(operand).name != name.trim())
      ++operand;
    if (operand == op.getNumOperands())
      llvm::PrintFatalError(record.getLoc(),
                            "linear: expected names of operands or 'inCode', found '" + name.trim() + "'");
    operands.push_back(operand);
  }
  return operands;
}

void emitLinearGroups(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os) {
  std::vector<llvm::StringRef> entries = record.getValueAsListOfStrings("linear");
  if (entries.empty() || entries == std::vector<llvm::StringRef>{"inCode"})
    return;
  mlir::tblgen::Operator op(record);
  os << "::llvm::SmallVector<::llvm::SmallVector<unsigned>> " << name << "::getLinearGroups() {\n"
     << "  ::llvm::SmallVector<::llvm::SmallVector<unsigned>> groups(" << entries.size() << ");\n"
     << "  for (auto [group, operand] : ::std::initializer_list<::std::pair<unsigned, unsigned>>{";
  for (auto [group, entry] : llvm::enumerate(entries))
    for (int operand : operandsOf(record, op, entry))
      os << "{" << group << ", " << operand << "}, ";
  // An optional or variadic operand of the record has no value or several.
  os << "}) {\n    auto [first, count] = getODSOperandIndexAndLength(operand);\n"
        "    for (unsigned i = 0; i < count; ++i)\n      groups[group].push_back(first + i);\n  }\n"
        "  return groups;\n}\n";
}

} // namespace proa::tblgen
