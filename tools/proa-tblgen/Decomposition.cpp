//! The fields `decomposition`, `infer`, `library` and hasFolder: the methods that follow from them.
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;

static void emitInference(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os) {
  llvm::StringRef function = record.getValueAsString("infer");
  if (function.empty())
    return;
  os << "::llvm::LogicalResult " << name
     << "::inferReturnTypes(::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, "
        "Adaptor adaptor,\n"
        "    ::llvm::SmallVectorImpl<::mlir::Type> &results) {\n  return "
     << function << "(location, adaptor, results);\n}\n";
}

static void emitDecomposition(const llvm::Record &record, const std::string &name, llvm::raw_ostream &os) {
  llvm::StringRef body = record.getValueAsString("decomposition");
  if (body.empty())
    return;
  mlir::tblgen::Operator op(record);
  if (op.getNumResults() != 1)
    llvm::PrintFatalError(record.getLoc(), "the field 'decomposition' is for ops with one result; "
                                           "set decomposesInCode and write decompose() in the family file");
  os << "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>> " << name
     << "::decompose(::mlir::OpBuilder &builder) {\n  auto op = *this;\n  (void)op;\n"
        "  TensorBuilder e(builder, getOperation());\n";
  for (int i = 0; i < op.getNumOperands(); ++i)
    os << "  Expression " << op.getOperand(i).name << " = e.operand(" << i << ");\n";
  os << "  return e.results({" << body << "});\n}\n";
}

static bool emitMethods(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  NamespaceScope scope(os);
  bool failed = false;
  for (const llvm::Record *record : opsOfMainFile(records)) {
    mlir::tblgen::Operator op(*record);
    std::string name = op.getCppClassName().str();
    failed |= printsSegmentSizes(op, *record);
    emitInference(*record, name, os);
    emitDecomposition(*record, name, os);
    emitVjp(*record, name, os);
    emitLinearGroups(*record, name, os);
    emitBatching(*record, name, os);
    if (llvm::StringRef library = record->getValueAsString("library"); !library.empty())
      os << "::llvm::StringRef " << name << "::getLibraryKernel() { return " << quoted(library) << "; }\n";
    if (llvm::StringRef postOp = record->getValueAsString("postOp"); !postOp.empty())
      os << "PostOp " << name << "::getPostOp() {\n  auto op = *this;\n  (void)op;\n  return " << postOp
         << ";\n}\n";
    if (llvm::StringRef samples = record->getValueAsString("samples"); !samples.empty())
      os << "std::optional<int64_t> " << name
         << "::getSequencePlaces() {\n  auto op = *this;\n  (void)op;\n  return " << samples << ";\n}\n";
    if (llvm::StringRef kind = record->getValueAsString("reduction"); !kind.empty())
      os << "ReductionKind " << name << "::getReductionKind() { return ReductionKind::" << kind << "; }\n"
         << "::llvm::SmallVector<int64_t> " << name
         << "::getReducedDims() { return reducedAxes(getAxis(), tensorType(getX()).getRank()); }\n";
    if (record->isSubClassOf("Pd_FoldableOp"))
      os << "::mlir::OpFoldResult " << name
         << "::fold(FoldAdaptor adaptor) { return foldByEvaluation(getOperation(), adaptor.getOperands()); "
            "}\n";
  }
  return failed;
}

static mlir::GenRegistration
    decompositionGenerator("gen-methods", "Methods that follow from fields of op records", emitMethods);
