#include "dialects/proa/PatternSets.h"

#include "dialects/proa/Proa.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace proa {

FrozenRewritePatternSet PatternSets::get(MLIRContext *context, llvm::StringRef name,
                                         llvm::function_ref<void(RewritePatternSet &)> fill) {
  size_t dialects = context->getLoadedDialects().size(), ops = context->getRegisteredOperations().size();
  auto *owner = context->getLoadedDialect<ProaDialect>()->getRegisteredInterface<PatternSets>();
  std::lock_guard lock(owner->mutex);
  Set &set = owner->sets[name];
  if (set.dialects != dialects || set.ops != ops) {
    RewritePatternSet patterns(context);
    fill(patterns);
    set = {dialects, ops, FrozenRewritePatternSet(std::move(patterns))};
  }
  return set.patterns;
}

void PatternSets::addCanonicalization(RewritePatternSet &patterns,
                                      llvm::function_ref<bool(RegisteredOperationName)> isIncluded) {
  for (Dialect *dialect : patterns.getContext()->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : patterns.getContext()->getRegisteredOperations())
    if (isIncluded(op))
      op.getCanonicalizationPatterns(patterns, patterns.getContext());
}

} // namespace proa
