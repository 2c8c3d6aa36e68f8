/// Pattern sets that passes share.
#pragma once

#include "mlir/IR/DialectInterface.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace proa {

/// The pattern sets of a context. To create the set of all canonicalization patterns takes longer than
/// to canonicalize a small program. Pipelines canonicalize often, and a context compiles several programs.
class PatternSets : public mlir::DialectInterface::Base<PatternSets> {
public:
  explicit PatternSets(mlir::Dialect *dialect) : Base(dialect) {}

  /// The set with this name, filled by `fill` unless it exists. Loading dialects or ops makes it outdated.
  /// The proa dialect must be loaded.
  static mlir::FrozenRewritePatternSet get(mlir::MLIRContext *context, llvm::StringRef name,
                                           llvm::function_ref<void(mlir::RewritePatternSet &)> fill);

  /// Adds the canonicalization patterns of all loaded dialects and of the registered ops that `isIncluded`
  /// accepts.
  static void addCanonicalization(mlir::RewritePatternSet &patterns,
                                  llvm::function_ref<bool(mlir::RegisteredOperationName)> isIncluded);

private:
  struct Set {
    size_t dialects = 0, ops = 0;
    mlir::FrozenRewritePatternSet patterns;
  };
  std::mutex mutex;
  llvm::StringMap<Set> sets;
};

} // namespace proa
