/// The dialects that programs consist of, from import to decomposition.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace proa {

/// Adds pd, and those of MLIR that hold its control flow and functions: what an imported program is made of,
/// and all that a legacy one can be written from. A tool that does not compile needs no others, and starts in
/// a third of the time without them.
void registerProgramDialects(mlir::DialectRegistry &registry);

} // namespace proa
