#include "lib/compiler/numerics/RewriteBisect.h"

#include "lib/compiler/compile/Registration.h"
#include "lib/compiler/planner/BuildPlan.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Rewrite/PatternApplicator.h"

#include <fmt/format.h>

#include <limits>
#include <mutex>

using namespace mlir;

namespace proa::numerics {
namespace {

constexpr size_t unlimited = std::numeric_limits<size_t>::max();

/// Skips applications of patterns after the first `limit` ones, and describes the last one that it allows.
class RewriteLimit {
public:
  RewriteLimit(MLIRContext *context, size_t limit) : context(context) {
    context->registerActionHandler([this, limit](function_ref<void()> apply, const tracing::Action &action) {
      if (!isa<ApplyPatternAction>(action))
        return apply();
      if (last.index == limit)
        return;
      describe(action);
      apply();
    });
  }
  ~RewriteLimit() { context->registerActionHandler(nullptr); }

  Rewrite last;

private:
  void describe(const tracing::Action &action) {
    ++last.index;
    // The action gives its pattern as text only.
    std::string text;
    llvm::raw_string_ostream stream(text);
    action.print(stream);
    last.pattern = StringRef(text).rsplit("pattern: ").second.str();
    for (IRUnit unit : action.getContextIRUnits())
      if (auto *op = dyn_cast_if_present<Operation *>(unit)) {
        last.op = op->getName().getStringRef().str();
        auto name = op->getLoc()->findInstanceOf<NameLoc>();
        std::string line = planner::lineOf(op->getLoc());
        last.where = name ? name.getName().str() : line.empty() ? "an unknown line" : line;
        if (name && !line.empty())
          last.where += " at " + line;
      }
  }

  MLIRContext *context;
};

Operation *rootOf(ModuleOp module, const std::string &symbol) {
  return symbol.empty() ? module.getOperation() : SymbolTable::lookupSymbolIn(module, symbol);
}

class RewriteSearch {
public:
  RewriteSearch(PassRun &run, const std::function<bool(ModuleOp)> &isWrong) : run(run), isWrong(isWrong) {}

  Rewrite find() {
    Rewrite all = tryLimit(unlimited);
    if (!lastIsWrong)
      return none("the pass alone does not change the results: an earlier pass prepared it");
    size_t attempts = all.index, good = 0, bad = attempts;
    tryLimit(0);
    if (lastIsWrong)
      return none(attempts == 0
                      ? "the pass applies no patterns"
                      : "the results change before the first pattern: by a fold or by code of the pass");
    while (bad - good > 1) {
      size_t middle = good + (bad - good) / 2;
      tryLimit(middle);
      (lastIsWrong ? bad : good) = middle;
    }
    Rewrite found = tryLimit(bad);
    found.attempts = attempts;
    return found;
  }

private:
  static Rewrite none(const char *why) {
    Rewrite rewrite;
    rewrite.whyNot = why;
    return rewrite;
  }

  /// Runs the pass with a limit, sets lastIsWrong, and returns the last application.
  Rewrite tryLimit(size_t limit) {
    OwningOpRef<ModuleOp> copy(cast<ModuleOp>(run.before.get()->clone()));
    Operation *root = rootOf(*copy, run.symbol);
    MLIRContext *context = copy->getContext();
    ScopedDiagnosticHandler silent(context, [](mlir::Diagnostic &) { return success(); });
    RewriteLimit rewrites(context, limit);
    PassManager pm(context, root->getName().getStringRef());
    std::string error;
    llvm::raw_string_ostream stream(error);
    bool ran = succeeded(parsePassPipeline(run.pass, pm, stream)) && succeeded(pm.run(root));
    context->registerActionHandler(nullptr); // the program is run without a limit
    lastIsWrong = ran && isWrong(*copy);
    return rewrites.last;
  }

  PassRun &run;
  const std::function<bool(ModuleOp)> &isWrong;
  bool lastIsWrong = false;
};

} // namespace

std::string Rewrite::text() const {
  if (index == 0)
    return whyNot;
  return fmt::format("application {} of {} of patterns: {} on {} at {}", index, attempts,
                     pattern.empty() ? "an unnamed pattern" : pattern, op, where);
}

PassRun PassRun::of(Pass &pass, Operation *op) {
  PassRun run;
  Operation *top = op;
  while (Operation *parent = top->getParentOp())
    top = parent;
  auto module = cast<ModuleOp>(top);
  run.before = OwningOpRef<ModuleOp>(cast<ModuleOp>(module->clone()));
  if (op != top)
    run.symbol = SymbolTable::getSymbolName(op).str();
  llvm::raw_string_ostream stream(run.pass);
  pass.printAsTextualPipeline(stream);
  return run;
}

Rewrite findFirstRewrite(PassRun &run, const std::function<bool(ModuleOp)> &isWrong) {
  static std::once_flag isRegistered;
  std::call_once(isRegistered, registerAllPasses);
  return RewriteSearch(run, isWrong).find();
}

} // namespace proa::numerics
