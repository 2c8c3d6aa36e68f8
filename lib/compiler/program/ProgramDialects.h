/// The dialects of programs, from import to decomposition.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace proa {

/// Adds pd and the dialects of its control flow and functions: the dialects of imported and exported
/// programs. Without other dialects a tool that does not compile starts in a third of the time.
void registerProgramDialects(mlir::DialectRegistry &registry);

} // namespace proa
