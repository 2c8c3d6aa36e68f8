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

void SingleOpLowering::setWork(int64_t rows) {
  const TargetFacts &target = targetOf(kernel);
  std::optional<int64_t> known = op.getDeviceOperations();
  double operations =
      known ? static_cast<double>(*known) : std::pow(static_cast<double>(target.device().assumedDim), 3);
  RowsAttr::orEmpty(kernel)
      .withCount(rows)
      .withNanoseconds(operations * static_cast<double>(target.cpu.accessCost) / 1000)
      .setOn(kernel);
}

void SingleOpLowering::addCheckWords() {
  auto type = MemRefType::get({}, b.getI64Type());
  (void)kernel.insertArgument(kernel.getNumArguments(), type, {}, kernel.getLoc());
  kernel->setAttr(indexChecksAttribute, b.getArrayAttr({}));
}

void SingleOpLowering::changeToMemory() {
  Operation *terminator = kernel.getBody().front().getTerminator();
  results.assign(terminator->operand_begin(), terminator->operand_end());
  signature = changeSignature(kernel);
  terminator->setOperands({});
  b.setInsertionPoint(op);
}

Value SingleOpLowering::checkWords() {
  unsigned words = cast<BlockArgument>(signature.begin).getArgNumber() - 1;
  return viewOfWords(b, kernel.getLoc(), kernel.getArgument(words), /*count=*/1);
}

Value SingleOpLowering::memoryOf(Value operand) {
  return operand ? operand.getDefiningOp<bufferization::ToTensorOp>().getBuffer() : Value();
}

Value SingleOpLowering::destinationOf(Value result) const {
  const auto *found = llvm::find(results, result);
  return found == results.end() ? Value()
                                : signature.destinations[static_cast<size_t>(found - results.begin())];
}

void SingleOpLowering::removeOp() {
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
