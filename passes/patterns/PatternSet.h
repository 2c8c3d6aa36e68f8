/// Patterns in PDL with remarks: how often each matched, and why it did not match an op.
#pragma once

#include "passes/remarks/Remarks.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <memory>
#include <optional>

namespace proa {

/// Patterns, in PDL and in C++, that a pass compiles once (Pass::initialize) and applies to each function.
/// Copies share them.
///
/// \code
///   LogicalResult initialize(MLIRContext *context) override {
///     RewritePatternSet set(context);
///     populateGeneratedPDLLPatterns(set);  // of a file that proa_pdll compiled
///     return PatternSet::compile(std::move(set), PassRemarks("my-pass"), patterns);
///   }
///   void runOnOperation() override {
///     if (failed(patterns.apply(getOperation())))
///       signalPassFailure();
///   }
/// \endcode
///
/// The pass depends on the dialects of dependentDialects(). Patterns in PDL may use what pd.pdll declares.
/// Those with a commutative op of two operands match them in both orders.
class PatternSet {
public:
  /// Error, at the pattern's location: an op, an attribute or a function that does not exist.
  static mlir::LogicalResult compile(mlir::RewritePatternSet &&patterns, PassRemarks remarks,
                                     PatternSet &result);

  /// Applies the patterns greedily, in program order. Folds nothing. Failure: a rewrite reported an error, or
  /// the patterns do not terminate.
  mlir::LogicalResult apply(mlir::Operation *root) const;

private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled;
};

/// Patterns from the text of a module of pdl. Failure, after an error: the text is malformed. `name` begins
/// the locations.
mlir::LogicalResult parsePatterns(llvm::StringRef text, llvm::StringRef name,
                                  mlir::RewritePatternSet &patterns);

} // namespace proa
