// Kernels into a gpu.module and out of it: see Passes.td.
#include "dialects/proa/Proa.h"
#include "dialects/rt/Wgmma.h"
#include "lib/base/target/WarpgroupRegisters.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_OUTLINEDEVICE
#define GEN_PASS_DEF_INLINEDEVICE
#include "passes/lower-gpu/Passes.h.inc"

namespace {

struct OutlineDevice : impl::OutlineDeviceBase<OutlineDevice> {
  using OutlineDeviceBase::OutlineDeviceBase;

  /// The kernels of the device.
  static FailureOr<SmallVector<Operation *>> deviceKernels(ModuleOp module) {
    SmallVector<Operation *> kernels;
    SmallVector<func::FuncOp> all;
    llvm::copy_if(module.getOps<func::FuncOp>(), std::back_inserter(all),
                  [](func::FuncOp function) { return function->hasAttr(kernelAttribute); });
    bool isCorrect = succeeded(verifyNotReferenced(all, module));
    for (func::FuncOp function : all) {
      if (function.isDeclaration() || !hasLaunch(function))
        continue;
      isCorrect &= succeeded(threadsOf(function));
      kernels.push_back(function);
    }
    if (!isCorrect)
      return failure();
    return kernels;
  }

  /// The shared memory of `kernels`.
  static SmallVector<Operation *> sharedMemory(ModuleOp module, ArrayRef<Operation *> kernels) {
    SmallVector<Operation *> globals;
    for (Operation *kernel : kernels)
      kernel->walk([&](memref::GetGlobalOp use) {
        Operation *global = module.lookupSymbol(use.getName());
        if (global && !llvm::is_contained(globals, global))
          globals.push_back(global);
      });
    return globals;
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<SmallVector<Operation *>> kernels = deviceKernels(module);
    if (failed(kernels))
      return signalPassFailure();
    SmallVector<Operation *> moved = sharedMemory(module, *kernels), erased;
    llvm::append_range(moved, *kernels);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function->hasAttr(kernelAttribute) || llvm::is_contained(*kernels, function))
        continue;
      erased.push_back(function);
      if (func::FuncOp shape = shapeFunctionOf(function))
        erased.push_back(shape);
    }
    OpBuilder builder(&getContext());
    auto device = gpu::GPUModuleOp::create(builder, module.getLoc(), "device");
    SymbolTable(module).insert(device);
    for (Operation *op : moved)
      op->moveBefore(device.getBody(), device.getBody()->end());
    for (Operation *op : erased)
      op->erase();
  }
};

/// Alignment of every buffer that a kernel gets (runtime::addressAlignment).
constexpr int64_t bufferAlignment = 64;

struct InlineDevice : impl::InlineDeviceBase<InlineDevice> {
  using InlineDeviceBase::InlineDeviceBase;

  /// The tensor memory accelerator reads a tensor map where the launch has put the parameters.
  static void passByValue(LLVM::LLVMFuncOp kernel, unsigned parameter) {
    Builder builder(kernel.getContext());
    Type map = LLVM::LLVMArrayType::get(builder.getI8Type(), tensorMapBytes);
    kernel.setArgAttr(parameter, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
    kernel.setArgAttr(parameter, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
    kernel.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(tensorMapAlignment));
  }

  /// The number of blocks that a multiprocessor must be able to hold; 0: the assembler decides.
  static int64_t leastBlocks(LLVM::LLVMFuncOp kernel, int64_t threads) {
    bool setsRegisters = false, multiplies = false;
    kernel.walk([&](Operation *op) {
      setsRegisters |= isa<NVVM::SetMaxRegisterOp>(op);
      multiplies |= isa<NVVM::WgmmaMmaAsyncOp, rt::WgmmaOp>(op);
    });
    // The assembler ignores setmaxnreg (C7508) unless it knows the registers at entry.
    if (setsRegisters)
      return 1;
    // Two blocks with one warpgroup each hide each other's waits. Without a bound the assembler may take the
    // registers of the second one.
    constexpr int64_t blocks = 2;
    const std::optional<GpuFacts> &gpu = targetOf(kernel).gpu;
    bool fits = gpu && threads < blocks * WarpgroupRegisters::threads &&
                LaunchAttr::of(kernel).getSharedBytes().value_or(0) <= gpu->sharedBytesOf(blocks);
    return multiplies && fits ? blocks : 0;
  }

  static void markAsKernel(LLVM::LLVMFuncOp kernel, int64_t threads) {
    Builder builder(kernel.getContext());
    kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    kernel->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads)}));
    if (int64_t blocks = leastBlocks(kernel, threads))
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(static_cast<int32_t>(blocks)));
    kernel.setLinkage(LLVM::Linkage::External);
    kernel.setPublic();
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
      if (kernel.getArgAttr(i, tensorMapAttribute))
        passByValue(kernel, static_cast<unsigned>(i));
      else if (isa<LLVM::LLVMPointerType>(type))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                          builder.getI64IntegerAttr(bufferAlignment));
  }

  /// Static shared memory has a limit. Dynamic shared memory is a variable without a size that another module
  /// defines.
  static void makeSharedDynamic(LLVM::LLVMFuncOp kernel, ModuleOp module) {
    if (!LaunchAttr::of(kernel).getSharedBytes())
      return;
    auto shared = module.lookupSymbol<LLVM::GlobalOp>((kernel.getName() + sharedSuffix).str());
    if (!shared)
      return;
    shared.getInitializerRegion().getBlocks().clear();
    shared.removeValueAttr();
    shared.setLinkage(LLVM::Linkage::External);
    auto type = cast<LLVM::LLVMArrayType>(shared.getGlobalType());
    shared.setGlobalType(LLVM::LLVMArrayType::get(type.getElementType(), 0));
  }

  /// Moves the content of `device` before it. Error: a symbol that the module has already.
  static LogicalResult inlineModule(gpu::GPUModuleOp device, ModuleOp module) {
    for (Operation &op : *device.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op); symbol && module.lookupSymbol(symbol.getName()))
        return op.emitError() << "the module has a symbol '" << symbol.getName() << "' already";
    for (Operation &op : llvm::make_early_inc_range(*device.getBody()))
      op.moveBefore(device);
    device.erase();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto device : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      if (failed(inlineModule(device, module)))
        return signalPassFailure();
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!hasLaunch(kernel))
        continue;
      FailureOr<int64_t> threads = threadsOf(kernel);
      if (failed(threads))
        return signalPassFailure();
      markAsKernel(kernel, *threads);
      makeSharedDynamic(kernel, module);
    }
  }
};

} // namespace
} // namespace proa
