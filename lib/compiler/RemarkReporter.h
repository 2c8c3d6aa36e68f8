/// Remarks of passes as diagnostics of the library.
#pragma once

#include "lib/compiler/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

namespace proa {

/// Reports the remarks that CompileOptions::remarks selects during its lifetime. At most one exists for a
/// context.
class RemarkReporter {
public:
  RemarkReporter(mlir::MLIRContext *context, const CompileOptions &options);
  ~RemarkReporter();
  RemarkReporter(const RemarkReporter &) = delete;
  RemarkReporter &operator=(const RemarkReporter &) = delete;

private:
  mlir::MLIRContext *context;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace proa
