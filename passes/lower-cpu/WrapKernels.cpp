// Entry points with the interface of the runtime: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernel-entry/KernelEntry.h"
#include "passes/lower-cpu/Passes.h"

namespace proa {
#define GEN_PASS_DEF_WRAPKERNELS
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct WrapKernels : proa::impl::WrapKernelsBase<WrapKernels> {
  using WrapKernelsBase::WrapKernelsBase;

  /// Kernels of a GPU get other parameters.
  static LogicalResult verifyForCpu(ArrayRef<LLVM::LLVMFuncOp> kernels) {
    bool isCorrect = true;
    for (LLVM::LLVMFuncOp kernel : kernels)
      if (LLVM::LLVMFuncOp own = kernel; own->hasAttr(proa::launchAttribute)) {
        own.emitError() << "'" << own.getName() << "' is a kernel for a GPU, expected kernels for the CPU";
        isCorrect = false;
      }
    return success(isCorrect);
  }

  void wrapKernel(LLVM::LLVMFuncOp inner) {
    OpBuilder builder(&getContext());
    Location loc = inner.getLoc();
    std::string name = inner.getName().str();
    proa::hideFunction(inner, proa::rowsSuffix);
    // Inlining would turn `noalias` of the arguments into something weaker.
    inner.setNoInline(true);
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = builder.getI64Type();
    LLVM::LLVMFuncOp entry = proa::createEntry(builder, inner, name, {pointer, pointer, i64, i64});
    proa::moveKernelAttributes(inner, entry);
    SmallVector<Value> arguments =
        proa::loadKernelArguments(builder, loc, TypeRange(inner.getFunctionType().getParams()).drop_back(2),
                                  entry.getArgument(0), entry.getArgument(1));
    arguments.push_back(entry.getArgument(2));
    arguments.push_back(entry.getArgument(3));
    LLVM::CallOp::create(builder, loc, inner, arguments);
    LLVM::ReturnOp::create(builder, loc, ValueRange{});
  }

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(proa::kernelAttribute) && !function.isExternal())
        kernels.push_back(function);
    // The output of this pass holds kernels too.
    if (failed(proa::verifyNotWrapped(kernels)) || failed(verifyForCpu(kernels)))
      return signalPassFailure();
    for (LLVM::LLVMFuncOp kernel : kernels) {
      if (auto shape = getOperation().lookupSymbol<LLVM::LLVMFuncOp>((kernel.getName() + "_shape").str()))
        proa::wrapShapeFunction(shape);
      wrapKernel(kernel);
    }
  }
};

} // namespace
