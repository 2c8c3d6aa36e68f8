// Tensors of booleans and of 8-bit floats become bytes: see Passes.td.
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/NarrowFloats.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <atomic>

namespace proa {
#define GEN_PASS_DEF_STOREASBYTES
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

bool isStoredAsByte(Type element) { return element.isInteger(1) || proa::isFloat8(element); }

bool isConvertedTensor(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped && isStoredAsByte(shaped.getElementType());
}

Type byteTensor(Type type) { return cast<ShapedType>(type).clone(IntegerType::get(type.getContext(), 8)); }

Value fromByte(OpBuilder &builder, Location loc, Value byte, Type element) {
  if (!element.isInteger(1))
    return arith::BitcastOp::create(builder, loc, element, byte);
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, byte, zero);
}

Value toByte(OpBuilder &builder, Location loc, Value element) {
  if (!element.getType().isInteger(1))
    return arith::BitcastOp::create(builder, loc, builder.getI8Type(), element);
  return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), element);
}

struct StoreAsBytes : proa::impl::StoreAsBytesBase<StoreAsBytes> {
  using StoreAsBytesBase::StoreAsBytesBase;
  StoreAsBytes() = default;
  StoreAsBytes(const StoreAsBytes &other) : StoreAsBytesBase(other) {}

  std::atomic<size_t> tensorCount = 0; ///< kernels are converted in several threads

  /// Scalars that an operation stores into a converted tensor become bytes first.
  void extendStored(Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isStoredAsByte(operand.get().getType()))
        operand.set(toByte(builder, op->getLoc(), operand.get()));
  }

  /// The block arguments and yielded values of a linalg operation are bytes if its operands are.
  void convertBody(linalg::LinalgOp op) {
    Block *body = op.getBlock();
    auto builder = OpBuilder::atBlockBegin(body);
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      Type element = argument.getType();
      if (!isStoredAsByte(element) || !isa<RankedTensorType>(operand.get().getType()))
        continue;
      argument.setType(builder.getI8Type());
      if (argument.use_empty())
        continue;
      Value read = fromByte(builder, op.getLoc(), argument, element);
      argument.replaceAllUsesExcept(read, read.getDefiningOp());
    }
    extendStored(body->getTerminator());
  }

  void convert(Operation *op) {
    bool storesBytes = llvm::any_of(op->getResultTypes(), isConvertedTensor);
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      // A fill's region is built for its element type, so it is rebuilt.
      if (auto fill = dyn_cast<linalg::FillOp>(op)) {
        if (storesBytes) {
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
    } else if (storesBytes && !isa<arith::ConstantOp>(op)) {
      extendStored(op);
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && storesBytes) {
      auto values = cast<DenseElementsAttr>(constant.getValue());
      Type byte = IntegerType::get(op->getContext(), 8);
      if (values.getElementType().isInteger(1))
        constant.setValueAttr(values.mapValues(byte, [](const APInt &value) { return value.zext(8); }));
      else
        constant.setValueAttr(
            values.mapValues(byte, [](const APFloat &value) { return value.bitcastToAPInt(); }));
    }
    for (Value result : op->getResults())
      if (isConvertedTensor(result.getType())) {
        result.setType(byteTensor(result.getType()));
        ++tensorCount;
      }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op); extract && isStoredAsByte(extract.getType())) {
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      Type element = extract.getType();
      extract.getResult().setType(builder.getI8Type());
      Value read = fromByte(builder, op->getLoc(), extract.getResult(), element);
      extract.getResult().replaceAllUsesExcept(read, read.getDefiningOp());
    }
  }

  /// Ops whose elements this pass knows how to convert.
  static LogicalResult verifyIsKnown(Operation *op) {
    if (llvm::none_of(op->getOperandTypes(), isConvertedTensor) &&
        llvm::none_of(op->getResultTypes(), isConvertedTensor))
      return success();
    if (isa<linalg::LinalgOp, arith::ConstantOp, func::ReturnOp>(op) ||
        (isa<tensor::TensorDialect>(op->getDialect()) && !isa<tensor::BitcastOp>(op)))
      return success();
    return op->emitError() << "'" << op->getName()
                           << "' has tensors of i1 or 8-bit floats, which are bytes in a kernel, expected a "
                           << "linalg or tensor op or a constant";
  }

  /// Named linalg ops do not print their bodies, which must hold the conversions.
  static LogicalResult generalize(func::FuncOp kernel) {
    SmallVector<linalg::LinalgOp> named;
    for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>())
      if (!isa<linalg::GenericOp, linalg::FillOp>(op) &&
          (llvm::any_of(op->getOperandTypes(), isConvertedTensor) ||
           llvm::any_of(op->getResultTypes(), isConvertedTensor)))
        named.push_back(op);
    IRRewriter rewriter(kernel.getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op)))
        return op.emitError("cannot be written as a linalg.generic, which its tensors of bytes need");
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
      if (isConvertedTensor(argument.getType())) {
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
  static bool hasConvertedTensors(func::FuncOp kernel) {
    return llvm::any_of(kernel.getArgumentTypes(), isConvertedTensor) ||
           llvm::any_of(kernel.getResultTypes(), isConvertedTensor);
  }

  void runOnOperation() override {
    auto convert = [&](func::FuncOp kernel) { return convertKernel(kernel); };
    tensorCount = 0;
    if (failed(proa::changeKernels(getOperation(), hasConvertedTensors, convert)))
      return signalPassFailure();
    proa::PassRemarks(getArgumentName()).analysis(getOperation())
        << "stores " << std::to_string(tensorCount) << " tensors of booleans and 8-bit floats as bytes";
  }
};

} // namespace
