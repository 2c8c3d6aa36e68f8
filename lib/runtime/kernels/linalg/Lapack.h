/// LAPACK and BLAS by element type, and loops over stacks of matrices.
///
/// OpenBLAS is kept on one thread a call: the loop over the stack is what is split, over the runtime's own
/// threads.
#pragma once

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/matmul/MatrixStack.h"
#include "lib/runtime/plan/Library.h"

#include <atomic>
#include <complex>
#include <mutex>

// The C headers' complex numbers are C's unless told otherwise; the layout is the same.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>
#include <lapacke.h>

namespace proa::runtime {

/// OpenBLAS built without threads keeps one set of buffers, and gives wrong numbers where two threads call it
/// at a time: they take turns then. A build with threads needs no lock.
std::unique_lock<std::mutex> turnAtBlas();

template <auto function> struct InTurn;
template <class Result, class... Arguments, Result (*function)(Arguments...)> struct InTurn<function> {
  static Result call(Arguments... arguments) {
    auto turn = turnAtBlas();
    return function(arguments...);
  }
};

/// The functions of LAPACK for matrices of T, by their names without the type's letter. Those with "_work" in
/// LAPACKE are plain calls; the others bring their own workspace.
template <class T> struct Lapack;

#define PROA_LAPACK(Type, RealType, s, orthogonal, symmetric)                                                \
  template <> struct Lapack<Type> {                                                                          \
    using Real = RealType;                                                                                   \
    static constexpr auto potrf = InTurn<LAPACKE_##s##potrf_work>::call;                                     \
    static constexpr auto potrs = InTurn<LAPACKE_##s##potrs_work>::call;                                     \
    static constexpr auto getrf = InTurn<LAPACKE_##s##getrf_work>::call;                                     \
    static constexpr auto getrs = InTurn<LAPACKE_##s##getrs_work>::call;                                     \
    static constexpr auto geqrf = InTurn<LAPACKE_##s##geqrf>::call;                                          \
    static constexpr auto orgqr = InTurn<LAPACKE_##s##orthogonal##gqr>::call;                                \
    static constexpr auto gesdd = InTurn<LAPACKE_##s##gesdd>::call;                                          \
    static constexpr auto syevd = InTurn<LAPACKE_##s##symmetric##evd>::call;                                 \
    static constexpr auto geev = InTurn<LAPACKE_##s##geev>::call;                                            \
    static constexpr auto gels = InTurn<LAPACKE_##s##gels>::call;                                            \
    static constexpr auto gelsy = InTurn<LAPACKE_##s##gelsy>::call;                                          \
    static constexpr auto gelsd = InTurn<LAPACKE_##s##gelsd>::call;                                          \
    static constexpr auto gelss = InTurn<LAPACKE_##s##gelss>::call;                                          \
    static constexpr auto trsm = InTurn<cblas_##s##trsm>::call;                                              \
    static constexpr auto gemm = InTurn<cblas_##s##gemm>::call;                                              \
  }
PROA_LAPACK(float, float, s, or, sy);
PROA_LAPACK(double, double, d, or, sy);
PROA_LAPACK(std::complex<float>, float, c, un, he);
PROA_LAPACK(std::complex<double>, double, z, un, he);
#undef PROA_LAPACK

template <class T> using RealOf = typename Lapack<T>::Real;
template <class T> inline constexpr bool isComplexType = !std::is_same_v<T, RealOf<T>>;

/// Calls body(T()) for the types that LAPACK has; false for other dtypes.
template <class Body> bool dispatchLapack(DType dtype, Body &&body) {
  return dispatchOneOf<float, double, std::complex<float>, std::complex<double>>(dtype, body);
}

/// `from` is rows x columns, row-major; `to` gets its transpose row-major, which is `from` column-major.
template <class T> void transposeMatrix(const T *from, int64_t rows, int64_t columns, T *to) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      to[c * rows + r] = from[r * columns + c];
}

template <class T> std::vector<T> columnMajor(const T *from, int64_t rows, int64_t columns) {
  std::vector<T> to(static_cast<size_t>(rows * columns));
  transposeMatrix(from, rows, columns, to.data());
  return to;
}

/// A column-major matrix back to row-major.
template <class T> void toRowMajor(const std::vector<T> &from, int64_t rows, int64_t columns, T *to) {
  transposeMatrix(from.data(), columns, rows, to);
}

/// LAPACK takes no matrix without a column; leading dimensions are at least 1.
inline lapack_int leading(int64_t rows) { return static_cast<lapack_int>(rows > 0 ? rows : 1); }

/// A number of rows or columns as BLAS takes it.
inline lapack_int blasSize(int64_t count) { return static_cast<lapack_int>(count); }

/// Keeps OpenBLAS from starting threads of its own.
void useOneBlasThread();

/// Calls body(i), which returns true if matrix i could be treated, for all matrices of a stack; `what`
/// completes "matrix 3 ..." where one could not.
template <class Body> Result<void> forEachMatrix(int64_t count, int64_t size, const char *what, Body &&body) {
  useOneBlasThread();
  std::atomic<int64_t> bad{-1};
  parallelFor(count, 1 + 4096 / (size + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (!body(i))
        bad = i;
  });
  return bad < 0 ? Result<void>() : failure("matrix {} {}", bad.load(), what);
}

} // namespace proa::runtime
