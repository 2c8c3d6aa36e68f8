/// The library kernels that take matrices apart: "cholesky" (x; upper), "lu" (x), "lu_permutation" (pivots,
/// rows; rows), "qr" (x; mode), "svd" (x; full_matrices), "eigh" (x; UPLO), "eig" and "eigvals" (x). All on
/// stacks of matrices.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/linalg/Lapack.h"

#include "dialects/pd/ops/linalg/Factor.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// Runs `body(T())` on the dtype of x, which must be one of LAPACK's.
template <class Body> Result<void> dispatchMatrices(const View &x, Body &&body) {
  Result<void> result;
  if (x.rank() < 2)
    return failure("expected matrices, found a tensor of rank {}", x.rank());
  bool known = dispatchLapack(x.dtype, [&](auto zero) { result = body(zero); });
  return known ? result : failure("matrices of {} are not supported", nameOf(x.dtype));
}

/// Memory for output i, or null where nobody reads it.
template <class T> Result<T *> outputOf(Call &call, size_t i, const std::vector<int64_t> &dims) {
  if (!call.hasOutput(i))
    return static_cast<T *>(nullptr);
  Result<View> view = call.output(i, dims);
  if (!view)
    return view.diagnostics();
  return view->as<T>();
}

template <class T> Result<void> cholesky(Call &call, bool upper) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  auto out = outputOf<T>(call, 0, stack.dimsWith({n, n}));
  if (!out)
    return out.diagnostics();
  return forEachMatrix(stack.count, stack.size() * n, "is not positive definite", [&](int64_t i) {
    T *a = *out + i * stack.size();
    std::copy_n(x.as<T>() + i * stack.size(), stack.size(), a);
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < n; ++c)
        if (upper ? c < r : c > r)
          a[r * n + c] = T(0);
    // Row-major memory is the transpose to LAPACK, whose other triangle holds the transpose of the factor.
    return Lapack<T>::potrf(LAPACK_COL_MAJOR, upper ? 'L' : 'U', static_cast<lapack_int>(n), a, leading(n)) ==
           0;
  });
}

template <class T> Result<void> lu(Call &call) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t least = std::min(stack.rows, stack.columns);
  auto out = outputOf<T>(call, 0, stack.dimsWith({stack.rows, stack.columns}));
  auto pivots = outputOf<int32_t>(call, 1, stack.dimsWith({least}));
  std::vector<int64_t> infoDims = stack.batch.empty() ? std::vector<int64_t>{1} : stack.batch;
  auto infos = outputOf<int32_t>(call, 2, infoDims);
  if (!out || !pivots || !infos)
    return !out ? out.diagnostics() : !pivots ? pivots.diagnostics() : infos.diagnostics();
  return forEachMatrix(stack.count, stack.size() * least, "cannot be factored", [&](int64_t i) {
    std::vector<T> a = columnMajor(x.as<T>() + i * stack.size(), stack.rows, stack.columns);
    std::vector<lapack_int> swaps(static_cast<size_t>(least));
    lapack_int info =
        Lapack<T>::getrf(LAPACK_COL_MAJOR, static_cast<lapack_int>(stack.rows),
                         static_cast<lapack_int>(stack.columns), a.data(), leading(stack.rows), swaps.data());
    if (*out)
      toRowMajor(a, stack.rows, stack.columns, *out + i * stack.size());
    if (*pivots)
      std::copy(swaps.begin(), swaps.end(), *pivots + i * least);
    if (*infos)
      (*infos)[i] = info;
    return info >= 0;
  });
}

/// Row swaps, counted from 1, to the matrix P of x = P L U.
Result<void> permutation(Call &call, int64_t rows) {
  const View &pivots = call.input(0);
  if (call.input(1)) {
    Result<std::vector<int64_t>> given = integersOf(call.input(1));
    if (!given)
      return given.diagnostics();
    if (given->size() != 1 || given->front() < 0)
      return failure("expected one number of rows, not negative");
    rows = given->front();
  }
  if (pivots.rank() < 1 || pivots.dtype != DType::Int32)
    return failure("expected a tensor of int32 pivots");
  std::vector<int64_t> dims(pivots.dims.begin(), pivots.dims.end() - 1);
  int64_t swaps = pivots.dims.back(), count = swaps == 0 ? 0 : pivots.size() / swaps;
  if (swaps == 0)
    for (int64_t &dim : dims)
      count = (count == 0 ? 1 : count) * dim;
  dims.insert(dims.end(), {rows, rows});
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  bool inRange = std::all_of(pivots.as<int32_t>(), pivots.as<int32_t>() + pivots.size(),
                             [&](int32_t pivot) { return pivot >= 1 && pivot <= rows; });
  if (!inRange || swaps > rows)
    return failure("pivots must be at most {} numbers from 1 to {}", rows, rows);
  bool known = dispatchLapack(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(out->template as<T>(), out->size(), T(0));
    std::vector<int64_t> order(static_cast<size_t>(rows));
    for (int64_t i = 0; i < out->size() / std::max<int64_t>(1, rows * rows); ++i) {
      for (int64_t r = 0; r < rows; ++r)
        order[static_cast<size_t>(r)] = r;
      for (int64_t k = 0; k < swaps; ++k)
        std::swap(order[static_cast<size_t>(k)],
                  order[static_cast<size_t>(pivots.as<int32_t>()[i * swaps + k] - 1)]);
      for (int64_t r = 0; r < rows; ++r)
        out->template as<T>()[(i * rows + order[static_cast<size_t>(r)]) * rows + r] = T(1);
    }
  });
  return known ? Result<void>() : failure("matrices of {} are not supported", nameOf(out->dtype));
}

template <class T> Result<void> qr(Call &call, QrMode mode) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
  int64_t width = mode == QrMode::Complete ? m : least;
  auto q = mode == QrMode::R ? Result<T *>(static_cast<T *>(nullptr))
                             : outputOf<T>(call, 0, stack.dimsWith({m, width}));
  auto r = outputOf<T>(call, 1, stack.dimsWith({width, n}));
  if (!q || !r)
    return !q ? q.diagnostics() : r.diagnostics();
  return forEachMatrix(stack.count, stack.size() * least, "cannot be factored", [&](int64_t i) {
    std::vector<T> a = columnMajor(x.as<T>() + i * stack.size(), m, n), factors(static_cast<size_t>(least));
    auto rows = static_cast<lapack_int>(m), inner = static_cast<lapack_int>(least);
    if (Lapack<T>::geqrf(LAPACK_COL_MAJOR, rows, static_cast<lapack_int>(n), a.data(), leading(m),
                         factors.data()) != 0)
      return false;
    if (*r)
      for (int64_t row = 0; row < width; ++row)
        for (int64_t column = 0; column < n; ++column)
          (*r)[(i * width + row) * n + column] =
              row <= column ? a[static_cast<size_t>(column * m + row)] : T(0);
    if (!*q)
      return true;
    a.resize(static_cast<size_t>(m * width));
    if (Lapack<T>::orgqr(LAPACK_COL_MAJOR, rows, static_cast<lapack_int>(width), inner, a.data(), leading(m),
                         factors.data()) != 0)
      return false;
    toRowMajor(a, m, width, *q + i * m * width);
    return true;
  });
}

template <class T> Result<void> svd(Call &call, bool full) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t m = stack.rows, n = stack.columns, least = std::min(m, n);
  int64_t left = full ? m : least, right = full ? n : least;
  auto u = outputOf<T>(call, 0, stack.dimsWith({m, left}));
  auto s = outputOf<RealOf<T>>(call, 1, stack.dimsWith({least}));
  auto v = outputOf<T>(call, 2, stack.dimsWith({right, n}));
  if (!u || !s || !v)
    return !u ? u.diagnostics() : !s ? s.diagnostics() : v.diagnostics();
  char job = !*u && !*v ? 'N' : full ? 'A' : 'S';
  return forEachMatrix(stack.count, stack.size() * least, "has no singular values that LAPACK finds (NaN?)",
                       [&](int64_t i) {
                         std::vector<T> a = columnMajor(x.as<T>() + i * stack.size(), m, n);
                         std::vector<T> us(static_cast<size_t>(job == 'N' ? 1 : m * left)),
                             vs(static_cast<size_t>(job == 'N' ? 1 : right * n));
                         std::vector<RealOf<T>> values(static_cast<size_t>(least));
                         if (Lapack<T>::gesdd(LAPACK_COL_MAJOR, job, static_cast<lapack_int>(m),
                                              static_cast<lapack_int>(n), a.data(), leading(m), values.data(),
                                              us.data(), leading(m), vs.data(), leading(right)) != 0)
                           return false;
                         if (*s)
                           std::copy(values.begin(), values.end(), *s + i * least);
                         if (*u)
                           toRowMajor(us, m, left, *u + i * m * left);
                         if (*v)
                           toRowMajor(vs, right, n, *v + i * right * n);
                         return true;
                       });
}

template <class T> Result<void> eigh(Call &call, bool upper) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  auto values = outputOf<RealOf<T>>(call, 0, stack.dimsWith({n}));
  auto vectors = outputOf<T>(call, 1, stack.dimsWith({n, n}));
  if (!values || !vectors)
    return !values ? values.diagnostics() : vectors.diagnostics();
  return forEachMatrix(
      stack.count, stack.size() * n, "has no eigenvalues that LAPACK finds (NaN?)", [&](int64_t i) {
        std::vector<T> a = columnMajor(x.as<T>() + i * stack.size(), n, n);
        std::vector<RealOf<T>> w(static_cast<size_t>(n));
        if (Lapack<T>::syevd(LAPACK_COL_MAJOR, *vectors ? 'V' : 'N', upper ? 'U' : 'L',
                             static_cast<lapack_int>(n), a.data(), leading(n), w.data()) != 0)
          return false;
        if (*values)
          std::copy(w.begin(), w.end(), *values + i * n);
        if (*vectors)
          toRowMajor(a, n, n, *vectors + i * n * n);
        return true;
      });
}

/// Eigenvalues, and eigenvectors as columns where `vectors` is not empty; false where LAPACK finds none.
template <class T>
bool generalEigen(std::vector<T> &a, int64_t n, std::vector<std::complex<RealOf<T>>> &values,
                  std::vector<std::complex<RealOf<T>>> &vectors) {
  auto order = static_cast<lapack_int>(n);
  char job = vectors.empty() ? 'N' : 'V';
  if constexpr (isComplexType<T>) {
    return Lapack<T>::geev(LAPACK_COL_MAJOR, 'N', job, order, a.data(), leading(n), values.data(), nullptr, 1,
                           vectors.data(), leading(n)) == 0;
  } else {
    std::vector<T> re(values.size()), im(values.size()), columns(vectors.size());
    if (Lapack<T>::geev(LAPACK_COL_MAJOR, 'N', job, order, a.data(), leading(n), re.data(), im.data(),
                        nullptr, 1, columns.data(), leading(n)) != 0)
      return false;
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = {re[k], im[k]};
    // A conjugate pair of eigenvalues has its vector's components in two columns.
    auto size = static_cast<size_t>(n);
    for (size_t k = 0; k < size && job == 'V'; ++k) {
      bool pair = im[k] != 0 && k + 1 < size;
      for (size_t row = 0; row < size; ++row) {
        vectors[k * size + row] = {columns[k * size + row], pair ? columns[(k + 1) * size + row] : T(0)};
        if (pair)
          vectors[(k + 1) * size + row] = std::conj(vectors[k * size + row]);
      }
      k += pair;
    }
    return true;
  }
}

template <class T> Result<void> eig(Call &call, bool withVectors) {
  const View &x = call.input(0);
  MatrixStack stack(x.dims);
  int64_t n = stack.rows;
  using Complex = std::complex<RealOf<T>>;
  auto values = outputOf<Complex>(call, 0, stack.dimsWith({n}));
  auto vectors = withVectors ? outputOf<Complex>(call, 1, stack.dimsWith({n, n}))
                             : Result<Complex *>(static_cast<Complex *>(nullptr));
  if (!values || !vectors)
    return !values ? values.diagnostics() : vectors.diagnostics();
  return forEachMatrix(
      stack.count, stack.size() * n, "has no eigenvalues that LAPACK finds (NaN?)", [&](int64_t i) {
        // Eigenvalues alone are taken from the transpose, which row-major memory is: in the order that Paddle
        // gives.
        const T *from = x.as<T>() + i * stack.size();
        std::vector<T> a = withVectors ? columnMajor(from, n, n) : std::vector<T>(from, from + n * n);
        std::vector<Complex> w(static_cast<size_t>(n)), columns(static_cast<size_t>(withVectors ? n * n : 0));
        if (!generalEigen(a, n, w, columns))
          return false;
        if (*values)
          std::copy(w.begin(), w.end(), *values + i * n);
        if (*vectors)
          toRowMajor(columns, n, n, *vectors + i * n * n);
        return true;
      });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeCholesky(const CholeskyAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  bool upper = op.upper;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([upper](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return cholesky<decltype(zero)>(call, upper); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeLu(const LuAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return lu<decltype(zero)>(call); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeLuPermutation(const LuPermutationAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  int64_t rows = op.rows;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([rows](Call &call) { return permutation(call, rows); });
}

Result<std::unique_ptr<LibraryKernel>> makeQr(const QrAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  QrMode mode = op.mode;
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([mode](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return qr<decltype(zero)>(call, mode); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeSvd(const SvdAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  bool full = op.fullMatrices;
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([full](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return svd<decltype(zero)>(call, full); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeEigh(const EighAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  bool upper = op.UPLO == Triangle::Upper;
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([upper](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return eigh<decltype(zero)>(call, upper); });
  });
}

static Result<std::unique_ptr<LibraryKernel>> makeGeneralEigen(const KernelRequest &request,
                                                               bool withVectors) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([withVectors](Call &call) {
    return dispatchMatrices(call.input(0), [&](auto zero) { return eig<decltype(zero)>(call, withVectors); });
  });
}

Result<std::unique_ptr<LibraryKernel>> makeEig(const EigAttributes &op, const KernelRequest &request) {
  return makeGeneralEigen(request, true);
}
Result<std::unique_ptr<LibraryKernel>> makeEigvals(const EigvalsAttributes &op,
                                                   const KernelRequest &request) {
  return makeGeneralEigen(request, false);
}

} // namespace proa::runtime
