/// Conversion of MLIR's diagnostics to errors.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <utility>

namespace proa {

/// Collects the errors that MLIR reports during its lifetime, each with location and notes. Warnings and
/// remarks are left to the handlers around it; MLIR's default handler drops them.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return mlir::failure();
          add(diagnostic);
          return mlir::success();
        }) {}

  /// The errors so far; `otherwise` if an operation failed without one.
  Diagnostics take(const std::string &otherwise) {
    Diagnostics collected = std::exchange(diagnostics, {});
    return collected.empty() ? errorAt("", otherwise) : collected;
  }

private:
  void add(mlir::Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    mlir::Location location = diagnostic.getLocation();
    for (mlir::Diagnostic &note : diagnostic.getNotes()) {
      bool isElsewhere = note.getLocation() != location;
      llvm::raw_string_ostream(message)
          << "; " << note << (isElsewhere ? inParentheses(textOf(note.getLocation())) : "");
    }
    Diagnostic error{.location = textOf(location), .message = std::move(message)};
    if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location); fused && !fused.getLocations().empty())
      location = fused.getLocations().front();
    if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
      error.output = name.getName().str();
    diagnostics.add(std::move(error));
  }

  static std::string inParentheses(const std::string &text) { return text.empty() ? "" : " (" + text + ")"; }

  /// A position in a file, "net.mlir:3:12", or only the file, for its module; empty if it is unknown. Of an
  /// imported op its output comes first: "relu_0.tmp_0 at net.py:42:0"; of fused locations the first one is
  /// taken.
  static std::string textOf(mlir::Location location) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (auto position = mlir::dyn_cast<mlir::FileLineColLoc>(location)) {
      stream << position.getFilename().getValue();
      if (position.getLine() != 0)
        stream << ":" << position.getLine() << ":" << position.getColumn();
    } else if (auto name = mlir::dyn_cast<mlir::NameLoc>(location)) {
      std::string line = textOf(name.getChildLoc());
      stream << name.getName().getValue() << (line.empty() ? "" : " at " + line);
    } else if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
               fused && !fused.getLocations().empty()) {
      stream << textOf(fused.getLocations().front());
    } else if (!mlir::isa<mlir::UnknownLoc>(location)) {
      stream << location;
    }
    return text;
  }

  Diagnostics diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace proa
