#include "tools/proa-translate/Flops.h"

#include "dialects/pd/ir/Arithmetic.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "passes/decompose/Passes.h"
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa::tools {

std::optional<int64_t> bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  Type element = tensor.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  unsigned bits =
      complex ? 2 * complex.getElementType().getIntOrFloatBitWidth() : element.getIntOrFloatBitWidth();
  return tensor.getNumElements() * ((bits + 7) / 8);
}

namespace {

void addCleanup(PassManager &pm) {
  pm.addPass(createRefineShapes());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

/// Decomposes composites into primitives and contractions, except ops with one kernel.
void takeApart(ModuleOp module) {
  PassManager pm(module.getContext());
  addCleanup(pm);
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  addCleanup(pm);
  DecomposeOptions options;
  options.target = DeviceKind::Cpu;
  pm.addPass(createDecompose(options));
  addCleanup(pm);
  // An op that cannot be decomposed is counted as it is.
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  (void)pm.run(module);
}

/// The first output of the program's op, which names the op.
std::string outputOf(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? name.getName().str() : "";
}

/// If a legacy op became several ops with one name, the last one computes its output.
std::map<std::string, int64_t> bytesByName(ModuleOp module) {
  std::map<std::string, int64_t> bytes;
  module.walk([&](func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (auto feed = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::feedAttribute))
        if (std::optional<int64_t> known = bytesOf(argument.getType()))
          bytes[feed.str()] = *known;
  });
  module.walk([&](Operation *op) {
    std::string name = outputOf(op);
    if (name.empty() || op->getNumResults() == 0)
      return;
    if (std::optional<int64_t> known = bytesOf(op->getResult(0).getType()))
      bytes[name] = *known;
    else
      bytes.erase(name);
  });
  return bytes;
}

} // namespace

FlopCount countFlops(ModuleOp module) {
  FlopCount count;
  PassManager refine(module.getContext());
  refine.addPass(createRefineShapes());
  if (succeeded(refine.run(module)))
    count.bytes = bytesByName(module);
  takeApart(module);
  module.walk([&](Operation *op) {
    std::optional<int64_t> flops = pd::operationsOf(op);
    if (!flops) {
      ++count.unknown;
      ++count.unknownByOutput[outputOf(op)];
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
