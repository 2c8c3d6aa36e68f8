// Tensors to memory: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"

namespace proa {
#define GEN_PASS_DEF_BUFFERIZEKERNELS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Common subexpression elimination may have merged the destinations of several operations. Each gets its own
/// back, because a shared one costs a copy.
void unshareDestinations(Operation *root) {
  SmallVector<Operation *> shared;
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isa<tensor::EmptyOp, linalg::FillOp>(op))
      shared.push_back(op);
  });
  for (Operation *op : shared) {
    bool first = true;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      if (!first) {
        OpBuilder builder(use.getOwner());
        use.set(builder.clone(*op)->getResult(0));
      }
      first = false;
    }
  }
}

/// MLIR takes a collapsed dim of 0 and a dynamic dim to be 0 in memory, where its verifier expects a dynamic
/// one. A cast makes the 0 dynamic.
void makeEmptyDimsDynamic(tensor::CollapseShapeOp op) {
  RankedTensorType type = op.getSrcType();
  SmallVector<int64_t> shape(type.getShape());
  for (ArrayRef<int64_t> group : op.getReassociationIndices())
    if (llvm::any_of(group, [&](int64_t dim) { return type.isDynamicDim(dim); }))
      for (int64_t dim : group)
        if (shape[dim] == 0)
          shape[dim] = ShapedType::kDynamic;
  if (ArrayRef(shape) == type.getShape())
    return;
  OpBuilder builder(op);
  op.getSrcMutable().assign(
      tensor::CastOp::create(builder, op.getLoc(), type.clone(shape), op.getSrc()).getResult());
}

/// A copy as a loop: memref.copy of a strided memref would become a call of a slow runtime function.
LogicalResult copyWithLoops(OpBuilder &builder, Location loc, Value from, Value to) {
  linalg::makeMemRefCopyOp(builder, loc, from, to);
  return success();
}

struct BufferizeKernels : proa::impl::BufferizeKernelsBase<BufferizeKernels> {
  using BufferizeKernelsBase::BufferizeKernelsBase;

  /// Whether another pass lowers the function as a whole, from tensors.
  static bool isOpaqueKernel(func::FuncOp function) {
    return proa::DeviceKernelAttr::isOn(function, proa::DeviceKernel::Op);
  }

  /// Reports ops on tensors that have no form on memory. Bufferization leaves unused ones unchanged, but
  /// rewrites the ops in their regions.
  static LogicalResult verifyIsLowered(ModuleOp module,
                                       const bufferization::OneShotBufferizationOptions &options) {
    bool isLowered = true;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op); function && isOpaqueKernel(function))
        return WalkResult::skip();
      bool hasTensors = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>) ||
                        llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
      if (!hasTensors || isa_and_present<func::FuncDialect>(op->getDialect()) ||
          options.dynCastBufferizableOp(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' has no form on memory, expected ops that are lowered to linalg";
      isLowered = false;
      return WalkResult::advance();
    });
    return success(isLowered);
  }

  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.memCpyFn = copyWithLoops;
    options.opFilter.denyOperation([](Operation *op) {
      auto function = op->getParentOfType<func::FuncOp>();
      return function && isOpaqueKernel(function);
    });
    if (failed(verifyIsLowered(getOperation(), options)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (isOpaqueKernel(function))
        continue;
      unshareDestinations(function);
      function.walk(makeEmptyDimsDynamic);
      if (failed(bufferization::eliminateEmptyTensors(rewriter, function)))
        return signalPassFailure();
    }
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotBufferize(getOperation(), options, state)))
      signalPassFailure();
  }
};

} // namespace
