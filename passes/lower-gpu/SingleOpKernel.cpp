#include "passes/lower-gpu/SingleOpKernel.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/IndexChecks.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

#include <cmath>

using namespace mlir;

namespace proa {

pd::DeviceKernelOpInterface singleOpOf(func::FuncOp kernel) {
  if (!DeviceKernelAttr::isOn(kernel, DeviceKernel::Op) || kernel.isDeclaration())
    return {};
  auto ops = kernel.getBody().front().getOps<pd::DeviceKernelOpInterface>();
  return ops.empty() ? pd::DeviceKernelOpInterface() : *ops.begin();
}

void setWork(func::FuncOp kernel, int64_t rows, pd::DeviceKernelOpInterface op) {
  const TargetFacts &target = targetOf(kernel);
  std::optional<int64_t> known = op.getDeviceOperations();
  double operations =
      known ? static_cast<double>(*known) : std::pow(static_cast<double>(target.device().assumedDim), 3);
  RowsAttr::orEmpty(kernel)
      .withCount(rows)
      .withNanoseconds(operations * static_cast<double>(target.cpu.accessCost) / 1000)
      .setOn(kernel);
}

void addCheckWords(func::FuncOp kernel) {
  Builder b(kernel.getContext());
  (void)kernel.insertArgument(kernel.getNumArguments(), MemRefType::get({}, b.getI64Type()), {},
                              kernel.getLoc());
  kernel->setAttr(indexChecksAttribute, b.getArrayAttr({}));
}

Value checkWordsOf(OpBuilder &builder, func::FuncOp kernel, const KernelSignature &signature, size_t count) {
  unsigned words = cast<BlockArgument>(signature.begin).getArgNumber() - 1;
  return viewOfWords(builder, kernel.getLoc(), kernel.getArgument(words), count);
}

Value memoryOf(Value operand) {
  return operand ? operand.getDefiningOp<bufferization::ToTensorOp>().getBuffer() : Value();
}

Value destinationOf(Value result, const KernelSignature &signature, ArrayRef<Value> results) {
  const auto *found = llvm::find(results, result);
  return found == results.end() ? Value()
                                : signature.destinations[static_cast<size_t>(found - results.begin())];
}

void removeOp(func::FuncOp kernel, Operation *op) {
  SmallVector<Operation *> tensors;
  for (Value operand : op->getOperands())
    if (!llvm::is_contained(tensors, operand.getDefiningOp()))
      tensors.push_back(operand.getDefiningOp());
  op->dropAllUses();
  op->erase();
  for (Operation *tensor : tensors)
    tensor->erase();
  kernel->removeAttr(deviceKernelAttribute);
  kernel->setAttr(kernelAttribute, UnitAttr::get(kernel.getContext()));
}

} // namespace proa
