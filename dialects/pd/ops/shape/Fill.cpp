#include "dialects/pd/ops/shape/Fill.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

struct MatrixDims {
  int64_t first, second;
};

std::optional<MatrixDims> matrixDims(int64_t rank, int64_t dim1, int64_t dim2) {
  auto first = normalizeAxis(dim1, rank), second = normalizeAxis(dim2, rank);
  if (rank < 2 || failed(first) || failed(second) || *first == *second)
    return std::nullopt;
  return MatrixDims{*first, *second};
}

int64_t diagonalLength(llvm::ArrayRef<int64_t> shape, const MatrixDims &dims, int64_t offset) {
  int64_t rows = shape[dims.first] + std::min<int64_t>(offset, 0),
          columns = shape[dims.second] - std::max<int64_t>(offset, 0);
  return std::max<int64_t>(0, std::min(rows, columns));
}

/// The row-major indices in x of the diagonals' elements, matrix by matrix.
llvm::SmallVector<int64_t> diagonalOffsets(llvm::ArrayRef<int64_t> shape, const MatrixDims &dims,
                                           int64_t offset) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(shape), batch(shape), positions;
  batch[dims.first] = batch[dims.second] = 1;
  int64_t length = diagonalLength(shape, dims, offset);
  int64_t begin = offset >= 0 ? offset * strides[dims.second] : -offset * strides[dims.first];
  forEachIndex(batch, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t at = begin;
    for (auto [i, stride] : llvm::zip(index, strides))
      at += i * stride;
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(at + i * (strides[dims.first] + strides[dims.second]));
  });
  return positions;
}

Expression both(Expression x, Expression y) { return x.owner().wrap(x.owner().create<LogicalAndOp>(x, y)); }

} // namespace

LogicalResult checkFillDiagonal(std::optional<Location> location, RankedTensorType x) {
  bool isCube = x.getRank() < 3 || llvm::all_of(
                                       x.getShape(),
                                       [&](int64_t dimSize) {
                                         return ShapedType::isDynamic(dimSize) || x.isDynamicDim(0) ||
                                                dimSize == x.getDimSize(0);
                                       });
  if (x.getRank() >= 2 && isCube)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: x must be a matrix, or have more dimensions all of one dim, found "
                                 << x;
  return inferenceError(location, text);
}

LogicalResult checkFillDiagonalTensor(std::optional<Location> location, RankedTensorType x,
                                      RankedTensorType y, int64_t offset, int64_t dim1, int64_t dim2) {
  auto dims = matrixDims(x.getRank(), dim1, dim2);
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!dims) {
    stream << "C1: dim1 and dim2 must be two dimensions of x, found " << dim1 << " and " << dim2 << " of "
           << x;
    return inferenceError(location, text);
  }
  llvm::SmallVector<int64_t> expected;
  for (int64_t d = 0; d < x.getRank(); ++d)
    if (d != dims->first && d != dims->second)
      expected.push_back(x.getDimSize(d));
  bool isKnown = !x.isDynamicDim(dims->first) && !x.isDynamicDim(dims->second);
  expected.push_back(isKnown ? diagonalLength(x.getShape(), *dims, offset) : ShapedType::kDynamic);
  llvm::ArrayRef<int64_t> found = y.getShape();
  while (found.size() > expected.size() && found.front() == 1)
    found = found.drop_front();
  if (y.getElementType() == x.getElementType() && succeeded(verifyCompatibleShape(expected, found)))
    return success();
  stream << "C2: y must be " << x.clone(expected) << ", found " << y;
  return inferenceError(location, text);
}

Values FillDiagonalOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  if (x.type().hasStaticShape() && x.type().getNumElements() == 0)
    return SmallVector<Value>{getX()};
  auto offset = static_cast<double>(static_cast<int64_t>(getOffset()));
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  auto asExpression = [&](const DimSize &dimSize) { return e.wrap(dimSize.getValue(e)); };
  // The sum of the strides, which is the step along a diagonal.
  Expression width = asExpression(shape[1]), size = asExpression(elementsOf(x)), step = asExpression(1);
  for (const DimSize &dimSize : llvm::drop_begin(shape))
    step = step * asExpression(dimSize) + 1.0;
  if (!getWrap())
    size = e.minimum(size, width * width);
  // For each element the i of the description.
  Expression i = iota(e, elementsOf(x), builder.getI64Type()) - offset;
  Expression inside = both(i >= 0.0, i < size);
  i = e.maximum(i, 0.0);
  Expression column = modulo(i, shape[1]) + offset;
  Expression remainder = e.wrap(e.create<RemainderOp>(i, step));
  Expression isOn = both(both(inside, e.equal(remainder, 0.0)), both(column >= 0.0, column < width));
  return SmallVector<Value>{e.select(reshapeTo(isOn, shape), getValue().convertToDouble(), x)};
}

/// For dynamic dims: each element of a diagonal is the element of y for its row.
static Expression fillOpenDiagonals(TensorBuilder &e, FillDiagonalTensorOp op, const MatrixDims &dims) {
  Expression x = e.wrap(op.getX()), y = e.wrap(op.getY());
  auto offset = static_cast<int64_t>(op.getOffset());
  llvm::SmallVector<int64_t> forth, back(x.rank());
  for (int64_t d = 0; d < x.rank(); ++d)
    if (d != dims.first && d != dims.second)
      forth.push_back(d);
  forth.append({dims.first, dims.second});
  for (auto [i, d] : llvm::enumerate(forth))
    back[d] = static_cast<int64_t>(i);
  Expression matrices = e.transpose(x, forth);
  int64_t last = x.rank() - 2;
  // y may have additional leading dimensions of size 1.
  y = reshapeTo(y, llvm::ArrayRef<DimSize>(dimSizesOf(y)).take_back(x.rank() - 1));
  Type i64 = e.getBuilder().getI64Type();
  Expression row = iota(e, DimSize(matrices, x.rank() - 2), i64),
             column = iota(e, DimSize(matrices, x.rank() - 1), i64);
  Expression distance = insertDim(column, 0) - insertDim(row, 1);
  // A row without an element of the diagonal reads a zero after them.
  llvm::SmallVector<int64_t> paddings(2 * y.rank(), 0);
  paddings.back() = 1;
  Expression padded = e.wrap(e.create<PadOp>(y, paddings, llvm::APFloat(0.0)));
  Expression value = e.maximum(row + static_cast<double>(std::min<int64_t>(offset, 0)), 0.0);
  value = e.minimum(value, e.wrap(DimSize(y, last).getValue(e)));
  Expression taken = e.wrap(e.create<GatherOp>(padded, value, Value(), static_cast<uint64_t>(last)));
  Expression filled =
      e.select(e.equal(distance, static_cast<double>(offset)), insertDim(taken, last + 1), matrices);
  return e.transpose(filled, back);
}

Values FillDiagonalTensorOp::decompose(OpBuilder &builder) {
  auto type = tensorType(getX());
  auto dims = matrixDims(type.getRank(), static_cast<int64_t>(getDim1()), static_cast<int64_t>(getDim2()));
  if (!dims)
    return notifyDecompositionFailure(builder, *this, "its dims are not two dimensions of x");
  TensorBuilder e(builder, getOperation());
  if (!type.hasStaticShape())
    return SmallVector<Value>{fillOpenDiagonals(e, *this, *dims)};
  llvm::SmallVector<int64_t> positions =
      diagonalOffsets(type.getShape(), *dims, static_cast<int64_t>(getOffset()));
  if (positions.empty())
    return SmallVector<Value>{getX()};
  auto count = static_cast<int64_t>(positions.size());
  auto indexType = RankedTensorType::get({count, 1}, builder.getI64Type());
  Value index =
      e.create<ConstantOp>(indexType, DenseElementsAttr::get(indexType, llvm::ArrayRef<int64_t>(positions)));
  Expression flat = e.reshape(e.wrap(getX()), {type.getNumElements()}),
             values = e.reshape(e.wrap(getY()), {count});
  Value put = e.create<ScatterNdOp>(flat, index, values, ScatterReduce::Assign);
  return SmallVector<Value>{e.reshape(e.wrap(put), type.getShape())};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Fill.cpp.inc"
#include "dialects/pd/ops/shape/Fill.methods.inc"
