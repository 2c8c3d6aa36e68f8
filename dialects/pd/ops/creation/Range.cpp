#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/creation/Creation.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// The number in a constant one-element tensor.
std::optional<HostScalar> constantScalar(Value tensor) {
  ElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.getNumElements() == 1)
    return loadScalar(tensorFromAttribute(constant), 0);
  if (auto known = allKnownElements(tensor); known && known->size() == 1)
    return HostScalar::of(known->front());
  return std::nullopt;
}

int64_t arangeCount(const HostScalar &start, const HostScalar &end, const HostScalar &step) {
  if (step.isInteger()) {
    int64_t distance = end.integer - start.integer, stride = step.integer;
    if (stride < 0) {
      distance = -distance;
      stride = -stride;
    }
    return distance <= 0 || stride == 0 ? 0 : (distance - 1) / stride + 1;
  }
  double count = std::ceil((end.real() - start.real()) / step.real());
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

LogicalResult checkScalars(std::optional<Location> location, ValueRange operands) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = tensorType(operand);
    if (type.hasStaticShape() && type.getNumElements() != 1)
      return inferenceError(location, "C1: operand " + llvm::Twine(i) + " has " +
                                          llvm::Twine(type.getNumElements()) + " elements, expected one");
  }
  return success();
}

} // namespace

LogicalResult ArangeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         llvm::SmallVectorImpl<Type> &results) {
  if (failed(checkScalars(location, adaptor.getOperands())) ||
      failed(commonElementType(location, adaptor.getOperands(), "C2")))
    return failure();
  auto start = constantScalar(adaptor.getStart()), end = constantScalar(adaptor.getEnd());
  auto step = constantScalar(adaptor.getStep());
  if (step && (step->isInteger() ? step->integer == 0 : step->real() == 0))
    return inferenceError(location, "C3: step must not be 0");
  int64_t count = start && end && step ? arangeCount(*start, *end, *step) : ShapedType::kDynamic;
  results.push_back(RankedTensorType::get({count}, adaptor.getDtype()));
  return success();
}

LogicalResult ArangeOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  HostScalarBuilder b(operands[0].dtype()), out(results[0].dtype());
  HostScalar start = loadScalar(operands[0], 0), step = loadScalar(operands[2], 0);
  for (int64_t i = 0; i < results[0].size(); ++i)
    storeScalar(results[0], i, out.cast(b.add(start, b.multiply(b.cast(HostScalar::of(i)), step))));
  return success();
}

OpFoldResult ArangeOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

std::optional<ArangeOp::Bounds> ArangeOp::getBounds() {
  auto start = constantScalar(getStart()), end = constantScalar(getEnd()), step = constantScalar(getStep());
  if (!start || !end || !step)
    return std::nullopt;
  return Bounds{*start, *step, arangeCount(*start, *end, *step)};
}

//===-- linspace and logspace ---------------------------------------------------------------------------===//

LogicalResult inferSpaced(std::optional<Location> location, ValueRange operands, Type dtype,
                          Results &results) {
  if (failed(checkScalars(location, operands)))
    return failure();
  auto count = constantOr(location, "number", operands[2], int64_t(0), "C2");
  if (failed(count))
    return failure();
  if (*count < 1)
    return inferenceError(location, "C2: number must be at least 1, found " + llvm::Twine(*count));
  results.push_back(RankedTensorType::get({*count}, dtype));
  return success();
}

/// start + i * (stop - start) / (count - 1), computed from the nearer end so that both ends are exact.
static Expression spaced(TensorBuilder &e, Value startValue, Value stopValue, int64_t count, Type element) {
  auto scalar = [&](Value value) { return e.cast(reshapeTo(e.wrap(value), {}), element); };
  Expression start = scalar(startValue), stop = scalar(stopValue);
  if (count == 1)
    return reshapeTo(start, {DimSize(1)});
  Expression i = iota(e, count, element);
  Expression step = (stop - start) / double(count - 1);
  return e.select(i < double(count / 2), start + step * i, stop - step * (double(count - 1) - i));
}

/// The type to compute in, wide enough for dtype and for fractions.
static Type spacedType(OpBuilder &builder, Type dtype, Value start) {
  Type given = tensorType(start).getElementType();
  return dtype.isF64() || given.isF64() || isa<IntegerType>(dtype) ? Type(builder.getF64Type())
                                                                   : builder.getF32Type();
}

FailureOr<SmallVector<Value>> LinspaceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = spacedType(builder, getDtype(), getStart());
  Expression out = spaced(e, getStart(), getStop(), tensorType(getOut()).getDimSize(0), element);
  return SmallVector<Value>{e.cast(out, getDtype())};
}

FailureOr<SmallVector<Value>> LogspaceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = spacedType(builder, getDtype(), getStart());
  Expression exponents = spaced(e, getStart(), getStop(), tensorType(getOut()).getDimSize(0), element);
  Expression base = e.cast(reshapeTo(e.wrap(getBase()), {}), element);
  return SmallVector<Value>{e.cast(e.pow(base, exponents), getDtype())};
}

//===-- Matrices ----------------------------------------------------------------------------------------===//

static int64_t columnsOf(int64_t rows, int64_t columns) { return columns < 0 ? rows : columns; }

LogicalResult EyeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                      llvm::SmallVectorImpl<Type> &results) {
  auto rows = static_cast<int64_t>(adaptor.getNumRows());
  if (rows < 0)
    return inferenceError(location, "C1: num_rows must not be negative, found " + llvm::Twine(rows));
  results.push_back(RankedTensorType::get(
      {rows, columnsOf(rows, static_cast<int64_t>(adaptor.getNumColumns()))}, adaptor.getDtype()));
  return success();
}

FailureOr<SmallVector<Value>> EyeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto type = tensorType(getOut());
  Expression rows = reshapeTo(iota(e, type.getDimSize(0), builder.getI64Type()), {type.getDimSize(0), 1});
  Expression columns = iota(e, type.getDimSize(1), builder.getI64Type());
  return SmallVector<Value>{e.cast(e.wrap(e.create<EqualOp>(rows, columns)), type.getElementType())};
}

namespace {

/// The indices (row, column) of a matrix for which `keep` is true, as a constant of two rows.
template <class Keep> DenseElementsAttr positions(int64_t rows, int64_t columns, Type dtype, Keep keep) {
  llvm::SmallVector<int64_t> firsts, seconds;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (keep(row, column)) {
        firsts.push_back(row);
        seconds.push_back(column);
      }
  Tensor tensor(*dtypeOf(dtype), {2, static_cast<int64_t>(firsts.size())});
  for (auto [i, value] : llvm::enumerate(llvm::concat<int64_t>(firsts, seconds)))
    storeScalar(tensor, static_cast<int64_t>(i), HostScalar::of(value));
  return attributeFromTensor(dtype.getContext(), tensor);
}

/// The indices are part of the program: a larger number is an error.
constexpr int64_t maxMatrixElements = int64_t(1) << 26;

template <class Adaptor> LogicalResult checkMatrix(std::optional<Location> location, Adaptor adaptor) {
  auto rows = static_cast<int64_t>(adaptor.getRows()), columns = static_cast<int64_t>(adaptor.getCols());
  if (rows < 0 || columns < 0 || (columns > 0 && rows > maxMatrixElements / columns))
    return inferenceError(location, "C1: the matrix must have at most " + llvm::Twine(maxMatrixElements) +
                                        " elements, found " + llvm::Twine(rows) + " rows and " +
                                        llvm::Twine(columns) + " columns");
  return success();
}

template <class Op> DenseElementsAttr trianglePositions(Op op) {
  auto offset = static_cast<int64_t>(op.getOffset());
  constexpr bool lower = std::is_same_v<Op, TrilIndicesOp> || std::is_same_v<Op, TrilIndicesOp::Adaptor>;
  return positions(op.getRows(), op.getCols(), op.getDtype(), [&](int64_t row, int64_t column) {
    return lower ? column - row <= offset : column - row >= offset;
  });
}

} // namespace

LogicalResult TrilIndicesOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  if (failed(checkMatrix(location, adaptor)))
    return failure();
  results.push_back(trianglePositions(adaptor).getType());
  return success();
}

LogicalResult TriuIndicesOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  if (failed(checkMatrix(location, adaptor)))
    return failure();
  results.push_back(trianglePositions(adaptor).getType());
  return success();
}

FailureOr<SmallVector<Value>> TrilIndicesOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{ConstantOp::create(builder, getLoc(), getType(), trianglePositions(*this))};
}

FailureOr<SmallVector<Value>> TriuIndicesOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{ConstantOp::create(builder, getLoc(), getType(), trianglePositions(*this))};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/creation/Range.cpp.inc"
#include "dialects/pd/ops/creation/Range.methods.inc"
