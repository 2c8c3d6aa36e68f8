/// Remarks of passes as diagnostics of the library.
#pragma once

#include "lib/compiler/compile/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

namespace proa {

/// Reports the warnings of passes about the program, such as a component of a strategy that has no effect,
/// during its lifetime.
class WarningReporter {
public:
  WarningReporter(mlir::MLIRContext *context, const CompileOptions &options);

private:
  mlir::ScopedDiagnosticHandler handler;
};

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
