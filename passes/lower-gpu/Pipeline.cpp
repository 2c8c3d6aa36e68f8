// The way from kernels on tensors to a device module, pass by pass.
#include "passes/lower-gpu/Passes.h"

#include "passes/kernels/Passes.h"
#include "passes/target/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa {

/// Loops over memory to threads.
static void addThreadPasses(OpPassManager &passes, const LowerGpuKernelsOptions &options) {
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createPlaceBarriers());
  functions.addPass(createMapToThreads());
  functions.addPass(createCanonicalizeKernels()); // removes the buffers of sums with an epilogue
  passes.addPass(createLowerAttention());
  passes.addPass(createPlaceShared({options.sharedBytes}));
  OpPassManager &bodies = passes.nest<func::FuncOp>();
  bodies.addPass(createCanonicalizeKernels());
  bodies.addPass(createCSEPass());
  bodies.addPass(createConvertComplexToStandardPass());
  bodies.addPass(createExpandMath({/*hasExp2=*/true}));
  bodies.addPass(createCSEPass());
  passes.addPass(createOutlineDevice());
}

/// The content of gpu.module to NVVM.
static void addDevicePasses(OpPassManager &passes, const LowerGpuKernelsOptions &options) {
  OpPassManager &device = passes.nest<gpu::GPUModuleOp>();
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(affine::createAffineExpandIndexOpsPass());
  device.addPass(createLowerAffinePass());
  device.addPass(createCanonicalizeKernels());
  device.addPass(createCSEPass());
  OpPassManager &kernels = device.nest<func::FuncOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createExpandHalfConversions({options.expandBFloat16, options.expandFloat16}));
  device.addPass(createConvertComplexToLLVMPass());
  device.addPass(createConvertDeviceMath());
  device.addPass(createConvertNVGPUToNVVMPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  nvvm.indexBitwidth = 64;
  nvvm.useBarePtrCallConv = true;
  // Without nvvm, whose patterns write ops with a PTX builder as assembly: the emulator matches the ops.
  nvvm.allowedDialects = {"arith", "cf", "complex", "func", "index", "math", "memref", "ub", "vector"};
  device.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  device.addPass(createReconcileUnrealizedCastsPass());
}

void buildChooseStrategiesPipeline(OpPassManager &passes, const LowerGpuKernelsOptions &options) {
  SetTargetOptions target;
  target.gpu = options.chip;
  passes.addPass(createSetTarget(target));
  ChooseAttentionOptions attention;
  attention.strategy = options.attention;
  passes.addNestedPass<func::FuncOp>(createChooseAttention(attention));
  addTensorPasses(passes);
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createFormOnlineSums());
  functions.addPass(createFuseElementwise()); // exponentials into the ops that read them
  functions.addPass(createCanonicalizeKernels());
  ChooseContractionOptions contractions;
  contractions.maxThreads = options.maxThreads;
  contractions.strategy = options.contraction;
  passes.addNestedPass<func::FuncOp>(createChooseContraction(contractions));
}

void buildChooseLoopsPipeline(OpPassManager &passes, const LowerGpuKernelsOptions &options) {
  ChooseRowsOptions rows;
  rows.innerElements = 4 * options.maxThreads;
  rows.rowElements = 2 * options.maxThreads;
  // A warp reads 16 bytes with each thread: two rows of 128 columns of f16, or one of f32.
  rows.leastInnerElements = 128;
  rows.innerMultiple = 8;
  rows.squareTransposes = 64;
  addRowPasses(passes, rows);
  addBufferPasses(passes);
  addScratchPasses(passes);
  passes.addPass(createLowerGrouped());
  passes.addNestedPass<func::FuncOp>(createChooseSlices());
  passes.addPass(createSplitReductions());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createCanonicalizeKernels());
  functions.addPass(createCSEPass());
  functions.addPass(createStageTransposes());
  ChooseLaunchOptions launch;
  launch.maxThreads = options.maxThreads;
  functions.addPass(createChooseLaunch(launch));
}

void buildLowerGpuKernelsPipeline(OpPassManager &passes, const LowerGpuKernelsOptions &options) {
  buildChooseStrategiesPipeline(passes, options);
  buildChooseLoopsPipeline(passes, options);
  addThreadPasses(passes, options);
  addDevicePasses(passes, options);
  LowerKernelsOptions shapes;
  addLLVMPasses(passes, shapes);
  passes.addPass(createInlineDevice());
}

} // namespace proa
