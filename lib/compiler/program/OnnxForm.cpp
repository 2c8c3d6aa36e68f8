#include "lib/compiler/program/OnnxForm.h"

#include "passes/fuse/Passes.h"
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

namespace proa {

/// The first opset with the op Attention.
static constexpr int64_t leastOpsetOfAttention = 23;

mlir::LogicalResult formForOnnx(mlir::ModuleOp module, int64_t opset) {
  mlir::PassManager passes(module.getContext());
  passes.addNestedPass<mlir::func::FuncOp>(createCanonicalizeProgram());
  passes.addNestedPass<mlir::func::FuncOp>(createFormComposites());
  if (opset >= leastOpsetOfAttention)
    passes.addNestedPass<mlir::func::FuncOp>(createFormAttention({AttentionTarget::Onnx}));
  return passes.run(module);
}

} // namespace proa
