#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// column - row of each element of a matrix, as a matrix.
Expression distances(TensorBuilder &e, const DimSize &rows, const DimSize &columns) {
  Type i64 = e.getBuilder().getI64Type();
  Expression row = reshapeTo(iota(e, rows, i64), {rows, DimSize(1)});
  return iota(e, columns, i64) - row;
}

Expression equals(Expression x, int64_t y) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<EqualOp>(x, e.constant(double(y), x.type().getElementType())));
}

template <class Keep> SmallVector<Value> triangle(Operation *op, OpBuilder &builder, Keep keep) {
  TensorBuilder e(builder, op);
  Expression x = e.wrap(op->getOperand(0));
  Expression distance = distances(e, DimSize(x, x.rank() - 2), DimSize(x, x.rank() - 1));
  return SmallVector<Value>{e.select(keep(distance), x, 0.0)};
}

/// The two dimensions of the matrices. Emits an error, which cites `constraint`, if they are equal or out of
/// range.
FailureOr<std::pair<int64_t, int64_t>> matrixAxes(std::optional<Location> location, int64_t axis1,
                                                  int64_t axis2, int64_t rank, llvm::StringRef constraint) {
  auto first = normalizeAxis(location, axis1, rank, constraint),
       second = normalizeAxis(location, axis2, rank, constraint);
  if (failed(first) || failed(second))
    return failure();
  if (*first == *second)
    return inferenceError(location,
                          constraint + ": the axes must differ, found dimension " + llvm::Twine(*first));
  return std::pair(*first, *second);
}

/// Elements of a diagonal of a matrix.
int64_t diagonalLength(int64_t rows, int64_t columns, int64_t offset) {
  if (rows == unknown || columns == unknown)
    return unknown;
  return std::max<int64_t>(
      std::min(rows + std::min<int64_t>(offset, 0), columns - std::max<int64_t>(offset, 0)), 0);
}

/// The vectors in the last dimension of x on a diagonal of matrices, with `elsewhere` around them.
Expression embed(Expression x, int64_t offset, double elsewhere) {
  TensorBuilder &e = x.owner();
  // Row r has element r (above the main diagonal) or r + offset (below it): the padded vector is repeated in
  // each row, and only its diagonal is kept.
  llvm::SmallVector<int64_t> paddings(2 * x.rank(), 0);
  paddings[2 * x.rank() - 2] = std::max<int64_t>(offset, 0);
  paddings[2 * x.rank() - 1] = std::max<int64_t>(-offset, 0);
  Expression row = offset == 0 ? x : e.wrap(e.create<PadOp>(x, paddings, llvm::APFloat(0.0)));
  DimSize size(row, row.rank() - 1);
  Expression onDiagonal = equals(distances(e, size, size), offset);
  Expression rows = insertDim(row, row.rank() - 1);
  return e.select(onDiagonal, rows, elsewhere);
}

} // namespace

FailureOr<SmallVector<Value>> TrilOp::decompose(OpBuilder &builder) {
  auto diagonal = static_cast<double>(static_cast<int64_t>(getDiagonal()));
  return triangle(getOperation(), builder, [&](Expression distance) { return distance <= diagonal; });
}

FailureOr<SmallVector<Value>> TriuOp::decompose(OpBuilder &builder) {
  auto diagonal = static_cast<double>(static_cast<int64_t>(getDiagonal()));
  return triangle(getOperation(), builder, [&](Expression distance) { return distance >= diagonal; });
}

LogicalResult DiagonalOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axes = matrixAxes(location, adaptor.getAxis1(), adaptor.getAxis2(), type.getRank(), "C1");
  if (failed(axes))
    return failure();
  llvm::SmallVector<int64_t> shape;
  for (auto [axis, dimSize] : llvm::enumerate(type.getShape()))
    if (static_cast<int64_t>(axis) != axes->first && static_cast<int64_t>(axis) != axes->second)
      shape.push_back(dimSize);
  shape.push_back(
      diagonalLength(type.getDimSize(axes->first), type.getDimSize(axes->second), adaptor.getOffset()));
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> DiagonalOp::decompose(OpBuilder &builder) {
  auto type = tensorType(getX());
  auto axes = matrixAxes(std::nullopt, getAxis1(), getAxis2(), type.getRank(), "C1");
  if (failed(axes))
    return notifyDecompositionFailure(builder, *this, "its axes are not two dimensions of x");
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<int64_t> perm;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (axis != axes->first && axis != axes->second)
      perm.push_back(axis);
  perm.append({axes->first, axes->second});
  Expression matrices = e.transpose(e.wrap(getX()), perm);
  llvm::SmallVector<DimSize> shape = dimSizesOf(matrices);
  DimSize columns = shape.pop_back_val(), rows = shape.pop_back_val();
  auto offset = static_cast<int64_t>(getOffset());
  DimSize length = diagonalLength(e, rows, columns, offset);
  shape.push_back(multiply(e, rows, columns));
  // The diagonal of a matrix is every (columns + 1)-th of its elements.
  Expression flat = reshapeTo(matrices, shape);
  DimSize start = offset >= 0 ? DimSize(offset) : multiply(e, columns, -offset), step = add(e, columns, 1);
  int64_t last = flat.rank() - 1;
  if (!length.isKnown() || !columns.isKnown()) {
    Expression positions =
        iota(e, length, builder.getI64Type()) * e.wrap(step.getValue(e)) + e.wrap(start.getValue(e));
    return SmallVector<Value>{e.create<GatherOp>(flat, positions, Value(), static_cast<uint64_t>(last))};
  }
  if (length.isNumber(0))
    return SmallVector<Value>{slice(flat, last, 0, 0)};
  int64_t end = start.getNumber() + (length.getNumber() - 1) * step.getNumber() + 1;
  return SmallVector<Value>{slice(flat, last, start.getNumber(), end, step.getNumber())};
}

LogicalResult DiagOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto offset = static_cast<int64_t>(adaptor.getOffset());
  if (type.getRank() > 2)
    return inferenceError(location,
                          "C1: x must have rank 2 or less, found rank " + llvm::Twine(type.getRank()));
  if (type.getRank() == 2) {
    results.push_back(type.clone({diagonalLength(type.getDimSize(0), type.getDimSize(1), offset)}));
    return success();
  }
  int64_t length = type.getRank() == 0 ? 1 : type.getDimSize(0);
  int64_t size = length == unknown ? unknown : length + std::abs(offset);
  results.push_back(type.clone({size, size}));
  return success();
}

FailureOr<SmallVector<Value>> DiagOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  if (tensorType(getX()).getRank() == 2)
    return SmallVector<Value>{e.create<DiagonalOp>(getX(), getOffset(), uint64_t(0), uint64_t(1))};
  Expression x = reshapeTo(e.wrap(getX()), {elementsOf(e.wrap(getX()))});
  return SmallVector<Value>{embed(x, static_cast<int64_t>(getOffset()), getPaddingValue().convertToDouble())};
}

LogicalResult DiagEmbedOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() == 0)
    return inferenceError(location, "C1: x must have rank 1 or more, found rank 0");
  auto axes = matrixAxes(location, adaptor.getDim1(), adaptor.getDim2(), type.getRank() + 1, "C2");
  if (failed(axes))
    return failure();
  int64_t length = type.getShape().back();
  int64_t size = length == unknown ? unknown : length + std::abs(static_cast<int64_t>(adaptor.getOffset()));
  llvm::SmallVector<int64_t> shape(type.getShape().drop_back());
  shape.insert(shape.begin() + std::min(axes->first, axes->second), size);
  shape.insert(shape.begin() + std::max(axes->first, axes->second), size);
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> DiagEmbedOp::decompose(OpBuilder &builder) {
  auto type = tensorType(getX());
  auto axes = matrixAxes(std::nullopt, getDim1(), getDim2(), type.getRank() + 1, "C2");
  if (failed(axes))
    return notifyDecompositionFailure(builder, *this, "its dims are not two dimensions of the result");
  TensorBuilder e(builder, getOperation());
  Expression matrices = embed(e.wrap(getX()), static_cast<int64_t>(getOffset()), 0);
  // Where each dimension of the result comes from.
  llvm::SmallVector<int64_t> perm;
  int64_t next = 0, rank = matrices.rank();
  for (int64_t axis = 0; axis < rank; ++axis)
    perm.push_back(axis == axes->first ? rank - 2 : axis == axes->second ? rank - 1 : next++);
  return SmallVector<Value>{e.transpose(matrices, perm)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Diagonal.cpp.inc"
#include "dialects/pd/ops/shape/Diagonal.methods.inc"
