#include "lib/compiler/codegen/EmulatedKernels.h"
#include "lib/base/support/Verification.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/emulate-gpu/Passes.h"
#include "passes/lower-gpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace proa {

FailureOr<OwningOpRef<ModuleOp>> takeEmulatedKernels(ModuleOp module, const EmulationOptions &emulation) {
  OwningOpRef<ModuleOp> emulated = module.clone();
  PassManager passes(module.getContext());
  passes.enableVerifier(verifiesPasses());
  LowerGpuKernelsOptions options;
  options.chip = emulation.chip;
  options.contraction = emulation.contraction;
  options.attention = emulation.attention;
  options.expandBFloat16 = emulation.expandBFloat16;
  options.expandFloat16 = emulation.expandFloat16;
  buildLowerGpuKernelsPipeline(passes, options);
  passes.addPass(createEmulateGpu());
  if (failed(passes.run(*emulated)))
    return failure();
  auto isTaken = [&](func::FuncOp function) {
    bool isKernel = function->hasAttr(kernelAttribute) || DeviceKernelAttr::isOn(function);
    return isKernel && emulated->lookupSymbol(function.getName());
  };
  for (func::FuncOp kernel : llvm::filter_to_vector(module.getOps<func::FuncOp>(), isTaken)) {
    // Shapes of kernels that are lowered already.
    if (Operation *shapes = module.lookupSymbol((kernel.getName() + "_shape").str()))
      shapes->erase();
    kernel.erase();
  }
  return emulated;
}

void mergeModules(ModuleOp into, ModuleOp from) {
  SymbolTable symbols(into);
  for (Operation &op : llvm::make_early_inc_range(*from.getBody())) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (function && function.isExternal() && symbols.lookup(function.getName()))
      continue;
    op.moveBefore(into.getBody(), into.getBody()->end());
  }
}

} // namespace proa
