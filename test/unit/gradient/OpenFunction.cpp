#include "test/unit/gradient/OpenFunction.h"

#include "dialects/pd/ir/Types.h"
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace proa::test {
namespace {

Type allOpen(Type type) {
  if (auto array = dyn_cast<pd::ArrayType>(type))
    return array.getElement()
               ? pd::ArrayType::get(type.getContext(), cast<RankedTensorType>(allOpen(array.getElement())))
               : type;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<FloatType, ComplexType>(tensor.getElementType()))
    return type;
  return tensor.clone(SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic));
}

void widenAll(Operation *owner, MutableArrayRef<OpOperand> operands, TypeRange types) {
  OpBuilder builder(owner);
  for (auto [operand, type] : llvm::zip(operands, types))
    operand.set(pd::widened(builder, owner->getLoc(), operand.get(), type));
}

LogicalResult retype(Block &block);

LogicalResult retypeBranch(scf::IfOp branch) {
  for (Value result : branch.getResults())
    result.setType(allOpen(result.getType()));
  for (Region &region : branch->getRegions())
    for (Block &block : region) {
      if (failed(retype(block)))
        return failure();
      widenAll(block.getTerminator(), block.getTerminator()->getOpOperands(), branch.getResultTypes());
    }
  return success();
}

LogicalResult retypeWhile(scf::WhileOp loop) {
  for (Value argument : loop.getBeforeArguments())
    argument.setType(allOpen(argument.getType()));
  if (failed(retype(*loop.getBeforeBody())))
    return failure();
  auto flowing = loop.getConditionOp().getArgs();
  for (auto [value, argument, result] : llvm::zip(flowing, loop.getAfterArguments(), loop.getResults())) {
    argument.setType(value.getType());
    result.setType(value.getType());
  }
  if (failed(retype(*loop.getAfterBody())))
    return failure();
  widenAll(loop, loop->getOpOperands(), loop.getBeforeBody()->getArgumentTypes());
  widenAll(loop.getYieldOp(), loop.getYieldOp()->getOpOperands(), loop.getBeforeBody()->getArgumentTypes());
  return success();
}

LogicalResult retypeFor(scf::ForOp loop) {
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    argument.setType(allOpen(argument.getType()));
    result.setType(argument.getType());
  }
  if (failed(retype(*loop.getBody())))
    return failure();
  widenAll(loop, loop.getInitArgsMutable(), loop.getResultTypes());
  Operation *yield = loop.getBody()->getTerminator();
  widenAll(yield, yield->getOpOperands(), loop.getResultTypes());
  return success();
}

LogicalResult retype(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    LogicalResult done = success();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      done = retypeBranch(branch);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      done = retypeWhile(loop);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      done = retypeFor(loop);
    } else if (auto inferable = dyn_cast<InferTypeOpInterface>(op)) {
      SmallVector<Type> types;
      done = inferable.inferReturnTypes(op.getContext(), op.getLoc(), op.getOperands(),
                                        op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
                                        op.getRegions(), types);
      for (auto [result, type] : llvm::zip(op.getResults(), types))
        result.setType(type);
    }
    if (failed(done))
      return failure();
  }
  return success();
}

void updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setFunctionType(FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                             block.getTerminator()->getOperandTypes()));
}

} // namespace

LogicalResult makeDimsDynamic(func::FuncOp function, llvm::function_ref<bool()> isOpen) {
  Block &block = function.getBody().front();
  for (BlockArgument argument : block.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &dim : shape)
      dim = isOpen() ? ShapedType::kDynamic : dim;
    argument.setType(type.clone(shape));
  }
  if (failed(retype(block)))
    return failure();
  updateType(function);
  return verify(function);
}

LogicalResult closeDims(func::FuncOp function, TypeRange types) {
  for (auto [argument, type] : llvm::zip(function.getBody().front().getArguments(), types))
    argument.setType(type);
  updateType(function);
  PassManager pm(function.getContext(), func::FuncOp::getOperationName());
  pm.addPass(createRefineShapes());
  return pm.run(function);
}

} // namespace proa::test
