// Boolean tensors become bytes: see Passes.td.
#include "passes/lower-cpu/KernelForm.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <atomic>

namespace proa {
#define GEN_PASS_DEF_STOREBOOLSASBYTES
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

bool isBoolTensor(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped && shaped.getElementType().isInteger(1);
}

Type byteTensor(Type type) { return cast<ShapedType>(type).clone(IntegerType::get(type.getContext(), 8)); }

Value toBool(OpBuilder &builder, Location loc, Value byte) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte, zero);
}

Value toByte(OpBuilder &builder, Location loc, Value boolean) {
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), boolean);
}

struct StoreBoolsAsBytes : proa::impl::StoreBoolsAsBytesBase<StoreBoolsAsBytes> {
  using StoreBoolsAsBytesBase::StoreBoolsAsBytesBase;
  StoreBoolsAsBytes() = default;
  StoreBoolsAsBytes(const StoreBoolsAsBytes &other) : StoreBoolsAsBytesBase(other) {}

  std::atomic<size_t> tensorCount = 0; ///< kernels are converted in several threads

  /// Scalars that an operation stores into a boolean tensor are extended first.
  void extendStored(Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get().getType().isInteger(1))
        operand.set(toByte(builder, op->getLoc(), operand.get()));
  }

  /// The block arguments and yielded values of a linalg operation are bytes if its operands are.
  void convertBody(linalg::LinalgOp op) {
    Block *body = op.getBlock();
    auto builder = OpBuilder::atBlockBegin(body);
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (!argument.getType().isInteger(1) || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      argument.setType(builder.getI8Type());
      if (argument.use_empty())
        continue;
      Value boolean = toBool(builder, op.getLoc(), argument);
      argument.replaceAllUsesExcept(boolean, boolean.getDefiningOp());
    }
    extendStored(body->getTerminator());
  }

  void convert(Operation *op) {
    bool storesBools = llvm::any_of(op->getResultTypes(), isBoolTensor);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      // A fill's region is built for its element type, so it is rebuilt.
      if (auto fill = dyn_cast<linalg::FillOp>(op)) {
        if (storesBools) {
          OpBuilder builder(op);
          Value byte = toByte(builder, op->getLoc(), fill.getInputs()[0]);
          auto bytes = linalg::FillOp::create(builder, op->getLoc(), byte, fill.getOutputs()[0]);
          fill.getResult(0).replaceAllUsesWith(bytes.getResult(0));
          fill.erase();
          ++tensorCount;
        }
        return;
      }
      convertBody(linalgOp);
    } else if (storesBools && !isa<arith::ConstantOp>(op)) {
      extendStored(op);
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && storesBools) {
      auto values = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(values.mapValues(IntegerType::get(op->getContext(), 8),
                                             [](const APInt &value) { return value.zext(8); }));
    }
    for (Value result : op->getResults())
      if (isBoolTensor(result.getType())) {
        result.setType(byteTensor(result.getType()));
        ++tensorCount;
      }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op); extract && extract.getType().isInteger(1)) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      extract.getResult().setType(builder.getI8Type());
      Value boolean = toBool(builder, op->getLoc(), extract.getResult());
      extract.getResult().replaceAllUsesExcept(boolean, boolean.getDefiningOp());
    }
  }

  /// Ops whose elements this pass knows how to convert.
  static LogicalResult verifyIsKnown(Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), isBoolTensor) &&
        llvm::none_of(op->getResultTypes(), isBoolTensor))
      return success();
    if (isa<linalg::LinalgOp, arith::ConstantOp, func::ReturnOp>(op) ||
        (isa<tensor::TensorDialect>(op->getDialect()) && !isa<tensor::BitcastOp>(op)))
      return success();
    return op->emitError() << "'" << op->getName()
                           << "' has tensors of i1, which are bytes in a kernel, expected a "
                           << "linalg or tensor op or a constant";
  }

  /// Named linalg ops do not print their bodies, which must hold the conversions.
  static LogicalResult generalize(func::FuncOp kernel) {
    SmallVector<linalg::LinalgOp> named;
    for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
      if (!isa<linalg::GenericOp, linalg::FillOp>(op) && (llvm::any_of(op->getOperandTypes(), isBoolTensor) ||
                                                          llvm::any_of(op->getResultTypes(), isBoolTensor)))
        named.push_back(op);
    IRRewriter rewriter(kernel.getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return op.emitError("cannot be written as a linalg.generic, which its tensors of i1 need");
    }
    return success();
  }

  LogicalResult convertKernel(func::FuncOp kernel) {
    bool isCorrect = true;
    for (Operation &op : kernel.getBody().front())
      isCorrect &= succeeded(verifyIsKnown(&op));
    if (!isCorrect || failed(generalize(kernel)))
      return failure();
    for (BlockArgument argument : kernel.getArguments())
      if (isBoolTensor(argument.getType())) {
        argument.setType(byteTensor(argument.getType()));
        ++tensorCount;
      }
    SmallVector<Operation *> operations;
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      operations.push_back(op);
      // A fill is replaced with its body.
      return isa<linalg::FillOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : operations)
      convert(op);
    SmallVector<Type> results(kernel.getBody().front().getTerminator()->getOperandTypes());
    kernel.setType(FunctionType::get(&getContext(), kernel.getBody().getArgumentTypes(), results));
    return success();
  }

  /// Whether the signature changes.
  static bool hasBoolTensors(func::FuncOp kernel) {
    return llvm::any_of(kernel.getArgumentTypes(), isBoolTensor) ||
           llvm::any_of(kernel.getResultTypes(), isBoolTensor);
  }

  void runOnOperation() override {
    auto convert = [&](func::FuncOp kernel) { return convertKernel(kernel); };
    tensorCount = 0;
    if (failed(proa::changeKernels(getOperation(), hasBoolTensors, convert)))
      return signalPassFailure();
    proa::PassRemarks(getArgumentName()).analysis(getOperation())
        << "stores " << std::to_string(tensorCount) << " boolean tensors as bytes";
  }
};

} // namespace
