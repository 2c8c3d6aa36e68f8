#include "passes/kernels/CostModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

// Figures of one core with vectors of 256 to 512 bits; they only decide whether threads are worth it.
static double operationNanoseconds(Operation &op) {
  bool isDouble = llvm::any_of(op.getOperandTypes(), [](Type type) { return type.isF64(); });
  if (isa<tensor::ExtractOp>(op))
    return 0.5;
  if (isa<arith::DivFOp, arith::RemFOp, math::SqrtOp>(op))
    return 0.15;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 2;
  if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::CopySignOp>(op))
    return 0.03;
  if (isa<math::PowFOp>(op))
    return 10;
  if (isa<math::MathDialect>(op.getDialect()))
    return isDouble ? 10 : 0.3;
  if (isa<complex::ComplexDialect>(op.getDialect()))
    return 1;
  return isa<arith::ConstantOp>(op) ? 0 : 0.03;
}

double elementNanoseconds(linalg::LinalgOp op) {
  double total = 0.05; // loads and the store
  for (Operation &inner : op.getBlock()->without_terminator())
    total += operationNanoseconds(inner);
  return total;
}

double loopElements(linalg::LinalgOp op, int64_t assumed) {
  double elements = 1;
  for (int64_t size : op.getStaticLoopRanges())
    elements *= ShapedType::isDynamic(size) ? assumed : size;
  return elements;
}

} // namespace proa
