/// Checks and additions to modules of pdl before they are compiled.
#pragma once

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace proa {

/// The native rewrites that the additions call.
inline constexpr llvm::StringLiteral reportMatchFunction = "proa.report_match";
inline constexpr llvm::StringLiteral segmentSizesFunction = "proa.segment_sizes";

/// The types of the results of an op that another one replaces: (op).
inline constexpr llvm::StringLiteral replacedTypesFunction = "proa.replaced_types";
/// Inferred types: (root, name, attribute names, attributes..., operands...).
inline constexpr llvm::StringLiteral inferredTypesFunction = "proa.inferred_types";

/// On a copy of a pattern: the name of the pattern.
inline constexpr llvm::StringLiteral patternNameAttribute = "proa.name";
llvm::StringRef patternName(mlir::pdl::PatternOp pattern);

/// Reports ops and attributes that do not exist, and constraints and rewrites that `patterns` has no function
/// for.
mlir::LogicalResult checkPatterns(mlir::PDLPatternModule &patterns);

/// Adds a copy of each pattern for each other order of the operands of its commutative ops.
void addCommutedPatterns(mlir::ModuleOp patterns);

/// Adds to each rewrite a call of `reportMatchFunction` with the root and the pattern's name, and to each op
/// that it creates the sizes of operand segments, which PDLL does not write, and the types of its results:
/// the types of the op that it replaces, else inferred types. MLIR's interpreter infers types without the
/// attributes of the op.
void completeRewrites(mlir::ModuleOp patterns);

} // namespace proa
