#include "tools/common/FileErrors.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace proa::tools {
namespace {

llvm::SourceMgr::DiagKind kindOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return llvm::SourceMgr::DK_Error;
  case mlir::DiagnosticSeverity::Warning:
    return llvm::SourceMgr::DK_Warning;
  case mlir::DiagnosticSeverity::Note:
    return llvm::SourceMgr::DK_Note;
  case mlir::DiagnosticSeverity::Remark:
    return llvm::SourceMgr::DK_Remark;
  }
  llvm_unreachable("unknown severity");
}

/// The file that a location means as a whole; empty: a position in it, or no file.
llvm::StringRef wholeFile(mlir::Location location) {
  auto position = mlir::dyn_cast<mlir::FileLineColLoc>(location);
  return position && position.getLine() == 0 ? position.getFilename().getValue() : "";
}

/// Only diagnostics without notes at other positions, which need the text of the file.
bool isAboutFile(mlir::Diagnostic &diagnostic) {
  llvm::StringRef file = wholeFile(diagnostic.getLocation());
  return !file.empty() && llvm::all_of(diagnostic.getNotes(), [&](mlir::Diagnostic &note) {
    return wholeFile(note.getLocation()) == file;
  });
}

void print(mlir::Diagnostic &diagnostic) {
  llvm::SMDiagnostic(wholeFile(diagnostic.getLocation()), kindOf(diagnostic.getSeverity()), diagnostic.str())
      .print(nullptr, llvm::errs());
}

} // namespace

void printFileErrors(mlir::MLIRContext &context) {
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
    if (!isAboutFile(diagnostic))
      return llvm::failure();
    print(diagnostic);
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      print(note);
    return llvm::success();
  });
}

} // namespace proa::tools
