//! pd-apply-patterns: patterns of users.
#include "passes/patterns/Passes.h"

#include "dialects/pd/ir/Pd.h"
#include "passes/patterns/PatternFile.h"
#include "passes/patterns/PatternSet.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_APPLYPATTERNS
#include "passes/patterns/Passes.h.inc"

namespace {

class ApplyPatternsPass : public impl::ApplyPatternsBase<ApplyPatternsPass> {
public:
  using ApplyPatternsBase::ApplyPatternsBase;
  explicit ApplyPatternsPass(std::vector<PatternText> texts) : texts(std::move(texts)) {}

  LogicalResult initialize(MLIRContext *context) override {
    std::vector<PatternText> all = texts;
    for (const std::string &file : files) {
      Result<std::string> text = readPatternFile(file);
      if (!text)
        return emitErrors(context, text.diagnostics());
      all.push_back({file, std::move(*text)});
    }
    if (all.empty())
      return mlir::emitError(UnknownLoc::get(context), getArgument() + ": expected the option 'file'");
    RewritePatternSet set(context);
    for (const PatternText &text : all)
      if (failed(parsePatterns(text.text, text.file, set)))
        return failure();
    return PatternSet::compile(std::move(set), PassRemarks(getArgument()), patterns);
  }

  void runOnOperation() override {
    if (failed(patterns.apply(getOperation())))
      signalPassFailure();
  }

private:
  static LogicalResult emitErrors(MLIRContext *context, const Diagnostics &diagnostics) {
    for (const proa::Diagnostic &diagnostic : diagnostics)
      mlir::emitError(UnknownLoc::get(context)) << diagnostic.text();
    return failure();
  }

  std::vector<PatternText> texts;
  PatternSet patterns;
};

} // namespace

std::unique_ptr<Pass> createApplyPatterns(std::vector<PatternText> texts) {
  return std::make_unique<ApplyPatternsPass>(std::move(texts));
}

} // namespace proa
