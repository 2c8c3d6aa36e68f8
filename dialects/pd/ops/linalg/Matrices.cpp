//! Type inference of factorizations and linear systems.
#include "dialects/pd/ops/linalg/Matrices.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

template <class... Pieces> LogicalResult fail(std::optional<Location> location, Pieces... pieces) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << pieces);
  return inferenceError(location, text);
}

int64_t lesser(int64_t x, int64_t y) {
  return ShapedType::isDynamic(x) || ShapedType::isDynamic(y) ? ShapedType::kDynamic : std::min(x, y);
}

/// The dims before the last two, then `last`.
RankedTensorType withBatch(RankedTensorType type, llvm::ArrayRef<int64_t> last, Type element) {
  llvm::SmallVector<int64_t> shape(type.getShape().drop_back(2));
  shape.append(last.begin(), last.end());
  return RankedTensorType::get(shape, element);
}

Type realOf(Type element) {
  auto complexType = dyn_cast<ComplexType>(element);
  return complexType ? complexType.getElementType() : element;
}

Type complexOf(Type element) { return isa<ComplexType>(element) ? element : ComplexType::get(element); }

} // namespace

LogicalResult checkMatrices(std::optional<Location> location, llvm::StringRef name, RankedTensorType type,
                            bool square) {
  if (type.getRank() < 2)
    return fail(location, "C1: ", name, " must have rank 2 or more, found ", type);
  int64_t rows = type.getDimSize(type.getRank() - 2), columns = type.getShape().back();
  bool maybe = ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns) || rows == columns;
  return square && !maybe ? fail(location, "C2: the matrices of ", name, " must be square, found ", type)
                          : success();
}

LogicalResult inferSquareOf(std::optional<Location> location, RankedTensorType type, Results &results) {
  if (failed(checkMatrices(location, "x", type, true)))
    return failure();
  results.push_back(type);
  return success();
}

LogicalResult inferLuOf(std::optional<Location> location, RankedTensorType type, bool pivot,
                        Results &results) {
  if (failed(checkMatrices(location, "x", type, false)))
    return failure();
  if (!pivot)
    return fail(location, "C3: pivot must be true");
  Type integer = IntegerType::get(type.getContext(), 32);
  llvm::ArrayRef<int64_t> shape = type.getShape();
  results.push_back(type);
  results.push_back(withBatch(type, {lesser(shape[shape.size() - 2], shape.back())}, integer));
  results.push_back(type.getRank() == 2 ? RankedTensorType::get({1}, integer) : withBatch(type, {}, integer));
  return success();
}

LogicalResult inferLuUnpackOf(std::optional<Location> location, RankedTensorType type, Results &results) {
  if (failed(checkMatrices(location, "x", type, false)))
    return failure();
  int64_t rows = type.getDimSize(type.getRank() - 2), columns = type.getShape().back(),
          least = lesser(rows, columns);
  results.push_back(withBatch(type, {rows, rows}, type.getElementType()));
  results.push_back(withBatch(type, {rows, least}, type.getElementType()));
  results.push_back(withBatch(type, {least, columns}, type.getElementType()));
  return success();
}

LogicalResult inferLuPermutationOf(std::optional<Location> location, RankedTensorType pivots, int64_t rows,
                                   Type dtype, Results &results) {
  if (pivots.getRank() == 0)
    return inferenceError(location, "C1: pivots must have rank 1 or more");
  int64_t count = pivots.getShape().back();
  if (!ShapedType::isDynamic(count) && !ShapedType::isDynamic(rows) && rows < count)
    return inferenceError(location, "C2: rows must not be below the number of pivots, found " +
                                        llvm::Twine(rows) + " and " + llvm::Twine(count));
  llvm::SmallVector<int64_t> shape(pivots.getShape().drop_back());
  shape.append({rows, rows});
  results.push_back(RankedTensorType::get(shape, dtype));
  return success();
}

LogicalResult inferQrOf(std::optional<Location> location, RankedTensorType type, QrMode mode,
                        Results &results) {
  if (failed(checkMatrices(location, "x", type, false)))
    return failure();
  int64_t rows = type.getDimSize(type.getRank() - 2), columns = type.getShape().back();
  int64_t width = mode == QrMode::Complete ? rows : lesser(rows, columns);
  Type element = type.getElementType();
  results.push_back(mode == QrMode::R ? RankedTensorType::get({0}, element)
                                      : withBatch(type, {rows, width}, element));
  results.push_back(withBatch(type, {width, columns}, element));
  return success();
}

LogicalResult inferSvdOf(std::optional<Location> location, RankedTensorType type, bool full,
                         Results &results) {
  if (failed(checkMatrices(location, "x", type, false)))
    return failure();
  int64_t rows = type.getDimSize(type.getRank() - 2), columns = type.getShape().back(),
          least = lesser(rows, columns);
  Type element = type.getElementType();
  results.push_back(withBatch(type, {rows, full ? rows : least}, element));
  results.push_back(withBatch(type, {least}, realOf(element)));
  results.push_back(withBatch(type, {full ? columns : least, columns}, element));
  return success();
}

LogicalResult inferEighOf(std::optional<Location> location, RankedTensorType type, Results &results) {
  if (failed(checkMatrices(location, "x", type, true)))
    return failure();
  results.push_back(withBatch(type, {type.getShape().back()}, realOf(type.getElementType())));
  results.push_back(type);
  return success();
}

LogicalResult inferEigOf(std::optional<Location> location, RankedTensorType type, bool vectors,
                         Results &results) {
  if (failed(checkMatrices(location, "x", type, true)))
    return failure();
  Type element = complexOf(type.getElementType());
  results.push_back(withBatch(type, {type.getShape().back()}, element));
  if (vectors)
    results.push_back(type.clone(element));
  return success();
}

LogicalResult inferSystemOf(std::optional<Location> location, RankedTensorType x, RankedTensorType y,
                            bool vectors, Results &results) {
  if (failed(checkMatrices(location, "the system", x, true)))
    return failure();
  bool isVector = vectors && holdsVectors(x, y);
  llvm::SmallVector<int64_t> right(y.getShape());
  if (isVector)
    right.push_back(1);
  if (right.size() < 2)
    return fail(location, "C1: the right-hand side must have rank 2 or more, found ", y);
  int64_t rows = right[right.size() - 2], columns = right.back(), own = x.getShape().back();
  if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(own) && rows != own)
    return fail(location, "C3: the right-hand side must have ", own, " rows, found ", y);
  if (x.getElementType() != y.getElementType())
    return fail(location, "C5: both operands must have one element type, found ", x.getElementType(), " and ",
                y.getElementType());
  Type element = x.getElementType();
  auto batch = broadcastShapes({RankedTensorType::get(x.getShape().drop_back(2), element),
                                RankedTensorType::get(llvm::ArrayRef(right).drop_back(2), element)});
  if (failed(batch))
    return fail(location, "C4: the batches must broadcast, found ", x, " and ", y);
  llvm::SmallVector<int64_t> shape = *batch;
  shape.push_back(own);
  if (!isVector)
    shape.push_back(columns);
  results.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult inferDetOf(std::optional<Location> location, RankedTensorType type, bool pairs,
                         Results &results) {
  if (failed(checkMatrices(location, "x", type, true)))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape().drop_back(2));
  if (pairs)
    shape.insert(shape.begin(), 2);
  results.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult inferMatrixRankOf(std::optional<Location> location, ValueRange operands, bool hermitian,
                                Results &results) {
  RankedTensorType type = tensorType(operands[0]);
  if (failed(checkMatrices(location, "x", type, hermitian)))
    return failure();
  Type integer = IntegerType::get(type.getContext(), 32);
  llvm::SmallVector<Type> shapes{withBatch(type, {}, integer)};
  if (operands.size() > 1 && operands[1])
    shapes.push_back(tensorType(operands[1]).clone(integer));
  auto shape = broadcastShapes(location, shapes, "C3");
  if (failed(shape))
    return failure();
  results.push_back(RankedTensorType::get(*shape, integer));
  return success();
}

LogicalResult inferLstsqOf(std::optional<Location> location, RankedTensorType x, RankedTensorType y,
                           LstsqDriver driver, Results &results) {
  if (failed(checkMatrices(location, "x", x, false)) || failed(checkMatrices(location, "y", y, false)))
    return failure();
  if (x.getElementType() != y.getElementType())
    return fail(location, "C5: both operands must have one element type, found ", x.getElementType(), " and ",
                y.getElementType());
  llvm::ArrayRef<int64_t> from = x.getShape();
  int64_t m = from[from.size() - 2], n = from.back(), k = y.getShape().back();
  if (failed(verifyCompatibleShape(from.drop_back(), y.getShape().drop_back())))
    return fail(location, "C3: x and y must have one batch and as many rows, found ", x, " and ", y);
  bool values = driver == LstsqDriver::Gelsd || driver == LstsqDriver::Gelss;
  Type element = x.getElementType(), integer = IntegerType::get(x.getContext(), 32);
  auto none = [](Type type) { return RankedTensorType::get({0}, type); };
  results.push_back(withBatch(x, {n, k}, element));
  results.push_back(m > n ? withBatch(x, {k}, element) : none(element));
  results.push_back(driver == LstsqDriver::Gels ? none(integer) : withBatch(x, {}, integer));
  results.push_back(values ? withBatch(x, {lesser(m, n)}, realOf(element)) : none(realOf(element)));
  return success();
}

bool holdsVectors(RankedTensorType x, RankedTensorType y) {
  return y.getRank() == 1 || succeeded(verifyCompatibleShape(x.getShape().drop_back(), y.getShape()));
}

Expression transposed(Expression x) {
  llvm::SmallVector<int64_t> permutation(llvm::to_vector(llvm::seq<int64_t>(0, x.rank())));
  std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return x.owner().transpose(x, permutation);
}

Expression adjoint(Expression x) { return x.owner().conj(transposed(x)); }

Expression asMatrixFactor(Expression x) { return insertDim(insertDim(x, x.rank()), x.rank() + 1); }

Expression lowerTriangle(Expression x, int64_t diagonal) {
  return x.owner().wrap(x.owner().create<TrilOp>(x, diagonal));
}
Expression upperTriangle(Expression x, int64_t diagonal) {
  return x.owner().wrap(x.owner().create<TriuOp>(x, diagonal));
}

Expression identityLike(Expression x) {
  TensorBuilder &e = x.owner();
  Expression ones = e.wrap(e.create<FullLikeOp>(x, Value(), e.getBuilder().getF64FloatAttr(1), TypeAttr()));
  return lowerTriangle(upperTriangle(ones));
}

} // namespace proa::pd
