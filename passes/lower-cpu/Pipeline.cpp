// The pipeline from kernels on tensors to code for a CPU.
#include "passes/lower-cpu/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa {

static void addLoopPasses(OpPassManager &passes) {
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createPlaceScratch());
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createCanonicalizeKernels());
  functions.addPass(createCSEPass());
  functions.addPass(createSplitShortLoops());
  functions.addPass(createConvertComplexToStandardPass());
  functions.addPass(createExpandMath());
  functions.addPass(createCSEPass());
}

void buildLowerKernelsPipeline(OpPassManager &passes, const LowerKernelsOptions &options) {
  addTensorPasses(passes);
  ChooseRowsOptions rows;
  rows.transposedElements = transposedBlock;
  addRowPasses(passes, rows);
  addBufferPasses(passes);
  passes.addNestedPass<func::FuncOp>(createBlockSums());
  passes.addNestedPass<func::FuncOp>(createTransposeBlocks());
  addScratchPasses(passes);
  addLoopPasses(passes);
  passes.addPass(createConvertVectorToLLVMPass());
  addLLVMPasses(passes, options);
  passes.addPass(createWrapKernels());
}

} // namespace proa
