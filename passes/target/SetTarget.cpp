#include "dialects/proa/Proa.h"
#include "lib/base/target/FactsFile.h"
#include "passes/target/Passes.h"

namespace proa {

#define GEN_PASS_DEF_SETTARGET
#include "passes/target/Passes.h.inc"

namespace {

class SetTargetPass : public impl::SetTargetBase<SetTargetPass> {
public:
  using SetTargetBase::SetTargetBase;

  void runOnOperation() override {
    TargetFacts target = targetOf(getOperation());
    if (!gpu.empty() && !target.gpu)
      target.gpu.emplace();
    if (failed(choose("cpu", cpu, target.cpu)) || (!gpu.empty() && failed(choose("gpu", gpu, *target.gpu))))
      return signalPassFailure();
    if (Result<void> read = facts.empty() ? Result<void>() : applyFactsFile(facts, target); !read) {
      for (const Diagnostic &diagnostic : read.diagnostics())
        getOperation().emitError() << diagnostic.location << ": " << diagnostic.message;
      return signalPassFailure();
    }
    setTarget(getOperation(), target);
  }

private:
  template <class Facts>
  llvm::LogicalResult choose(llvm::StringRef option, llvm::StringRef name, Facts &chosen) {
    if (name.empty() || name == chosen.name)
      return llvm::success();
    const Facts *known = knownFacts<Facts>(name);
    if (!known)
      return getOperation().emitError()
             << option << " is '" << name << "', expected one of " << knownNames<Facts>();
    chosen = *known;
    return llvm::success();
  }
};

} // namespace
} // namespace proa
