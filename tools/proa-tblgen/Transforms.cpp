//! The statement of a library op for each transform: what follows from the fields of its record.
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TableGen/Error.h"

namespace proa::tblgen {
namespace {

bool isArray(const mlir::tblgen::NamedTypeConstraint &value) {
  return value.constraint.getSummary().contains("tensor array");
}

/// Whether the elements may be floats, whose derivatives are not zero.
bool mayBeFloat(const mlir::tblgen::NamedTypeConstraint &value) {
  if (isArray(value))
    return true;
  std::string elements = elementsOf(value);
  return elements != "integer" && elements != "bool" && elements != "bool or integer";
}

/// "" after an error.
std::string derivativeOf(const llvm::Record &record, const mlir::tblgen::Operator &op) {
  bool isDifferentiable = record.getValueAsBit("differentiable");
  bool hasRule = record.getValueAsBit("vjpInCode") || !record.getValueAsListOfStrings("vjp").empty() ||
                 !record.getValueAsListOfStrings("derivatives").empty() ||
                 !record.getValueAsListOfStrings("linear").empty();
  bool isZero = llvm::none_of(op.getOperands(), mayBeFloat) || llvm::none_of(op.getResults(), mayBeFloat);
  if (!isDifferentiable && (hasRule || isZero)) {
    llvm::PrintError(record.getLoc(), llvm::Twine("differentiable: expected 1 for an op ") +
                                          (hasRule ? "with a rule" : "without floats"));
    return "";
  }
  if (!hasRule && !isZero && isDifferentiable)
    llvm::PrintError(record.getLoc(), "expected a rule for the derivative of a library op, or "
                                      "'let differentiable = 0'");
  return hasRule ? "rule" : isZero ? "zero" : isDifferentiable ? "" : "none";
}

/// "" after an error.
std::string batchingOf(const llvm::Record &record, const mlir::tblgen::Operator &op) {
  llvm::StringRef batching = record.getValueAsString("batching");
  if (hasBatchingRule(record))
    return "rule";
  if (!batching.empty())
    return batching.str();
  if (op.getNumOperands() == 0)
    return "no operands";
  if (!record.getValueAsBit("pure"))
    return "refused";
  llvm::PrintError(record.getLoc(), "expected a batching rule of a library op, or batching = 'unbatched' or "
                                    "'refused'");
  return "";
}

/// "" after an error.
std::string shardingOf(const llvm::Record &record) {
  if (wholeReasonOf(record))
    return "replicated";
  if (!record.getValueAsString("sharding").empty())
    return "rule";
  llvm::PrintError(record.getLoc(),
                   "expected a sharding rule of a library op, or sharding = 'whole: REASON'");
  return "";
}

} // namespace

bool hasBatchingRule(const llvm::Record &record) {
  llvm::StringRef batching = record.getValueAsString("batching");
  return !batching.empty() && batching != "unbatched" && batching != "refused";
}

bool transformsOf(const llvm::Record &record, LibraryTransforms &out) {
  mlir::tblgen::Operator op(record);
  bool hasReference = record.getValueAsBit("referenceInCode") || record.getValueAsBit("arrayReferenceInCode");
  bool isConstant = op.getTrait("::mlir::OpTrait::ConstantLike") != nullptr;
  out.evaluation = isConstant ? "constant" : hasReference ? "reference kernel" : "none";
  out.derivative = derivativeOf(record, op);
  out.batching = batchingOf(record, op);
  out.sharding = shardingOf(record);
  llvm::StringRef library = record.getValueAsString("library");
  out.lowering = isConstant ? "constant" : library.empty() ? "none" : ("kernel `" + library + "`").str();
  return out.derivative.empty() || out.batching.empty() || out.sharding.empty();
}

} // namespace proa::tblgen

using namespace proa::tblgen;

namespace {

bool emitTransforms(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  bool failed = false;
  for (const llvm::Record *record : opsOfMainFile(records)) {
    if (kindOf(*record) != OpKind::Library)
      continue;
    LibraryTransforms each;
    failed |= transformsOf(*record, each);
    os << "{" << quoted(mlir::tblgen::Operator(*record).getOperationName());
    for (const std::string &text :
         {each.evaluation, each.derivative, each.batching, each.sharding, each.lowering})
      os << ", " << quoted(text);
    os << "},\n";
  }
  return failed;
}

mlir::GenRegistration transformsGenerator("gen-library-transforms",
                                          "The table of the transforms of library ops", emitTransforms);

} // namespace
