// The passes that the pipelines of CPUs and GPUs share, in order.
#include "passes/kernels/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace proa {

void addTensorPasses(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createCheckDims());
  passes.addPass(createStoreAsBytes());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createLinalgFoldUnitExtentDimsPass());
  functions.addPass(createWidenHalfPrecision());
  functions.addPass(createFuseElementwise());
  functions.addPass(createWidenHalfPrecision());
  functions.addPass(createCollapseLoops());
  functions.addPass(createCanonicalizeKernels());
  functions.addPass(createMarkFastMath());
}

void addRowPasses(OpPassManager &passes, const ChooseRowsOptions &rows) {
  passes.addNestedPass<func::FuncOp>(createChooseRows(rows));
  passes.addPass(createOutlineShapes());
}

void addBufferPasses(OpPassManager &passes) {
  passes.addPass(createTileRows());
  OpPassManager &tiling = passes.nest<func::FuncOp>();
  tiling.addPass(createCanonicalizeKernels());
  tiling.addPass(createCSEPass());
  passes.addPass(createBufferizeKernels());
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createCSEPass());
  functions.addPass(createCanonicalizeKernels());
}

void addScratchPasses(OpPassManager &passes) {
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createBoundScratch());
  functions.addPass(bufferization::createBufferHoistingPass());
  functions.addPass(bufferization::createBufferLoopHoistingPass());
}

void addLLVMPasses(OpPassManager &passes, const LowerKernelsOptions &options) {
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createCanonicalizeKernels());
  functions.addPass(createExpandArith()); // which looks at loops
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(createExpandHalfConversions({options.expandBFloat16, options.expandFloat16}));
  functions.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertMathToLibmPass());
  passes.addPass(createCallRemainders());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.useAlignedAlloc = true;
  passes.addPass(createConvertComplexToLLVMPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions calls;
  calls.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(calls));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}

} // namespace proa
