#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/ProductOps.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult checkContracted(std::optional<Location> location, int64_t x, int64_t y) {
  if (mayBeEqual(x, y))
    return success();
  return inferenceError(location, "C3: the contracted dims must be equal, found " + llvm::Twine(x) +
                                      " in x and " + llvm::Twine(y) + " in y");
}

/// The last two dims of an operand as rows and columns.
struct MatrixShape {
  int64_t rows, columns;
  llvm::ArrayRef<int64_t> batch;
};

MatrixShape matrixOf(RankedTensorType type, bool transpose, bool isColumn) {
  llvm::ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() == 1)
    return isColumn ? MatrixShape{shape[0], 1, {}} : MatrixShape{1, shape[0], {}};
  MatrixShape matrix{shape[shape.size() - 2], shape.back(), shape.drop_back(2)};
  if (transpose)
    std::swap(matrix.rows, matrix.columns);
  return matrix;
}

LogicalResult checkElementTypes(std::optional<Location> location, ValueRange operands) {
  Type first = tensorType(operands[0]).getElementType();
  for (Value operand : operands.drop_front()) {
    if (tensorType(operand).getElementType() == first)
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << "C2: the operands must have one element type, found " << first
                                   << " and " << tensorType(operand).getElementType();
    return inferenceError(location, text);
  }
  return success();
}

} // namespace

LogicalResult checkRanks(std::optional<Location> location, ValueRange operands,
                         llvm::ArrayRef<int64_t> ranks) {
  for (auto [i, rank] : llvm::enumerate(ranks)) {
    int64_t found = tensorType(operands[i]).getRank();
    if (found != rank)
      return inferenceError(location, "C1: operand " + llvm::Twine(i) + " must have rank " +
                                          llvm::Twine(rank) + ", found rank " + llvm::Twine(found));
  }
  return success();
}

LogicalResult inferMatmulOf(std::optional<Location> location, ValueRange operands, bool transposeX,
                            bool transposeY, Results &results, Type element) {
  RankedTensorType xType = tensorType(operands[0]), yType = tensorType(operands[1]);
  if (xType.getRank() == 0 || yType.getRank() == 0)
    return inferenceError(location, "C1: the operands of a matmul must have rank 1 or more, found rank 0");
  if (!element && failed(checkElementTypes(location, operands)))
    return failure();
  MatrixShape x = matrixOf(xType, transposeX, false), y = matrixOf(yType, transposeY, true);
  if (failed(checkContracted(location, x.columns, y.rows)))
    return failure();
  if (!element)
    element = xType.getElementType();
  auto batch =
      broadcastShapes({RankedTensorType::get(x.batch, element), RankedTensorType::get(y.batch, element)});
  if (failed(batch)) {
    std::string text;
    llvm::raw_string_ostream(text) << "C4: the dimensions before the last two must broadcast, found " << xType
                                   << " and " << yType;
    return inferenceError(location, text);
  }
  llvm::SmallVector<int64_t> shape = *batch;
  if (xType.getRank() > 1)
    shape.push_back(x.rows);
  if (yType.getRank() > 1)
    shape.push_back(y.columns);
  results.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult inferFlattened(std::optional<Location> location, ValueRange operands, int64_t rowDimsX,
                             int64_t rowDimsY, Results &results) {
  RankedTensorType x = tensorType(operands[0]), y = tensorType(operands[1]);
  for (auto [name, type, rowDims] : {std::tuple("x", x, rowDimsX), std::tuple("y", y, rowDimsY)})
    if (rowDims <= 0 || rowDims >= type.getRank())
      return inferenceError(
          location, llvm::Twine("C1: ") + name + "_num_col_dims must be above 0 and below the rank " +
                        llvm::Twine(type.getRank()) + " of " + name + ", found " + llvm::Twine(rowDims));
  if (failed(checkElementTypes(location, operands)))
    return failure();
  auto product = [](llvm::ArrayRef<int64_t> dims) {
    int64_t count = 1;
    for (int64_t dim : dims) {
      if (ShapedType::isDynamic(dim))
        return ShapedType::kDynamic;
      count *= dim;
    }
    return count;
  };
  if (failed(checkContracted(location, product(x.getShape().drop_front(rowDimsX)),
                             product(y.getShape().take_front(rowDimsY)))))
    return failure();
  llvm::SmallVector<int64_t> shape(x.getShape().take_front(rowDimsX));
  llvm::append_range(shape, y.getShape().drop_front(rowDimsY));
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult inferBatchMatmul(std::optional<Location> location, ValueRange operands, Results &results) {
  if (failed(checkRanks(location, operands, {3, 3})))
    return failure();
  int64_t x = tensorType(operands[0]).getDimSize(0), y = tensorType(operands[1]).getDimSize(0);
  if (!mayBeEqual(x, y))
    return inferenceError(location, "C4: the batch dims must be equal, found " + llvm::Twine(x) + " and " +
                                        llvm::Twine(y));
  return inferMatmulOf(location, operands, false, false, results);
}

LogicalResult inferDotOf(std::optional<Location> location, ValueRange operands, Results &results) {
  RankedTensorType x = tensorType(operands[0]), y = tensorType(operands[1]);
  if (x.getRank() != y.getRank() || x.getRank() < 1 || x.getRank() > 2)
    return inferenceError(location, "C1: both operands must have rank 1 or both rank 2, found ranks " +
                                        llvm::Twine(x.getRank()) + " and " + llvm::Twine(y.getRank()));
  if (failed(checkElementTypes(location, operands)))
    return failure();
  if (failed(verifyCompatibleShape(x.getShape(), y.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C3: the dims must be equal, found " << x << " and " << y;
    return inferenceError(location, text);
  }
  results.push_back(RankedTensorType::get(x.getShape().drop_back(), x.getElementType()));
  return success();
}

LogicalResult inferAddmmOf(std::optional<Location> location, ValueRange operands, int64_t rank,
                           Results &results) {
  if (failed(checkRanks(location, operands.drop_front(), {rank, rank})) ||
      failed(checkElementTypes(location, operands)) ||
      failed(inferMatmulOf(location, operands.drop_front(), false, false, results)))
    return failure();
  auto product = cast<RankedTensorType>(results.back());
  auto shape = broadcastShapes({tensorType(operands[0]), product});
  if (failed(shape) || failed(verifyCompatibleShape(*shape, product.getShape()))) {
    std::string text;
    llvm::raw_string_ostream(text) << "C4: input must broadcast to the product " << product << ", found "
                                   << operands[0].getType();
    return inferenceError(location, text);
  }
  return success();
}

DimSize productOf(TensorBuilder &e, llvm::ArrayRef<DimSize> dimSizes) {
  DimSize product = 1;
  for (const DimSize &dimSize : dimSizes)
    product = multiply(e, product, dimSize);
  return product;
}

LogicalResult inferBilinearOf(std::optional<Location> location, ValueRange operands, Results &results) {
  if (failed(checkRanks(location, operands, {2, 2, 3})) || failed(checkElementTypes(location, operands)))
    return failure();
  RankedTensorType x = tensorType(operands[0]), y = tensorType(operands[1]), weight = tensorType(operands[2]);
  bool isValid = mayBeEqual(x.getDimSize(0), y.getDimSize(0)) &&
                 mayBeEqual(x.getDimSize(1), weight.getDimSize(1)) &&
                 mayBeEqual(y.getDimSize(1), weight.getDimSize(2));
  if (!isValid) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "C3: weight must contract the columns of x and y, which have as many rows, found " << x << ", "
        << y << " and " << weight;
    return inferenceError(location, text);
  }
  int64_t matrices = weight.getDimSize(0);
  if (operands.size() > 3 && tensorType(operands[3]).hasStaticShape() &&
      !mayBeEqual(tensorType(operands[3]).getNumElements(), matrices))
    return inferenceError(location, "C4: bias must have " + llvm::Twine(matrices) + " elements, found " +
                                        llvm::Twine(tensorType(operands[3]).getNumElements()));
  results.push_back(RankedTensorType::get({x.getDimSize(0), matrices}, x.getElementType()));
  return success();
}

LogicalResult inferSquaredMatSubOf(std::optional<Location> location, ValueRange operands, Results &results) {
  llvm::SmallVector<Type> product;
  if (failed(checkRanks(location, operands, {2, 2})) ||
      failed(inferMatmulOf(location, operands, false, false, product)))
    return failure();
  results.append({operands[0].getType(), operands[1].getType(), product[0], product[0]});
  return success();
}

LogicalResult inferMultiDotOf(std::optional<Location> location, ValueRange operands, Results &results) {
  for (auto [i, operand] : llvm::enumerate(operands)) {
    int64_t rank = tensorType(operand).getRank();
    bool isEnd = i == 0 || i + 1 == operands.size();
    if (operands.size() < 2 || (rank != 2 && !(isEnd && rank == 1)))
      return inferenceError(
          location,
          "C1: two operands or more of rank 2 are needed, the first and the last one of rank 1 or 2, "
          "found operand " +
              llvm::Twine(i) + " of rank " + llvm::Twine(rank) + " among " + llvm::Twine(operands.size()));
  }
  if (operands.empty())
    return inferenceError(location, "C1: two operands or more are needed, found 0");
  if (failed(checkElementTypes(location, operands)))
    return failure();
  RankedTensorType first = tensorType(operands.front()), last = tensorType(operands.back());
  for (size_t i = 1; i < operands.size(); ++i)
    if (failed(checkContracted(location, tensorType(operands[i - 1]).getShape().back(),
                               tensorType(operands[i]).getDimSize(0))))
      return failure();
  llvm::SmallVector<int64_t> shape(first.getShape().drop_back());
  llvm::append_range(shape, last.getShape().drop_front());
  results.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> BilinearOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), y = e.computed(getY()), weight = e.computed(getWeight());
  Expression rows = e.sum(e.matmul(x, weight) * y, {2}, false);
  Expression out = e.transpose(rows, {1, 0});
  return e.results({getBias() ? out + e.reshape(e.computed(getBias()), {-1}) : out});
}

FailureOr<SmallVector<Value>> FusionSquaredMatSubOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), y = e.computed(getY());
  Expression xx = x * x, yy = y * y, product = e.matmul(x, y);
  Expression squared = product * product;
  return e.results({xx, yy, squared, (squared - e.matmul(xx, yy)) * getScalar().convertToDouble()});
}

namespace {

/// Multiplies a chain of matrices in the order with the fewest multiplications for static dims, else from
/// left to right.
class MatrixChain {
public:
  MatrixChain(TensorBuilder &e, llvm::SmallVector<Expression> factors) : e(e), factors(std::move(factors)) {}

  Expression run() {
    for (Expression factor : factors)
      if (!factor.type().hasStaticShape())
        return inOrder();
    size_t n = factors.size();
    cost.assign(n, llvm::SmallVector<double>(n, 0));
    split.assign(n, llvm::SmallVector<size_t>(n, 0));
    for (size_t length = 2; length <= n; ++length)
      for (size_t first = 0; first + length <= n; ++first)
        choose(first, first + length - 1);
    return product(0, n - 1);
  }

private:
  double rows(size_t i) const { return static_cast<double>(matrixOf(factors[i].type(), false, i > 0).rows); }
  double columns(size_t i) const {
    return static_cast<double>(matrixOf(factors[i].type(), false, i > 0).columns);
  }

  void choose(size_t first, size_t last) {
    cost[first][last] = std::numeric_limits<double>::infinity();
    for (size_t at = first; at < last; ++at) {
      double total = cost[first][at] + cost[at + 1][last] + rows(first) * columns(at) * columns(last);
      if (total < cost[first][last]) {
        cost[first][last] = total;
        split[first][last] = at;
      }
    }
  }

  Expression product(size_t first, size_t last) {
    if (first == last)
      return factors[first];
    return e.matmul(product(first, split[first][last]), product(split[first][last] + 1, last));
  }

  Expression inOrder() {
    Expression out = factors.front();
    for (Expression factor : llvm::drop_begin(factors))
      out = e.matmul(out, factor);
    return out;
  }

  TensorBuilder &e;
  llvm::SmallVector<Expression> factors;
  llvm::SmallVector<llvm::SmallVector<double>> cost;
  llvm::SmallVector<llvm::SmallVector<size_t>> split;
};

} // namespace

FailureOr<SmallVector<Value>> MultiDotOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> factors;
  for (Value factor : getX())
    factors.push_back(e.wrap(factor));
  return SmallVector<Value>{MatrixChain(e, factors).run()};
}

FailureOr<SmallVector<Value>> MatmulWithFlattenOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), y = e.wrap(getY());
  auto rowDimsX = static_cast<size_t>(getXNumColDims()), rowDimsY = static_cast<size_t>(getYNumColDims());
  // With one column dimension the row dimensions are a batch.
  if (static_cast<int64_t>(rowDimsX) == x.rank() - 1 && rowDimsY == 1 && y.rank() == 2)
    return SmallVector<Value>{e.matmul(x, y)};
  llvm::SmallVector<DimSize> xDims = dimSizesOf(x), yDims = dimSizesOf(y);
  llvm::ArrayRef<DimSize> xs = xDims, ys = yDims;
  DimSize inner = productOf(e, ys.take_front(rowDimsY));
  Expression product = e.matmul(reshapeTo(x, {productOf(e, xs.take_front(rowDimsX)), inner}),
                                reshapeTo(y, {inner, productOf(e, ys.drop_front(rowDimsY))}));
  llvm::SmallVector<DimSize> out(xs.take_front(rowDimsX));
  llvm::append_range(out, ys.drop_front(rowDimsY));
  return SmallVector<Value>{reshapeTo(product, out)};
}

FailureOr<SmallVector<Value>> BmmOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.matmul(e.wrap(getX()), e.wrap(getY()))};
}

FailureOr<SmallVector<Value>> MvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.matmul(e.wrap(getX()), e.wrap(getVec()))};
}

std::optional<int64_t> multiplyAddsOfMatmul(Value x, Value out, bool transposeX) {
  RankedTensorType type = tensorType(x);
  int64_t contracted =
      type.getRank() > 1 && transposeX ? type.getDimSize(type.getRank() - 2) : type.getShape().back();
  llvm::SmallVector<int64_t> dimSizes(tensorType(out).getShape());
  dimSizes.push_back(contracted);
  return productOfDims(dimSizes);
}

std::optional<int64_t> MatmulOp::getMultiplyAdds() {
  return multiplyAddsOfMatmul(getX(), getOut(), getTransposeX());
}

/// The map of an operand of a matmul. Its leading dims are the last of the result's `batch` leading dims; a
/// dim of size 1 is repeated. `matrix` are the loops of its last dims.
static AffineMap operandMap(Value operand, Value result, llvm::ArrayRef<unsigned> matrix, unsigned batch) {
  RankedTensorType type = tensorType(operand), resultType = tensorType(result);
  MLIRContext *context = operand.getContext();
  llvm::SmallVector<AffineExpr> dims;
  unsigned leading = static_cast<unsigned>(type.getRank()) - static_cast<unsigned>(matrix.size());
  for (unsigned dim = 0; dim < leading; ++dim) {
    unsigned loop = batch - leading + dim;
    bool isRepeated = type.getDimSize(dim) == 1 && resultType.getDimSize(loop) != 1;
    dims.push_back(isRepeated ? getAffineConstantExpr(0, context) : getAffineDimExpr(loop, context));
  }
  for (unsigned loop : matrix)
    dims.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(static_cast<unsigned>(resultType.getRank()) + 1, 0, dims, context);
}

llvm::SmallVector<AffineMap> MatmulOp::getContractionMaps() {
  bool hasRows = tensorType(getX()).getRank() > 1, hasColumns = tensorType(getY()).getRank() > 1;
  auto rank = static_cast<unsigned>(tensorType(getOut()).getRank()), summed = rank;
  unsigned batch = rank - hasRows - hasColumns;
  llvm::SmallVector<unsigned> x{summed}, y{summed};
  if (hasRows)
    x.insert(getTransposeX() ? x.end() : x.begin(), batch);
  if (hasColumns)
    y.insert(getTransposeY() ? y.begin() : y.end(), rank - 1);
  AffineMap out = AffineMap::getMultiDimIdentityMap(rank, getContext());
  return {operandMap(getX(), getOut(), x, batch), operandMap(getY(), getOut(), y, batch),
          AffineMap::get(rank + 1, 0, out.getResults(), getContext())};
}

LogicalResult MatmulOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const Tensor &x = operands[0], &y = operands[1];
  auto type = [&](const Tensor &t) {
    return RankedTensorType::get(t.dims(), elementTypeOf(getContext(), t.dtype()));
  };
  MatrixShape mx = matrixOf(type(x), getTransposeX(), false), my = matrixOf(type(y), getTransposeY(), true);
  size_t batchRank = std::max(x.dims().size(), y.dims().size());
  batchRank = batchRank > 2 ? batchRank - 2 : 0;
  HostScalarBuilder b(results[0].dtype());
  // The offset of operand `t`'s matrix for a batch index: dims of 1 are broadcast, dimensions align at the
  // end.
  auto start = [&](const Tensor &t, llvm::ArrayRef<int64_t> index) {
    int64_t at = 0;
    size_t own = t.dims().size() > 2 ? t.dims().size() - 2 : 0;
    for (size_t d = 0; d < own; ++d)
      at = at * t.dims()[d] + (t.dims()[d] == 1 ? 0 : index[batchRank - own + d]);
    return at;
  };
  llvm::SmallVector<int64_t> dims(results[0].dims().begin(), results[0].dims().begin() + batchRank);
  dims.push_back(mx.rows);
  dims.push_back(my.columns);
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t m = index[batchRank], n = index[batchRank + 1];
    int64_t xStart = start(x, index) * mx.rows * mx.columns, yStart = start(y, index) * my.rows * my.columns;
    HostScalar total = b.cast(HostScalar::of(0.0));
    for (int64_t k = 0; k < mx.columns; ++k) {
      bool swapX = getTransposeX() && x.dims().size() > 1, swapY = getTransposeY() && y.dims().size() > 1;
      HostScalar left = loadScalar(x, xStart + (swapX ? k * mx.rows + m : m * mx.columns + k));
      HostScalar right = loadScalar(y, yStart + (swapY ? n * my.rows + k : k * my.columns + n));
      total = b.add(total, b.multiply(left, right));
    }
    storeScalar(results[0], position, total);
  });
  return success();
}

FailureOr<SmallVector<Value>> FspOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto rows = [&](Value value) {
    Expression x = e.computed(value);
    llvm::SmallVector<DimSize> shape = dimSizesOf(x);
    return reshapeTo(x, {shape[0], shape[1], multiply(e, shape[2], shape[3])});
  };
  Expression x = rows(getX());
  return e.results({e.matmul(x, rows(getY()), false, true) / e.countAlong(x, {2})});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Contract.cpp.inc"
#include "dialects/pd/ops/linalg/Contract.methods.inc"
#include "dialects/pd/ops/linalg/Contract.scalar.inc"
