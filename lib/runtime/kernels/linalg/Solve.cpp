/// The library kernels on systems of linear equations: "solve" (x, y), "cholesky_solve" (y, factor; upper),
/// "triangular_solve" (x, y; upper, transpose, unitriangular), "inverse" (x), "det" (x), "slogdet" (x) and
/// "lstsq" (x, y; rcond, driver). All on stacks of matrices; the stacks of x and y are broadcast together.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/linalg/Lapack.h"

#include "dialects/pd/ops/linalg/Solve.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

constexpr const char *singular = "is singular: it has no inverse";

template <class Body> Result<void> dispatchMatrices(const View &x, const View &y, Body &&body) {
  if (x.rank() < 2 || (y && y.rank() < 1))
    return failure("expected matrices, found tensors of rank {} and {}", x.rank(), y ? y.rank() : 2);
  if (y && y.dtype != x.dtype)
    return failure("expected one dtype, found {} and {}", nameOf(x.dtype), nameOf(y.dtype));
  Result<void> result;
  bool known = dispatchLapack(x.dtype, [&](auto zero) { result = body(zero); });
  return known ? result : failure("matrices of {} are not supported", nameOf(x.dtype));
}

/// A factored matrix; not `regular` where some pivot is zero or NaN.
template <class T> struct Factored {
  std::vector<T> a;
  std::vector<lapack_int> pivots;
  int64_t n;
  bool regular = true;

  Factored(const T *rowMajor, int64_t n)
      : a(columnMajor(rowMajor, n, n)), pivots(static_cast<size_t>(n)), n(n) {
    auto order = static_cast<lapack_int>(n);
    Lapack<T>::getrf(LAPACK_COL_MAJOR, order, order, a.data(), leading(n), pivots.data());
    for (int64_t i = 0; i < n; ++i)
      regular = regular && std::abs(diagonal(i)) > 0;
  }
  T diagonal(int64_t i) const { return a[static_cast<size_t>(i * n + i)]; }
  bool isOdd() const {
    bool odd = false;
    for (int64_t i = 0; i < n; ++i)
      odd ^= pivots[static_cast<size_t>(i)] != i + 1;
    return odd;
  }
  /// b, column-major of `columns` columns, becomes the solution.
  void solve(std::vector<T> &b, int64_t columns) {
    Lapack<T>::getrs(LAPACK_COL_MAJOR, 'N', static_cast<lapack_int>(n), static_cast<lapack_int>(columns),
                     a.data(), leading(n), pivots.data(), b.data(), leading(n));
  }
};

template <class T> Result<void> solve(Call &call) {
  const View &x = call.input(0), &y = call.input(1);
  bool vectors = holdsVectors(x.dims, y.dims);
  std::vector<int64_t> yDims(y.dims.begin(), y.dims.end());
  if (vectors)
    yDims.push_back(1);
  auto system = LinearSystem::of(x.dims, yDims);
  if (!system)
    return system.diagnostics();
  std::vector<int64_t> outDims = system->outDims();
  if (vectors)
    outDims.pop_back();
  Result<View> out = call.output(0, outDims);
  if (!out)
    return out.diagnostics();
  BroadcastStack xAt(system->x.batch, system->batch), yAt(system->y.batch, system->batch);
  int64_t n = system->x.rows, k = system->y.columns;
  return forEachMatrix(system->count, n * n * n, singular, [&](int64_t i) {
    Factored<T> factored(x.as<T>() + xAt(i) * n * n, n);
    if (!factored.regular)
      return false;
    std::vector<T> b = columnMajor(y.as<T>() + yAt(i) * n * k, n, k);
    factored.solve(b, k);
    toRowMajor(b, n, k, out->template as<T>() + i * n * k);
    return true;
  });
}

template <class T> Result<void> choleskySolve(Call &call, bool upper) {
  const View &y = call.input(0), &factor = call.input(1);
  auto system = LinearSystem::of(factor.dims, y.dims);
  if (!system)
    return system.diagnostics();
  Result<View> out = call.output(0, system->outDims());
  if (!out)
    return out.diagnostics();
  BroadcastStack xAt(system->x.batch, system->batch), yAt(system->y.batch, system->batch);
  int64_t n = system->x.rows, k = system->y.columns;
  return forEachMatrix(system->count, n * n * k, singular, [&](int64_t i) {
    std::vector<T> a = columnMajor(factor.as<T>() + xAt(i) * n * n, n, n),
                   b = columnMajor(y.as<T>() + yAt(i) * n * k, n, k);
    lapack_int info =
        Lapack<T>::potrs(LAPACK_COL_MAJOR, upper ? 'U' : 'L', static_cast<lapack_int>(n),
                         static_cast<lapack_int>(k), a.data(), leading(n), b.data(), leading(n));
    toRowMajor(b, n, k, out->template as<T>() + i * n * k);
    return info == 0;
  });
}

struct TriangularSystem {
  bool upper, transpose, unit;
};

template <class T> Result<void> triangularSolve(Call &call, TriangularSystem triangle) {
  const View &x = call.input(0), &y = call.input(1);
  auto system = LinearSystem::of(x.dims, y.dims);
  if (!system)
    return system.diagnostics();
  Result<View> out = call.output(0, system->outDims());
  if (!out)
    return out.diagnostics();
  BroadcastStack xAt(system->x.batch, system->batch), yAt(system->y.batch, system->batch);
  int64_t n = system->x.rows, k = system->y.columns;
  return forEachMatrix(n * k == 0 ? 0 : system->count, n * n * k, singular, [&](int64_t i) {
    T *to = out->template as<T>() + i * n * k;
    std::copy_n(y.as<T>() + yAt(i) * n * k, n * k, to);
    auto call = [&](auto one) {
      Lapack<T>::trsm(CblasRowMajor, CblasLeft, triangle.upper ? CblasUpper : CblasLower,
                      triangle.transpose ? CblasTrans : CblasNoTrans,
                      triangle.unit ? CblasUnit : CblasNonUnit, static_cast<int>(n), static_cast<int>(k), one,
                      x.as<T>() + xAt(i) * n * n, leading(n), to, leading(k));
    };
    T one(1);
    if constexpr (isComplexType<T>)
      call(&one);
    else
      call(one);
    return true;
  });
}

template <class T> Result<void> inverse(Call &call) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  Result<View> out = call.output(0, x.dims);
  if (!out)
    return out.diagnostics();
  return forEachMatrix(stack.count, n * n * n, singular, [&](int64_t i) {
    Factored<T> factored(x.as<T>() + i * n * n, n);
    if (!factored.regular)
      return false;
    std::vector<T> b(static_cast<size_t>(n * n), T(0));
    for (int64_t k = 0; k < n; ++k)
      b[static_cast<size_t>(k * n + k)] = T(1);
    factored.solve(b, n);
    toRowMajor(b, n, n, out->template as<T>() + i * n * n);
    return true;
  });
}

template <class T> Result<void> determinant(Call &call) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  Result<View> out = call.output(0, stack.batch);
  if (!out)
    return out.diagnostics();
  return forEachMatrix(stack.count, stack.size() * stack.rows, singular, [&](int64_t i) {
    Factored<T> factored(x.as<T>() + i * stack.size(), stack.rows);
    T product(factored.isOdd() ? -1 : 1);
    for (int64_t k = 0; k < stack.rows; ++k)
      product *= factored.diagonal(k);
    out->template as<T>()[i] = product;
    return true;
  });
}

/// Signs, then logarithms of absolute values.
template <class T> Result<void> signAndLogarithm(Call &call) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  std::vector<int64_t> dims = stack.batch;
  dims.insert(dims.begin(), 2);
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  return forEachMatrix(stack.count, stack.size() * stack.rows, singular, [&](int64_t i) {
    Factored<T> factored(x.as<T>() + i * stack.size(), stack.rows);
    T sign(factored.isOdd() ? -1 : 1);
    RealOf<T> logarithm = 0;
    for (int64_t k = 0; k < stack.rows; ++k) {
      T pivot = factored.diagonal(k);
      RealOf<T> size = std::abs(pivot);
      sign = size == 0 ? T(0) : sign * (pivot / size);
      logarithm += std::log(size);
    }
    out->template as<T>()[i] = sign;
    out->template as<T>()[stack.count + i] = logarithm;
    return true;
  });
}

struct LeastSquares {
  double rcond = -1;
  LstsqDriver driver = LstsqDriver::Gelsy;
};

/// One problem by the driver of LAPACK; b has max(m, n) rows. Singular values are left as they are where it
/// finds none.
template <class T>
bool solveLeastSquares(const LeastSquares &attributes, std::vector<T> &a, std::vector<T> &b, int64_t m,
                       int64_t n, int64_t k, int32_t &rank, std::vector<RealOf<T>> &values) {
  auto rows = static_cast<lapack_int>(m), columns = static_cast<lapack_int>(n),
       right = static_cast<lapack_int>(k);
  lapack_int lda = leading(m), ldb = leading(std::max(m, n)), found = 0, info = 0;
  auto rcond = static_cast<RealOf<T>>(attributes.rcond);
  if (attributes.driver == LstsqDriver::Gels) {
    info = Lapack<T>::gels(LAPACK_COL_MAJOR, 'N', rows, columns, right, a.data(), lda, b.data(), ldb);
  } else if (attributes.driver == LstsqDriver::Gelsy) {
    std::vector<lapack_int> order(static_cast<size_t>(n), 0);
    info = Lapack<T>::gelsy(LAPACK_COL_MAJOR, rows, columns, right, a.data(), lda, b.data(), ldb,
                            order.data(), rcond, &found);
  } else {
    auto driver = attributes.driver == LstsqDriver::Gelsd ? Lapack<T>::gelsd : Lapack<T>::gelss;
    info = driver(LAPACK_COL_MAJOR, rows, columns, right, a.data(), lda, b.data(), ldb, values.data(), rcond,
                  &found);
  }
  rank = found;
  return info == 0;
}

/// Sums of |y - x solution|^2, one for each column; solution is column-major with `ld` rows.
template <class T>
void residuals(const T *x, const T *y, const std::vector<T> &solution, int64_t ld, int64_t m, int64_t n,
               int64_t k, T *out) {
  for (int64_t c = 0; c < k; ++c) {
    RealOf<T> sum = 0;
    for (int64_t r = 0; r < m; ++r) {
      T rest = y[r * k + c];
      for (int64_t j = 0; j < n; ++j)
        rest -= x[r * n + j] * solution[static_cast<size_t>(c * ld + j)];
      sum += std::norm(rest);
    }
    out[c] = sum;
  }
}

template <class T> Result<void> leastSquares(Call &call, const LeastSquares &attributes) {
  const View &x = call.input(0), &y = call.input(1);
  MatrixStack xs(x.dims), ys(y.dims);
  int64_t m = xs.rows, n = xs.columns, k = ys.columns, most = std::max(m, n), least = std::min(m, n);
  if (ys.rows != m || ys.batch != xs.batch)
    return failure("expected stacks of matrices with as many rows, found {}x{} and {}x{}", m, n, ys.rows, k);
  bool hasRank = attributes.driver != LstsqDriver::Gels,
       hasValues = attributes.driver == LstsqDriver::Gelsd || attributes.driver == LstsqDriver::Gelss;
  std::vector<int64_t> dims[] = {xs.dimsWith({n, k}), m > n ? xs.dimsWith({k}) : std::vector<int64_t>{0},
                                 hasRank ? xs.batch : std::vector<int64_t>{0},
                                 hasValues ? xs.dimsWith({least}) : std::vector<int64_t>{0}};
  View outs[4];
  for (size_t i = 0; i < 4; ++i)
    if (call.hasOutput(i)) {
      Result<View> out = call.output(i, dims[i]);
      if (!out)
        return out.diagnostics();
      outs[i] = *out;
    }
  return forEachMatrix(xs.count, xs.size() * least, "has no least squares solution that LAPACK finds",
                       [&](int64_t i) {
                         const T *xi = x.as<T>() + i * m * n, *yi = y.as<T>() + i * m * k;
                         std::vector<T> a = columnMajor(xi, m, n), b(static_cast<size_t>(most * k), T(0));
                         for (int64_t r = 0; r < m; ++r)
                           for (int64_t c = 0; c < k; ++c)
                             b[static_cast<size_t>(c * most + r)] = yi[r * k + c];
                         int32_t rank = 0;
                         std::vector<RealOf<T>> values(static_cast<size_t>(least));
                         if (!solveLeastSquares<T>(attributes, a, b, m, n, k, rank, values))
                           return false;
                         for (int64_t r = 0; r < n && outs[0]; ++r)
                           for (int64_t c = 0; c < k; ++c)
                             outs[0].as<T>()[(i * n + r) * k + c] = b[static_cast<size_t>(c * most + r)];
                         if (outs[1] && m > n)
                           residuals<T>(xi, yi, b, most, m, n, k, outs[1].as<T>() + i * k);
                         if (outs[2] && hasRank)
                           outs[2].as<int32_t>()[i] = rank;
                         if (outs[3] && hasValues)
                           std::copy(values.begin(), values.end(), outs[3].as<RealOf<T>>() + i * least);
                         return true;
                       });
}

template <class Run>
Result<std::unique_ptr<LibraryKernel>> makeChecked(Checks &checks, size_t inputs, Run run) {
  checks.expectOperands(inputs, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([run](Call &call) {
    return dispatchMatrices(call.input(0), call.input(1), [&](auto zero) { return run(call, zero); });
  });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeSolve(const SolveAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  return makeChecked(checks, 2, [](Call &call, auto zero) { return solve<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeCholeskySolve(const CholeskySolveAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  bool upper = op.upper;
  return makeChecked(checks, 2,
                     [upper](Call &call, auto zero) { return choleskySolve<decltype(zero)>(call, upper); });
}

Result<std::unique_ptr<LibraryKernel>> makeTriangularSolve(const TriangularSolveAttributes &op,
                                                           const KernelRequest &request) {
  Checks checks(request);
  TriangularSystem triangle{op.upper, op.transpose, op.unitriangular};
  return makeChecked(checks, 2, [triangle](Call &call, auto zero) {
    return triangularSolve<decltype(zero)>(call, triangle);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeInverse(const InverseAttributes &op,
                                                   const KernelRequest &request) {
  Checks checks(request);
  return makeChecked(checks, 1, [](Call &call, auto zero) { return inverse<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeDet(const DetAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  return makeChecked(checks, 1, [](Call &call, auto zero) { return determinant<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeSlogdet(const SlogdetAttributes &op,
                                                   const KernelRequest &request) {
  Checks checks(request);
  return makeChecked(checks, 1, [](Call &call, auto zero) { return signAndLogarithm<decltype(zero)>(call); });
}

Result<std::unique_ptr<LibraryKernel>> makeLstsq(const LstsqAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  LeastSquares attributes{op.rcond, op.driver};
  return makeChecked(checks, 2, [attributes](Call &call, auto zero) {
    return leastSquares<decltype(zero)>(call, attributes);
  });
}

} // namespace proa::runtime
