#include "tools/proa-translate/Flops.h"

#include "dialects/pd/Arithmetic.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa::tools {
namespace {

/// Composites become primitives and contractions; what a kernel of the runtime does as a whole stays.
void takeApart(ModuleOp module) {
  PassManager pm(module.getContext());
  auto addCleanup = [&] {
    pm.addNestedPass<func::FuncOp>(createRefineShapes());
    pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  };
  addCleanup();
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  addCleanup();
  DecomposeOptions options;
  options.target = "cpu";
  pm.addPass(createDecompose(options));
  addCleanup();
  // An op that can't be taken apart is counted as it is.
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  (void)pm.run(module);
}

std::string outputOf(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().str() : "";
}

} // namespace

FlopCount countFlops(ModuleOp module) {
  takeApart(module);
  FlopCount count;
  module.walk([&](Operation *op) {
    std::optional<int64_t> flops = pd::operationsOf(op);
    if (!flops) {
      ++count.unknown;
      return;
    }
    if (*flops == 0)
      return;
    count.byOutput[outputOf(op)] += *flops;
    count.total += *flops;
  });
  return count;
}

} // namespace proa::tools
