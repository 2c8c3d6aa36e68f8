#include "passes/kernels/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

/// In picoseconds.
static int64_t operationCost(Operation &op, const CpuFacts &cpu) {
  bool isDouble = llvm::any_of(op.getOperandTypes(), [](Type type) { return type.isF64(); });
  if (isa<tensor::ExtractOp>(op))
    return cpu.gatherCost;
  if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp>(op))
    return cpu.divideCost;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return cpu.integerDivideCost;
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::CopySignOp>(op))
    return cpu.arithmeticCost;
  if (isa<math::PowFOp>(op))
    return cpu.powerCost;
  if (isa<math::MathDialect>(op.getDialect()))
    return isDouble ? cpu.doubleFunctionCost : cpu.functionCost;
  if (isa<complex::ComplexDialect>(op.getDialect()))
    return cpu.complexCost;
  return isa<arith::ConstantOp>(op) ? 0 : cpu.arithmeticCost;
}

double elementNanoseconds(linalg::LinalgOp op, const CpuFacts &cpu) {
  int64_t total = cpu.accessCost;
  for (Operation &inner : op.getBlock()->without_terminator())
    total += operationCost(inner, cpu);
  return static_cast<double>(total) / 1000;
}

double loopElements(linalg::LinalgOp op, int64_t assumed) {
  double elements = 1;
  for (int64_t size : op.getStaticLoopRanges())
    elements *= ShapedType::isDynamic(size) ? assumed : size;
  return elements;
}

} // namespace proa
