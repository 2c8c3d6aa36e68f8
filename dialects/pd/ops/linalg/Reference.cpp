//! Reference kernels of factorizations and systems: elimination, Householder reflections and Jacobi
//! rotations.
#include "dialects/pd/reference/Reference.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using Number = std::complex<double>;

/// A matrix of complex numbers.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), elements(static_cast<size_t>(rows * columns)) {}

  Number &operator()(int64_t i, int64_t j) { return elements[static_cast<size_t>(i * columns + j)]; }
  const Number &operator()(int64_t i, int64_t j) const {
    return elements[static_cast<size_t>(i * columns + j)];
  }
  Matrix adjoint() const {
    Matrix out(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        out(j, i) = std::conj((*this)(i, j));
    return out;
  }
  void swapRows(int64_t i, int64_t j) {
    for (int64_t k = 0; k < columns; ++k)
      std::swap((*this)(i, k), (*this)(j, k));
  }
  static Matrix identity(int64_t size) {
    Matrix out(size, size);
    for (int64_t i = 0; i < size; ++i)
      out(i, i) = 1;
    return out;
  }

  int64_t rows, columns;

private:
  std::vector<Number> elements;
};

Matrix multiply(const Matrix &a, const Matrix &b) {
  Matrix out(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.columns; ++j)
      for (int64_t k = 0; k < a.columns; ++k)
        out(i, j) += a(i, k) * b(k, j);
  return out;
}

//===-- Matrices in tensors -----------------------------------------------------------------------------===//

/// The matrices along the last two dimensions of a tensor.
struct Stack {
  explicit Stack(const Tensor &tensor) : rows(1), columns(1), count(1) {
    llvm::ArrayRef<int64_t> dims = tensor.dims();
    columns = dims.back();
    rows = dims[dims.size() - 2];
    batch.assign(dims.begin(), dims.end() - 2);
    for (int64_t dimSize : batch)
      count *= dimSize;
  }
  int64_t rows, columns, count;
  llvm::SmallVector<int64_t> batch;
};

Matrix load(const Tensor &tensor, int64_t index, int64_t rows, int64_t columns) {
  Matrix out(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      HostScalar element = loadScalar(tensor, (index * rows + i) * columns + j);
      out(i, j) = element.isInteger() ? Number(element.real()) : element.value;
    }
  return out;
}

void store(Tensor &tensor, int64_t index, const Matrix &matrix) {
  bool isComplex = tensor.dtype() == DType::Complex64 || tensor.dtype() == DType::Complex128;
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j) {
      int64_t position = (index * matrix.rows + i) * matrix.columns + j;
      Number element = matrix(i, j);
      storeScalar(tensor, position, isComplex ? HostScalar::of(element) : HostScalar::of(element.real()));
    }
}

/// For each matrix of a stack broadcast to `batch`, the index of its source in the stack.
llvm::SmallVector<int64_t> broadcastPlaces(llvm::ArrayRef<int64_t> own, llvm::ArrayRef<int64_t> batch) {
  llvm::SmallVector<int64_t> positions;
  llvm::SmallVector<int64_t> strides = rowMajorStrides(own);
  auto note = [&](llvm::ArrayRef<int64_t> index, int64_t) {
    int64_t position = 0;
    for (size_t d = 0; d < own.size(); ++d)
      position += own[d] == 1 ? 0 : index[batch.size() - own.size() + d] * strides[d];
    positions.push_back(position);
  };
  forEachIndex(batch, note);
  return positions;
}

//===-- Elimination -------------------------------------------------------------------------------------===//

/// L (below the diagonal) and U in one matrix, and which row each row was swapped with.
struct Elimination {
  Matrix factors;
  llvm::SmallVector<int64_t> swaps;
  int64_t firstZero = 0; ///< the first pivot that is zero, counted from 1
};

Elimination eliminate(Matrix a) {
  Elimination out{std::move(a), {}, 0};
  Matrix &m = out.factors;
  auto size = [](Number x) { return std::abs(x.real()) + std::abs(x.imag()); };
  for (int64_t k = 0; k < std::min(m.rows, m.columns); ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < m.rows; ++i)
      if (size(m(i, k)) > size(m(pivot, k)))
        pivot = i;
    out.swaps.push_back(pivot);
    m.swapRows(k, pivot);
    if (m(k, k) == Number(0)) {
      out.firstZero = out.firstZero == 0 ? k + 1 : out.firstZero;
      continue;
    }
    for (int64_t i = k + 1; i < m.rows; ++i) {
      m(i, k) /= m(k, k);
      for (int64_t j = k + 1; j < m.columns; ++j)
        m(i, j) -= m(i, k) * m(k, j);
    }
  }
  return out;
}

/// The x of a x = b; nothing where a is singular.
std::optional<Matrix> solved(const Matrix &a, Matrix b) {
  Elimination lu = eliminate(a);
  if (lu.firstZero != 0)
    return std::nullopt;
  for (auto [k, other] : llvm::enumerate(lu.swaps))
    b.swapRows(static_cast<int64_t>(k), other);
  for (int64_t c = 0; c < b.columns; ++c) {
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < i; ++j)
        b(i, c) -= lu.factors(i, j) * b(j, c);
    for (int64_t i = a.rows; i-- > 0;) {
      for (int64_t j = i + 1; j < a.rows; ++j)
        b(i, c) -= lu.factors(i, j) * b(j, c);
      b(i, c) /= lu.factors(i, i);
    }
  }
  return b;
}

/// Calls `each` for each matrix of the first operand.
template <class Each> LogicalResult forEachMatrix(const Tensor &x, Each each) {
  if (x.dims().size() < 2)
    return failure();
  Stack stack(x);
  for (int64_t n = 0; n < stack.count; ++n)
    if (failed(each(n, load(x, n, stack.rows, stack.columns))))
      return failure();
  return success();
}

Number determinant(const Matrix &a) {
  Elimination found = eliminate(a);
  Number out = 1;
  for (auto [k, other] : llvm::enumerate(found.swaps))
    out *= found.factors(static_cast<int64_t>(k), static_cast<int64_t>(k)) *
           (other == static_cast<int64_t>(k) ? 1.0 : -1.0);
  return out;
}

/// a x = b for each pair, `prepared(a)` being the matrix of the system.
template <class Prepared>
LogicalResult solveEach(const Tensor &a, const Tensor &b, Tensor &result, Prepared prepared) {
  if (a.dims().size() < 2 || b.dims().size() < 2 || result.dims().size() < 2)
    return failure();
  Stack systems(a), rights(b), out(result);
  if (rights.rows != systems.rows || systems.columns != systems.rows || out.rows != rights.rows ||
      out.columns != rights.columns)
    return failure();
  auto left = broadcastPlaces(systems.batch, out.batch), right = broadcastPlaces(rights.batch, out.batch);
  for (int64_t n = 0; n < out.count; ++n) {
    auto position = static_cast<size_t>(n);
    auto found = solved(prepared(load(a, left[position], systems.rows, systems.columns)),
                        load(b, right[position], rights.rows, rights.columns));
    if (!found)
      return failure();
    store(result, n, *found);
  }
  return success();
}

/// The upper or the lower triangle, zero elsewhere.
Matrix triangle(Matrix a, bool upper) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      if (upper ? j < i : j > i)
        a(i, j) = 0;
  return a;
}

//===-- Factors -----------------------------------------------------------------------------------------===//

/// Reflections that make the columns of r zero below the diagonal; q gathers them.
void reflect(Matrix &r, Matrix &q) {
  for (int64_t k = 0; k < std::min(r.rows - 1, r.columns); ++k) {
    double below = 0;
    for (int64_t i = k + 1; i < r.rows; ++i)
      below += std::norm(r(i, k));
    if (below == 0 && r(k, k).imag() == 0) // LAPACK reflects nothing, so that r(k, k) keeps its sign
      continue;
    double norm = std::sqrt(below + std::norm(r(k, k)));
    Matrix v(r.rows, 1);
    for (int64_t i = k; i < r.rows; ++i)
      v(i, 0) = r(i, k);
    v(k, 0) += r(k, k).real() < 0 ? -norm : norm; // r(k, k) gets the other sign
    double length = 0;
    for (int64_t i = k; i < r.rows; ++i)
      length += std::norm(v(i, 0));
    if (length == 0)
      continue;
    Matrix reflection = Matrix::identity(r.rows);
    for (int64_t i = k; i < r.rows; ++i)
      for (int64_t j = k; j < r.rows; ++j)
        reflection(i, j) -= 2.0 * v(i, 0) * std::conj(v(j, 0)) / length;
    r = multiply(reflection, r);
    q = multiply(q, reflection);
  }
}

bool isReal(const Tensor &tensor) {
  return tensor.dtype() == DType::Float32 || tensor.dtype() == DType::Float64;
}

/// Rotations of pairs of rows and columns until a real symmetric matrix is diagonal; v gathers them.
void diagonalize(Matrix &a, Matrix &v) {
  constexpr int maxSweeps = 100;
  for (int sweep = 0; sweep < maxSweeps; ++sweep) {
    double off = 0;
    for (int64_t p = 0; p < a.rows; ++p)
      for (int64_t q = p + 1; q < a.rows; ++q) {
        double apq = a(p, q).real();
        off += std::abs(apq);
        if (apq == 0)
          continue;
        double angle = 0.5 * std::atan2(2 * apq, (a(p, p) - a(q, q)).real());
        Matrix rotation = Matrix::identity(a.rows);
        rotation(p, p) = rotation(q, q) = std::cos(angle);
        rotation(q, p) = std::sin(angle);
        rotation(p, q) = -std::sin(angle);
        a = multiply(multiply(rotation.adjoint(), a), rotation);
        v = multiply(v, rotation);
      }
    if (off < 1e-14)
      return;
  }
}

/// The columns of the eigenvectors by their values, rising or falling.
llvm::SmallVector<int64_t> orderOfDiagonal(const Matrix &a, bool rising) {
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < a.rows; ++i)
    order.push_back(i);
  llvm::stable_sort(order, [&](int64_t i, int64_t j) {
    return rising ? a(i, i).real() < a(j, j).real() : a(i, i).real() > a(j, j).real();
  });
  return order;
}

Matrix columnsOf(const Matrix &a, llvm::ArrayRef<int64_t> order) {
  Matrix out(a.rows, static_cast<int64_t>(order.size()));
  for (auto [to, from] : llvm::enumerate(order))
    for (int64_t i = 0; i < a.rows; ++i)
      out(i, static_cast<int64_t>(to)) = a(i, from);
  return out;
}

} // namespace

LogicalResult LuOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                     RandomState *) {
  return forEachMatrix(operands[0], [&](int64_t n, Matrix a) {
    Elimination found = eliminate(std::move(a));
    store(results[0], n, found.factors);
    auto count = static_cast<int64_t>(found.swaps.size());
    for (int64_t k = 0; k < count; ++k)
      storeScalar(results[1], n * count + k, HostScalar::of(found.swaps[static_cast<size_t>(k)] + 1));
    storeScalar(results[2], n, HostScalar::of(found.firstZero));
    return success();
  });
}

LogicalResult LuPermutationOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto rows = operands.size() > 1 ? loadScalar(operands[1], 0).integer : static_cast<int64_t>(getRows());
  std::vector<int64_t> dims(operands[0].dims().begin(), operands[0].dims().end() - 1);
  dims.insert(dims.end(), {rows, rows});
  results[0] = Tensor(results[0].dtype(), dims);
  int64_t swaps = operands[0].dims().back();
  for (int64_t n = 0; n * rows * rows < results[0].size(); ++n) {
    Matrix permuted = Matrix::identity(rows);
    for (int64_t k = 0; k < swaps; ++k) {
      int64_t other = loadScalar(operands[0], n * swaps + k).integer - 1;
      if (k >= rows || other < 0 || other >= rows)
        return failure();
      permuted.swapRows(k, other);
    }
    store(results[0], n, permuted.adjoint());
  }
  return success();
}

LogicalResult DetOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &a) {
    Matrix one(1, 1);
    one(0, 0) = determinant(a);
    store(results[0], n, one);
    return success();
  });
}

LogicalResult SlogdetOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  int64_t count = Stack(operands[0]).count;
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &a) {
    double value = determinant(a).real();
    setReal(results[0], n, value > 0 ? 1 : value < 0 ? -1 : 0);
    setReal(results[0], count + n, std::log(std::abs(value)));
    return success(results[0].dtype() == DType::Float32 || results[0].dtype() == DType::Float64);
  });
}

LogicalResult InverseOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &a) {
    auto found = solved(a, Matrix::identity(a.rows));
    if (found)
      store(results[0], n, *found);
    return success(found.has_value());
  });
}

LogicalResult SolveOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                        llvm::MutableArrayRef<Tensor> results, RandomState *) {
  // A y of vectors has no reference.
  if (operands[1].dims().size() + 1 == operands[0].dims().size())
    return failure();
  return solveEach(operands[0], operands[1], results[0], [](Matrix a) { return a; });
}

LogicalResult CholeskySolveOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                llvm::MutableArrayRef<Tensor> results, RandomState *) {
  bool upper = getUpper();
  return solveEach(operands[1], operands[0], results[0], [&](Matrix y) {
    Matrix factor = triangle(std::move(y), upper);
    return upper ? multiply(factor.adjoint(), factor) : multiply(factor, factor.adjoint());
  });
}

LogicalResult TriangularSolveOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  return solveEach(operands[0], operands[1], results[0], [&](Matrix x) {
    Matrix a = triangle(std::move(x), getUpper());
    for (int64_t i = 0; i < a.rows && getUnitriangular(); ++i)
      a(i, i) = 1;
    if (!getTranspose())
      return a;
    Matrix turned = a.adjoint();
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.rows; ++j)
        turned(i, j) = std::conj(turned(i, j));
    return turned;
  });
}

LogicalResult CholeskyOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                           llvm::MutableArrayRef<Tensor> results, RandomState *) {
  bool upper = getUpper();
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &x) {
    Matrix a = upper ? x.adjoint() : x, factor(a.rows, a.columns); // reads the triangle below the diagonal
    for (int64_t j = 0; j < a.rows; ++j)
      for (int64_t i = j; i < a.rows; ++i) {
        Number rest = a(i, j);
        for (int64_t k = 0; k < j; ++k)
          rest -= factor(i, k) * std::conj(factor(j, k));
        if (i == j && rest.real() <= 0)
          return failure();
        factor(i, j) = i == j ? Number(std::sqrt(rest.real())) : rest / factor(j, j);
      }
    store(results[0], n, upper ? factor.adjoint() : factor);
    return success();
  });
}

LogicalResult QrOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                     RandomState *) {
  if (!isReal(operands[0]))
    return failure();
  bool withQ = getMode() != QrMode::R;
  return forEachMatrix(operands[0], [&](int64_t n, Matrix r) {
    Matrix q = Matrix::identity(r.rows);
    reflect(r, q);
    auto cut = [](const Matrix &from, const Tensor &to) {
      Stack result(to);
      Matrix out(result.rows, result.columns);
      for (int64_t i = 0; i < out.rows; ++i)
        for (int64_t j = 0; j < out.columns; ++j)
          out(i, j) = from(i, j);
      return out;
    };
    if (withQ)
      store(results[0], n, cut(q, results[0]));
    store(results[1], n, triangle(cut(r, results[1]), /*upper=*/true));
    return success();
  });
}

LogicalResult EighOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                       RandomState *) {
  if (!isReal(operands[0]))
    return failure();
  bool upper = getUPLO() == Triangle::Upper;
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &x) {
    Matrix a = x, v = Matrix::identity(x.rows);
    for (int64_t i = 0; i < a.rows; ++i)
      for (int64_t j = 0; j < a.rows; ++j)
        a(i, j) = upper == (j >= i) ? x(i, j) : x(j, i);
    diagonalize(a, v);
    llvm::SmallVector<int64_t> order = orderOfDiagonal(a, /*rising=*/true);
    for (auto [k, from] : llvm::enumerate(order))
      setReal(results[0], n * a.rows + static_cast<int64_t>(k), a(from, from).real());
    store(results[1], n, columnsOf(v, order));
    return success();
  });
}

/// By the eigenvectors V of x^T x: the columns of x V are the columns of U times S.
LogicalResult SvdOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  Stack stack(operands[0]);
  int64_t rank = std::min(stack.rows, stack.columns);
  if (!isReal(operands[0]) || results[0].dims().back() != rank ||
      results[2].dims()[stack.batch.size()] != rank)
    return failure();
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &x) {
    Matrix tall = x.rows >= x.columns ? x : x.adjoint();
    Matrix squares = multiply(tall.adjoint(), tall), v = Matrix::identity(tall.columns);
    diagonalize(squares, v);
    v = columnsOf(v, orderOfDiagonal(squares, /*rising=*/false));
    Matrix u = multiply(tall, v);
    for (int64_t k = 0; k < rank; ++k) {
      double norm = 0;
      for (int64_t i = 0; i < u.rows; ++i)
        norm += std::norm(u(i, k));
      norm = std::sqrt(norm);
      if (norm < 1e-7) // the rest of the basis is not determined
        return failure();
      for (int64_t i = 0; i < u.rows; ++i)
        u(i, k) /= norm;
      setReal(results[1], n * rank + k, norm);
    }
    store(results[0], n, x.rows >= x.columns ? u : v);
    store(results[2], n, (x.rows >= x.columns ? v : u).adjoint());
    return success();
  });
}

/// The least-squares solution of least norm, where x has full rank: by the normal equations of x or, with
/// fewer rows than columns, of x^T.
LogicalResult LstsqOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                        llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Stack stack(operands[0]), right(operands[1]);
  LstsqDriver driver = getDriver();
  if (!isReal(operands[0]))
    return failure();
  int64_t least = std::min(stack.rows, stack.columns);
  bool isTall = stack.rows >= stack.columns;
  return forEachMatrix(operands[0], [&](int64_t n, const Matrix &x) {
    Matrix y = load(operands[1], n, right.rows, right.columns),
           squares = isTall ? multiply(x.adjoint(), x) : multiply(x, x.adjoint());
    Matrix values = squares, vectors = Matrix::identity(least);
    diagonalize(values, vectors);
    llvm::SmallVector<int64_t> order = orderOfDiagonal(values, /*rising=*/false);
    if (least == 0 ||
        values(order.back(), order.back()).real() < 1e-9 * values(order.front(), order.front()).real())
      return failure(); // LAPACK's driver decides which values are 0
    auto solution = isTall ? solved(squares, multiply(x.adjoint(), y)) : solved(squares, y);
    if (!solution)
      return failure();
    if (!isTall)
      solution = multiply(x.adjoint(), *solution);
    store(results[0], n, *solution);
    Matrix fitted = multiply(x, *solution);
    for (int64_t c = 0; stack.rows > stack.columns && c < right.columns; ++c) {
      double sum = 0;
      for (int64_t r = 0; r < stack.rows; ++r)
        sum += std::norm(y(r, c) - fitted(r, c));
      setReal(results[1], n * right.columns + c, sum);
    }
    if (driver != LstsqDriver::Gels)
      storeScalar(results[2], n, HostScalar::of(least));
    for (int64_t k = 0; (driver == LstsqDriver::Gelsd || driver == LstsqDriver::Gelss) && k < least; ++k)
      setReal(results[3], n * least + k,
              std::sqrt(values(order[static_cast<size_t>(k)], order[static_cast<size_t>(k)]).real()));
    return success();
  });
}

} // namespace proa::pd
