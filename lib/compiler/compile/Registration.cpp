#include "lib/compiler/compile/Registration.h"

#include "dialects/dist/Dist.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/compiler/compile/Compile.h"
#include "lib/compiler/compile/UserPasses.h"
#include "passes/autodiff/BatchSharded.h"
#include "passes/autodiff/Passes.h"
#include "passes/decompose/Passes.h"
#include "passes/device/Passes.h"
#include "passes/emulate-gpu/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/layout/Passes.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-linalg/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/offload/Passes.h"
#include "passes/patterns/Passes.h"
#include "passes/pipeline/Passes.h"
#include "passes/spmd/Passes.h"
#include "passes/target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

namespace proa {

void registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<ProaDialect, dist::DistDialect, pd::PdDialect, rt::RtDialect>();
  autodiff::registerDistBatching(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  cuda::registerDeviceDialects(registry);
  registerPluginDialects(registry);
}

void registerProaPasses() {
  registerProaNormalizePasses();
  registerProaDecomposePasses();
  registerProaDevicePasses();
  registerProaAutodiffPasses();
  registerProaFusePasses();
  registerProaLayoutPasses();
  registerProaOffloadPasses();
  registerProaPatternsPasses();
  registerProaTargetPasses();
  registerProaPipelinePasses();
  registerProaSpmdPasses();
  registerProaLowerLinalgPasses();
  registerKernelsPasses();
  registerLowerCpuPasses();
  registerLowerGpuPasses();
  registerEmulateGpuPasses();
  mlir::PassPipelineRegistration<LowerKernelsOptions>(
      lowerKernelsPipelineName,
      "Kernels, on pd ops or on linalg, to the LLVM dialect; removes all other functions",
      [](mlir::OpPassManager &pm, const LowerKernelsOptions &options) {
        pm.addPass(createExtractKernels());
        pm.addPass(createLowerToLinalg());
        buildLowerKernelsPipeline(pm, options);
      });
  mlir::PassPipelineRegistration<LowerGpuKernelsOptions>(
      lowerGpuKernelsPipelineName,
      "Kernels, on pd ops or on linalg, to the LLVM dialect with ops of NVVM; removes all other functions",
      [](mlir::OpPassManager &pm, const LowerGpuKernelsOptions &options) {
        pm.addPass(createExtractKernels());
        pm.addPass(createLowerToLinalg());
        buildLowerGpuKernelsPipeline(pm, options);
      });
  mlir::PassPipelineRegistration<>(cpuPipelineName, "Imported pd to library ops and kernel calls",
                                   [](mlir::OpPassManager &pm) { buildCompilePipeline(pm); });
}

void registerAllPasses() {
  mlir::registerAllPasses();
  registerProaPasses();
}

} // namespace proa
