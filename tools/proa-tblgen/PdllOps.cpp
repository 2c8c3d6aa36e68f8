//! Ops for patterns in PDLL: names, operands, results and inference of types, without other fields of the
//! record. Records of several files have classes of equal names, and so cannot be read by one run of
//! mlir-pdll.
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"

using namespace proa::tblgen;

/// "(ins AnyType:$x, Variadic<AnyType>:$bias)". PDLL takes () for an absent operand only if it is variadic.
template <class Values> static void emitValues(llvm::raw_ostream &os, llvm::StringRef kind, Values values) {
  os << "(" << kind;
  llvm::StringRef separator = " ";
  for (const mlir::tblgen::NamedTypeConstraint &value : values) {
    llvm::StringRef arity = value.isVariableLength() ? "Variadic<AnyType>" : "AnyType";
    os << separator << arity << ":$" << value.name;
    separator = ", ";
  }
  os << ")";
}

static bool emitPdllOps(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    bool infers = op.getTrait("::mlir::InferTypeOpInterface::Trait") != nullptr;
    os << "def " << record->getName() << " : Pd_PatternOp<" << quoted(record->getValueAsString("opName"))
       << ", ";
    emitValues(os, "ins", op.getOperands());
    os << ", ";
    emitValues(os, "outs", op.getResults());
    os << ", " << (infers ? 1 : 0) << ">;\n";
  }
  return false;
}

static mlir::GenRegistration pdllOpsGenerator("gen-pdll-ops", "Ops for patterns in PDLL", emitPdllOps);
