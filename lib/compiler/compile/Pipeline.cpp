//! The order of the passes from imported pd to kernel calls.
#include "lib/compiler/compile/Compile.h"

#include "lib/compiler/compile/Backend.h"
#include "lib/compiler/compile/UserPasses.h"

#include "passes/autodiff/Passes.h"
#include "passes/decompose/Passes.h"
#include "passes/device/Passes.h"
#include "passes/fuse/Passes.h"
#include "passes/layout/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/offload/Passes.h"
#include "passes/patterns/Passes.h"
#include "passes/spmd/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa {
namespace {

void addCleanup(OpPassManager &pm) {
  pm.addPass(createRefineShapes());
  pm.addNestedPass<func::FuncOp>(createCanonicalizeProgram());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
}

std::unique_ptr<Pass> ampOf(const AmpOptions &amp) {
  MixPrecisionOptions options;
  options.function = "main";
  options.level = amp.level;
  options.dtype = amp.dtype;
  options.allow.assign(amp.allow.begin(), amp.allow.end());
  options.deny.assign(amp.deny.begin(), amp.deny.end());
  options.grey.assign(amp.grey.begin(), amp.grey.end());
  return createMixPrecision(options);
}

/// Attention becomes one op before fusion takes its products.
void addAttentionPasses(OpPassManager &pm, bool isGpu) {
  DecomposeOptions fused;
  fused.only = {"pd.flash_attn"};
  pm.addPass(createDecompose(fused));
  FormAttentionOptions attention;
  attention.target = isGpu ? AttentionTarget::Gpu : AttentionTarget::Cpu;
  pm.addNestedPass<func::FuncOp>(createFormAttention(attention));
  addCleanup(pm);
}

} // namespace

void addGpuPassesBeforeKernels(OpPassManager &pm, const PipelineOptions &options) {
  pm.addNestedPass<func::FuncOp>(createExpandForDevice({options.allowsAtomicSums}));
  addCleanup(pm);
}

void buildProgramPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // Feeds may have been given their dims: branches that never run for them are invalid until then.
  pm.addPass(createRefineShapes());
  pm.addPass(createLowerFor());
  DecomposeOptions checkpoints;
  checkpoints.only = {"pd.checkpoint"};
  pm.addPass(createDecompose(checkpoints));
  addCleanup(pm);
  if (!options.passes.empty()) {
    addUserPasses(pm, options.passes);
    addCleanup(pm);
  }
  if (!options.patterns.empty()) {
    pm.addPass(createApplyPatterns({llvm::to_vector(options.patterns)}));
    addCleanup(pm);
  }
  if (options.amp)
    pm.addPass(ampOf(*options.amp));
  // Gradients are decomposed before fusion.
  DecomposeOptions gradients;
  gradients.only = {"pd.vjp"};
  pm.addPass(createDecompose(gradients));
  addCleanup(pm);
}

void buildKernelPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // From here on ops may be folded on one rank only; calls of the runtime keep the collectives of all ranks
  // equal.
  pm.addPass(createLowerCollectives());
  if (options.decompose) {
    pm.addPass(createDecompose());
    addCleanup(pm);
  }
  pm.addNestedPass<func::FuncOp>(createFoldBatchNorm());
  std::unique_ptr<Backend> backend = Backend::create(options.target);
  bool usesBlas = backend->usesMatrixLibrary(options);
  if (!backend->isGpu()) {
    pm.addNestedPass<func::FuncOp>(createFormBlockMatmuls());
    pm.addNestedPass<func::FuncOp>(createFormIntegerProducts());
  }
  // After the forms of integers, which read filters as they are stored.
  pm.addNestedPass<func::FuncOp>(createMergeBranches());
  // Remaining normalizations must be elementwise before layouts can propagate through them.
  DecomposeOptions normalization;
  normalization.only = {"pd.batch_norm"};
  pm.addPass(createDecompose(normalization));
  pm.addNestedPass<func::FuncOp>(createDropTaps());
  pm.addNestedPass<func::FuncOp>(createScaleChannels());
  // cuDNN takes filters in the order of the images; the program's filters have the channels first.
  if (!usesBlas)
    pm.addNestedPass<func::FuncOp>(createChannelsLast());
  addCleanup(pm);
  KernelTarget target = usesBlas           ? KernelTarget::GpuWithBlas
                        : backend->isGpu() ? KernelTarget::Gpu
                                           : KernelTarget::Cpu;
  addAttentionPasses(pm, backend->isGpu());
  // After attention has been formed of what is repeated for grouped heads.
  pm.addNestedPass<func::FuncOp>(createFoldRepeats());
  FuseEpiloguesOptions epilogues;
  epilogues.target = target;
  pm.addNestedPass<func::FuncOp>(createFuseEpilogues(epilogues));
  if (!backend->isGpu())
    pm.addNestedPass<func::FuncOp>(createReadChannelsFirst());
  DecomposeOptions withoutKernels;
  withoutKernels.target = backend->isGpu() ? DeviceKind::Gpu : DeviceKind::Cpu;
  pm.addPass(createDecompose(withoutKernels));
  pm.addPass(createWidenLibraryOps());
  addCleanup(pm);
  if (options.memoryBudget) {
    RematerializeOptions recompute;
    recompute.function = "main";
    recompute.memoryBudget = *options.memoryBudget;
    pm.addPass(createRematerialize(recompute));
  }
  backend->addPassesBeforeKernels(pm, options);
  FormKernelsOptions kernels;
  kernels.opLocations = options.opLocations;
  kernels.target = target;
  pm.addPass(createFormKernels(kernels));
  if (options.offload) {
    OffloadStatesOptions states;
    states.optimizer = options.offload->optimizer;
    states.parameters = options.offload->parameters;
    states.minBytes = options.offload->leastBytes;
    pm.addPass(createOffloadStates(states));
  }
}

void buildCompilePipeline(OpPassManager &pm, const PipelineOptions &options) {
  buildProgramPipeline(pm, options);
  buildKernelPipeline(pm, options);
}

} // namespace proa
