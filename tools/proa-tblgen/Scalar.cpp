//! The field `scalar`: one template per record, instantiated for IR (ScalarBuilder) and for host values
//! (HostScalarBuilder).
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"

using namespace proa::tblgen;

static void emitScalar(const llvm::Record &record, llvm::raw_ostream &os) {
  llvm::StringRef body = record.getValueAsString("scalar");
  if (body.empty())
    return;
  mlir::tblgen::Operator op(record);
  std::string name = op.getCppClassName().str();
  os << "template <class Builder>\nstatic typename Builder::Value scalarOf" << name << "(Builder &b, " << name
     << " op, typename Builder::Values operands) {\n";
  for (int i = 0; i < op.getNumOperands(); ++i)
    os << "  typename Builder::Value " << op.getOperand(i).name << " = operands[" << i << "];\n";
  os << "  return " << body << ";\n}\n";
  os << "::mlir::Value " << name
     << "::buildScalar(ScalarBuilder &b, ::mlir::ValueRange operands) {\n  return scalarOf" << name
     << "(b, *this, operands);\n}\n";
  os << "HostScalar " << name
     << "::evaluateScalar(HostScalarBuilder &b, ::llvm::ArrayRef<HostScalar> operands) {\n  return scalarOf"
     << name << "(b, *this, operands);\n}\n\n";
}

static bool emitScalars(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  NamespaceScope scope(os);
  for (const llvm::Record *record : opsOfMainFile(records))
    emitScalar(*record, os);
  return false;
}

static mlir::GenRegistration scalarGenerator("gen-scalar", "The elementwise functions of op records",
                                             emitScalars);
