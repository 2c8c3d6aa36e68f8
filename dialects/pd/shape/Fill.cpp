#include "dialects/pd/shape/Fill.h"
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/creation/CreationOps.h"
#include "dialects/pd/index/ScatterOps.h"
#include "dialects/pd/math/BinaryOps.h"
#include "dialects/pd/shape/Extent.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

struct MatrixDims {
  int64_t first, second;
};

std::optional<MatrixDims> matrixDims(int64_t rank, int64_t dim1, int64_t dim2) {
  auto first = normalizeAxis(std::nullopt, dim1, rank), second = normalizeAxis(std::nullopt, dim2, rank);
  if (rank < 2 || failed(first) || failed(second) || *first == *second)
    return std::nullopt;
  return MatrixDims{*first, *second};
}

int64_t diagonalLength(llvm::ArrayRef<int64_t> shape, const MatrixDims &dims, int64_t offset) {
  int64_t rows = shape[dims.first] + std::min<int64_t>(offset, 0),
          columns = shape[dims.second] - std::max<int64_t>(offset, 0);
  return std::max<int64_t>(0, std::min(rows, columns));
}

/// The places in x, row-major, of the diagonals' elements: those of one matrix after those of the other.
llvm::SmallVector<int64_t> diagonalPlaces(llvm::ArrayRef<int64_t> shape, const MatrixDims &dims,
                                          int64_t offset) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(shape), batch(shape), places;
  batch[dims.first] = batch[dims.second] = 1;
  int64_t length = diagonalLength(shape, dims, offset);
  int64_t begin = offset >= 0 ? offset * strides[dims.second] : -offset * strides[dims.first];
  forEachIndex(batch, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t at = begin;
    for (auto [i, stride] : llvm::zip(index, strides))
      at += i * stride;
    for (int64_t i = 0; i < length; ++i)
      places.push_back(at + i * (strides[dims.first] + strides[dims.second]));
  });
  return places;
}

Expression modulo(Expression x, int64_t y) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<RemainderOp>(x, e.constant(static_cast<double>(y), x.type().getElementType())));
}

Expression both(Expression x, Expression y) { return x.owner().wrap(x.owner().create<LogicalAndOp>(x, y)); }

} // namespace

LogicalResult checkFillDiagonal(std::optional<Location> location, RankedTensorType x) {
  bool isCube = x.getRank() < 3 || llvm::all_of(
                                       x.getShape(),
                                       [&](int64_t extent) {
                                         return ShapedType::isDynamic(extent) || x.isDynamicDim(0) ||
                                                extent == x.getDimSize(0);
                                       });
  if (x.getRank() >= 2 && isCube)
    return success();
  std::string text;
  llvm::raw_string_ostream(text)
      << "C1: x must be a matrix, or have more dimensions all of one extent, found " << x;
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
  auto type = tensorType(getX());
  if (!type.hasStaticShape())
    return failure();
  TensorBuilder e(builder, getOperation());
  int64_t width = type.getDimSize(1), step = 0, size = type.getNumElements(),
          offset = static_cast<int64_t>(getOffset());
  for (int64_t stride : rowMajorStrides(type.getShape()))
    step += stride;
  if (!getWrap())
    size = std::min(size, width * width);
  if (size == 0)
    return SmallVector<Value>{getX()};
  // For each element the i of the description that would lead to it.
  Expression i = iota(e, type.getNumElements(), builder.getI64Type()) - static_cast<double>(offset);
  Expression inside = both(i >= 0.0, i < static_cast<double>(size));
  i = e.maximum(i, 0.0);
  Expression column = modulo(i, width) + static_cast<double>(offset);
  Expression isOn = both(both(inside, e.equal(modulo(i, step), 0.0)),
                         both(column >= 0.0, column < static_cast<double>(width)));
  return SmallVector<Value>{
      e.select(e.reshape(isOn, type.getShape()), getValue().convertToDouble(), e.wrap(getX()))};
}

Values FillDiagonalTensorOp::decompose(OpBuilder &builder) {
  auto type = tensorType(getX());
  auto dims = matrixDims(type.getRank(), static_cast<int64_t>(getDim1()), static_cast<int64_t>(getDim2()));
  if (!type.hasStaticShape() || !dims)
    return failure();
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<int64_t> places =
      diagonalPlaces(type.getShape(), *dims, static_cast<int64_t>(getOffset()));
  if (places.empty())
    return SmallVector<Value>{getX()};
  auto count = static_cast<int64_t>(places.size());
  auto indexType = RankedTensorType::get({count, 1}, builder.getI64Type());
  Value index =
      e.create<ConstantOp>(indexType, DenseElementsAttr::get(indexType, llvm::ArrayRef<int64_t>(places)));
  Expression flat = e.reshape(e.wrap(getX()), {type.getNumElements()}),
             values = e.reshape(e.wrap(getY()), {count});
  Value put = e.create<ScatterNdOp>(flat, index, values, builder.getStringAttr("assign"));
  return SmallVector<Value>{e.reshape(e.wrap(put), type.getShape())};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/shape/Fill.cpp.inc"
#include "dialects/pd/shape/Fill.methods.inc"
