#include "dialects/pd/ops/linalg/Grouped.h"

#include "dialects/pd/reference/Reference.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

//===-- Inference ---------------------------------------------------------------------------------------===//

LogicalResult GroupedMatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX()), y = tensorType(adaptor.getY()), sizes = tensorType(adaptor.getSizes());
  if (failed(checkRanks(location, adaptor.getOperands(), {2, 3, 1})))
    return failure();
  if (x.getElementType() != y.getElementType())
    return inferenceError(location, "C2: x has elements of type " + debugString(x.getElementType()) +
                                        ", y of " + debugString(y.getElementType()));
  int64_t inner = y.getDimSize(adaptor.getTransposeY() ? 2 : 1);
  if (!mayBeEqual(x.getDimSize(1), inner))
    return inferenceError(location, "C3: the contracted dims must be equal, found " +
                                        std::to_string(x.getDimSize(1)) + " and " + std::to_string(inner));
  if (!mayBeEqual(y.getDimSize(0), sizes.getDimSize(0)))
    return inferenceError(location, "C4: y has " + std::to_string(y.getDimSize(0)) + " matrices, sizes " +
                                        std::to_string(sizes.getDimSize(0)) + " elements");
  results.push_back(x.clone({x.getDimSize(0), y.getDimSize(adaptor.getTransposeY() ? 1 : 2)}));
  return success();
}

LogicalResult GroupedMatmulYGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                     Adaptor adaptor, SmallVectorImpl<Type> &results) {
  auto x = tensorType(adaptor.getX()), outGrad = tensorType(adaptor.getOutGrad());
  if (failed(checkRanks(location, adaptor.getOperands(), {2, 2, 1})))
    return failure();
  if (x.getElementType() != outGrad.getElementType())
    return inferenceError(location, "C2: x has elements of type " + debugString(x.getElementType()) +
                                        ", out_grad of " + debugString(outGrad.getElementType()));
  if (!mayBeEqual(x.getDimSize(0), outGrad.getDimSize(0)))
    return inferenceError(location, "C3: x has " + std::to_string(x.getDimSize(0)) + " rows, out_grad " +
                                        std::to_string(outGrad.getDimSize(0)));
  results.push_back(
      x.clone({tensorType(adaptor.getSizes()).getDimSize(0), x.getDimSize(1), outGrad.getDimSize(1)}));
  return success();
}

//===-- Derivatives -------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> GroupedMatmulOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  Value out = cotangents[0], left = getX(), right = out;
  if (getTransposeY())
    std::swap(left, right);
  Value x = GroupedMatmulOp::create(builder, getLoc(), out, getY(), getSizes(), !getTransposeY());
  Value y = GroupedMatmulYGradOp::create(builder, getLoc(), left, right, getSizes());
  return SmallVector<Value>{x, y, Value()};
}

FailureOr<SmallVector<Value>> GroupedMatmulYGradOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  auto product = [&](Value rows, bool transposeY) -> Value {
    return GroupedMatmulOp::create(builder, getLoc(), rows, cotangents[0], getSizes(), transposeY);
  };
  return SmallVector<Value>{product(getOutGrad(), true), product(getX(), false), Value()};
}

//===-- Splitting over devices --------------------------------------------------------------------------===//

/// Columns of the matrices. The rows of a group are where the sizes of the groups before it say.
bool GroupedMatmulOp::describeSharding(ShardingRuleBuilder &rule) {
  enum Operand : unsigned { x, y };
  int64_t inner = getTransposeY() ? 2 : 1, column = 3 - inner;
  unsigned columns = rule.addFactor(rule.operandType(y).getDimSize(column)),
           summed = rule.addFactor(rule.operandType(x).getDimSize(1), FactorKind::Reduction);
  rule.setOperand(y, column, columns);
  rule.setResult(0, 1, columns);
  rule.setOperand(x, 1, summed);
  rule.setOperand(y, inner, summed);
  return true;
}

bool GroupedMatmulYGradOp::describeSharding(ShardingRuleBuilder &rule) {
  enum Operand : unsigned { x, outGrad };
  rule.pair(x, 1, 0, 1);
  rule.pair(outGrad, 1, 0, 2);
  return true;
}

//===-- Kernels -----------------------------------------------------------------------------------------===//

namespace {

std::optional<int64_t> operationsOf(Value x, int64_t columns) {
  auto type = tensorType(x);
  if (!type.hasStaticShape() || ShapedType::isDynamic(columns))
    return std::nullopt;
  return 2 * type.getNumElements() * columns;
}

const char *whyNoKernel(Operation *op) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(tensorType(op->getOperand(0)).getElementType()))
    return "its elements are 8-bit floats";
  for (Value operand : op->getOperands()) {
    if (!tensorType(operand).hasStaticShape())
      return "a dim is dynamic";
    if (tensorType(operand).getNumElements() == 0)
      return "an operand has no elements";
  }
  return tensorType(op->getResult(0)).getNumElements() == 0 ? "the result has no elements" : nullptr;
}

/// Calls `row(group, t)` for the rows of all groups. Failure for sizes that do not fit.
LogicalResult forEachRow(const Tensor &sizes, int64_t rows, function_ref<void(int64_t, int64_t)> row) {
  int64_t first = 0;
  for (auto [group, size] : llvm::enumerate(integersOf(sizes))) {
    if (size < 0 || size > rows - first)
      return failure();
    for (int64_t t = first; t < first + size; ++t)
      row(static_cast<int64_t>(group), t);
    first += size;
  }
  return success();
}

} // namespace

std::optional<int64_t> GroupedMatmulOp::getDeviceOperations() {
  return operationsOf(getX(), tensorType(getOut()).getDimSize(1));
}
const char *GroupedMatmulOp::whyNoDeviceKernel() { return whyNoKernel(*this); }

std::optional<int64_t> GroupedMatmulYGradOp::getDeviceOperations() {
  return operationsOf(getX(), tensorType(getYGrad()).getDimSize(2));
}
const char *GroupedMatmulYGradOp::whyNoDeviceKernel() { return whyNoKernel(*this); }

LogicalResult GroupedMatmulOp::computeReference(ArrayRef<Tensor> operands, MutableArrayRef<Tensor> results,
                                                RandomState *) {
  const Tensor &x = operands[0], &y = operands[1];
  int64_t inner = x.dims()[1], columns = results[0].dims()[1];
  for (int64_t i = 0; i < results[0].size(); ++i)
    setReal(results[0], i, 0);
  return forEachRow(operands[2], x.dims()[0], [&](int64_t group, int64_t t) {
    for (int64_t n = 0; n < columns; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < inner; ++k) {
        int64_t position = getTransposeY() ? n * inner + k : k * columns + n;
        sum += realAt(x, t * inner + k) * realAt(y, group * inner * columns + position);
      }
      setReal(results[0], t * columns + n, sum);
    }
  });
}

LogicalResult GroupedMatmulYGradOp::computeReference(ArrayRef<Tensor> operands,
                                                     MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor &x = operands[0], &outGrad = operands[1];
  int64_t rows = x.dims()[1], columns = outGrad.dims()[1];
  std::vector<double> sums(static_cast<size_t>(results[0].size()));
  if (failed(forEachRow(operands[2], x.dims()[0], [&](int64_t group, int64_t t) {
        for (int64_t k = 0; k < rows; ++k)
          for (int64_t n = 0; n < columns; ++n)
            sums[static_cast<size_t>((group * rows + k) * columns + n)] +=
                realAt(x, t * rows + k) * realAt(outGrad, t * columns + n);
      })))
    return failure();
  for (auto [i, sum] : llvm::enumerate(sums))
    setReal(results[0], static_cast<int64_t>(i), sum);
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Grouped.cpp.inc"
#include "dialects/pd/ops/linalg/Grouped.methods.inc"
