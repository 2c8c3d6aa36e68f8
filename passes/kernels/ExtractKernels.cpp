// A module of kernels only: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/Passes.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/remarks/Remarks.h"

#include "mlir/IR/SymbolTable.h"

namespace proa {
#define GEN_PASS_DEF_EXTRACTKERNELS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct ExtractKernels : proa::impl::ExtractKernelsBase<ExtractKernels> {
  using ExtractKernelsBase::ExtractKernelsBase;

  /// Reports symbols that a kernel refers to: they would be removed.
  static LogicalResult verifyIsAlone(func::FuncOp kernel) {
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(kernel);
    bool isAlone = uses.has_value();
    for (SymbolTable::SymbolUse use : uses ? *uses : SymbolTable::UseRange({})) {
      isAlone = false;
      use.getUser()->emitError() << "kernel '" << kernel.getName() << "' refers to " << use.getSymbolRef()
                                 << ", expected no symbols (--inline)";
    }
    return success(isAlone);
  }

  void runOnOperation() override {
    bool isCorrect = true;
    SmallVector<func::FuncOp> kernels = proa::kernelsOf(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (proa::DeviceKernelAttr::isOn(function))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      isCorrect &= succeeded(verifyIsAlone(kernel));
    if (!isCorrect)
      return signalPassFailure();
    if (kernels.empty())
      getOperation().emitWarning() << "no function has the attribute '" << proa::kernelAttribute
                                   << "' (--pd-form-kernels sets it): the result is empty";
    size_t removed = 0;
    llvm::SmallPtrSet<Operation *, 16> kept(kernels.begin(), kernels.end());
    for (func::FuncOp kernel : kernels) // a kernel of threads has its function of shapes already
      if (proa::DeviceKernelAttr::isOn(kernel, proa::DeviceKernel::Threads))
        if (func::FuncOp shape = proa::shapeFunctionOf(kernel))
          kept.insert(shape);
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody())) {
      if (kept.contains(&op))
        continue;
      op.dropAllUses();
      op.erase();
      ++removed;
    }
    proa::PassRemarks(getArgumentName()).analysis(getOperation())
        << "kept " << std::to_string(kernels.size()) << " kernels and removed " << std::to_string(removed)
        << " other ops";
  }
};

} // namespace
