//! The fields `derivatives` and `vjp`: reverse-mode rules.
#include "Records.h"

#include "llvm/TableGen/Error.h"

namespace proa::tblgen {

/// Declares the names that the expressions may use: operands, results, and the cotangents as d<result>.
static void emitNames(const mlir::tblgen::Operator &op, llvm::raw_ostream &os) {
  auto declare = [&](llvm::StringRef name, const llvm::Twine &value) {
    os << "  Expression " << name << " = e.computed(" << value << ");\n  (void)" << name << ";\n";
  };
  for (int i = 0; i < op.getNumOperands(); ++i)
    if (!op.getOperand(i).isVariableLength())
      declare(op.getOperand(i).name, "getODSOperands(" + llvm::Twine(i) + ").front()");
  for (int i = 0; i < op.getNumResults(); ++i)
    declare(op.getResult(i).name, "getOperation()->getResult(" + llvm::Twine(i) + ")");
  if (op.getNumResults() == 1)
    declare(("d" + op.getResult(0).name).str(), "cotangents[0]");
}

void emitVjp(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os) {
  std::vector<llvm::StringRef> derivatives = record.getValueAsListOfStrings("derivatives");
  std::vector<llvm::StringRef> gradients = record.getValueAsListOfStrings("vjp");
  if (derivatives.empty() && gradients.empty())
    return;
  mlir::tblgen::Operator op(record);
  const auto &rules = derivatives.empty() ? gradients : derivatives;
  if (!derivatives.empty() && !gradients.empty())
    llvm::PrintFatalError(record.getLoc(), "one of the fields 'derivatives' and 'vjp' is enough");
  if (op.getNumResults() != 1)
    llvm::PrintFatalError(record.getLoc(), "the fields 'derivatives' and 'vjp' are for ops with one result; "
                                           "set vjpInCode and write vjp() in the family file");
  if (static_cast<int>(rules.size()) != op.getNumOperands())
    llvm::PrintFatalError(record.getLoc(), "expected one rule for each operand");
  os << "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> " << name
     << "::vjp(::mlir::OpBuilder &builder, ::llvm::ArrayRef<::mlir::Value> cotangents) {\n  auto op = "
        "*this;\n  (void)op;\n"
        "  TensorBuilder e(builder, getOperation());\n";
  emitNames(op, os);
  os << "  ::llvm::SmallVector<::mlir::Value> gradients(getOperation()->getNumOperands());\n";
  std::string cotangent = ("d" + op.getResult(0).name).str();
  for (auto [i, rule] : llvm::enumerate(rules)) {
    if (rule.empty())
      continue;
    std::string value = derivatives.empty() ? rule.str() : "e.chain(" + cotangent + ", " + rule.str() + ")";
    os << "  if (auto range = getODSOperandIndexAndLength(" << i << "); range.second == 1)\n"
       << "    gradients[range.first] = e.gradient(" << value
       << ", getOperation()->getOperand(range.first));\n";
  }
  os << "  return gradients;\n}\n";
}

} // namespace proa::tblgen
