#include "lib/runtime/cuda/RecordingDriver.h"
#include "lib/runtime/cuda/Solver.h"
#include "lib/runtime/kernels/linalg/Lapack.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::cuda {
namespace {

using runtime::dispatchLapack;
using runtime::isComplexType;
using runtime::Lapack;

/// A matrix of the double: memory of the host.
template <class T> struct Matrix {
  T *data;
  lapack_int rows, columns, leading;
  explicit Matrix(const DeviceMatrix &a)
      : data(reinterpret_cast<T *>(a.data)), rows(static_cast<lapack_int>(a.rows)),
        columns(static_cast<lapack_int>(a.columns)), leading(static_cast<lapack_int>(a.leading())) {}
};

class RecordingSolver final : public Solver {
public:
  explicit RecordingSolver(std::shared_ptr<RecordingDriver> driver) : driver(std::move(driver)) {}

  Result<size_t> workspaceBytes(Operation, DType dtype, const DeviceMatrix &, bool) override {
    bool known = dispatchLapack(dtype, [](auto) {});
    return known ? Result<size_t>(256)
                 : Result<size_t>(errorAt("", fmt::format("no matrices of {}", nameOf(dtype))));
  }

  Result<void> potrf(DType dtype, bool upper, const DeviceMatrix &a, DeviceAddress workspace,
                     DeviceAddress info, StreamHandle stream) override {
    return request("potrf", dtype, a, {a}, workspace, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a);
      return Lapack<decltype(zero)>::potrf(LAPACK_COL_MAJOR, upper ? 'U' : 'L', m.rows, m.data, m.leading);
    });
  }
  Result<void> potrs(DType dtype, bool upper, const DeviceMatrix &a, const DeviceMatrix &b,
                     DeviceAddress info, StreamHandle stream) override {
    return request("potrs", dtype, a, {a, b}, 0, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a), right(b);
      return Lapack<decltype(zero)>::potrs(LAPACK_COL_MAJOR, upper ? 'U' : 'L', m.rows, right.columns, m.data,
                                           m.leading, right.data, right.leading);
    });
  }
  Result<void> getrf(DType dtype, const DeviceMatrix &a, DeviceAddress pivots, DeviceAddress workspace,
                     DeviceAddress info, StreamHandle stream) override {
    return request("getrf", dtype, a, {a}, workspace, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a);
      return Lapack<decltype(zero)>::getrf(LAPACK_COL_MAJOR, m.rows, m.columns, m.data, m.leading,
                                           reinterpret_cast<lapack_int *>(pivots));
    });
  }
  Result<void> getrs(DType dtype, const DeviceMatrix &a, DeviceAddress pivots, const DeviceMatrix &b,
                     DeviceAddress info, StreamHandle stream) override {
    return request("getrs", dtype, a, {a, b}, 0, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a), right(b);
      return Lapack<decltype(zero)>::getrs(LAPACK_COL_MAJOR, 'N', m.rows, right.columns, m.data, m.leading,
                                           reinterpret_cast<lapack_int *>(pivots), right.data, right.leading);
    });
  }
  Result<void> geqrf(DType dtype, const DeviceMatrix &a, DeviceAddress tau, DeviceAddress workspace,
                     DeviceAddress info, StreamHandle stream) override {
    return request("geqrf", dtype, a, {a}, workspace, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a);
      return Lapack<decltype(zero)>::geqrf(LAPACK_COL_MAJOR, m.rows, m.columns, m.data, m.leading,
                                           reinterpret_cast<decltype(zero) *>(tau));
    });
  }
  Result<void> orgqr(DType dtype, const DeviceMatrix &a, int64_t count, DeviceAddress tau,
                     DeviceAddress workspace, DeviceAddress info, StreamHandle stream) override {
    return request("orgqr", dtype, a, {a}, workspace, info, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a);
      return Lapack<decltype(zero)>::orgqr(LAPACK_COL_MAJOR, m.rows, m.columns,
                                           static_cast<lapack_int>(count), m.data, m.leading,
                                           reinterpret_cast<decltype(zero) *>(tau));
    });
  }
  Result<void> syevd(DType dtype, bool vectors, bool upper, const DeviceMatrix &a, DeviceAddress values,
                     DeviceAddress workspace, DeviceAddress info, StreamHandle stream) override {
    return request("syevd", dtype, a, {a}, workspace, info, stream, [=](auto zero) {
      using T = decltype(zero);
      Matrix<T> m(a);
      return Lapack<T>::syevd(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', upper ? 'U' : 'L', m.rows, m.data,
                              m.leading, reinterpret_cast<runtime::RealOf<T> *>(values));
    });
  }
  Result<void> gesvdj(DType dtype, bool full, const DeviceMatrix &a, DeviceAddress values,
                      const DeviceMatrix &u, const DeviceMatrix &v, DeviceAddress workspace,
                      DeviceAddress info, StreamHandle stream) override {
    return request("gesvdj", dtype, a, {a, u, v}, workspace, info, stream, [=](auto zero) {
      using T = decltype(zero);
      Matrix<T> m(a), left(u), right(v);
      std::vector<T> vh(static_cast<size_t>(right.rows) * static_cast<size_t>(right.columns));
      lapack_int failed =
          Lapack<T>::gesdd(LAPACK_COL_MAJOR, full ? 'A' : 'S', m.rows, m.columns, m.data, m.leading,
                           reinterpret_cast<runtime::RealOf<T> *>(values), left.data, left.leading, vh.data(),
                           std::max<lapack_int>(right.columns, 1));
      // LAPACK gives v^H.
      for (lapack_int r = 0; r < right.rows; ++r)
        for (lapack_int c = 0; c < right.columns; ++c)
          right.data[c * right.leading + r] = conjugateOf(vh[static_cast<size_t>(r * right.columns + c)]);
      return failed;
    });
  }
  Result<void> trsm(DType dtype, bool upper, bool transposed, bool unit, bool left, const DeviceMatrix &a,
                    const DeviceMatrix &b, StreamHandle stream) override {
    return request("trsm", dtype, a, {a, b}, 0, 0, stream, [=](auto zero) {
      using T = decltype(zero);
      Matrix<T> m(a), right(b);
      auto call = [&](auto one) {
        Lapack<T>::trsm(CblasColMajor, left ? CblasLeft : CblasRight, upper ? CblasUpper : CblasLower,
                        transposed ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit, right.rows,
                        right.columns, one, m.data, m.leading, right.data, right.leading);
      };
      T one(1);
      if constexpr (isComplexType<T>)
        call(&one);
      else
        call(one);
      return 0;
    });
  }
  Result<void> transpose(DType dtype, bool conjugate, const DeviceMatrix &from, DeviceAddress to,
                         StreamHandle stream) override {
    DeviceMatrix target{to, from.columns, from.rows};
    return request("transpose", dtype, from, {from, target}, 0, 0, stream, [=](auto zero) {
      using T = decltype(zero);
      auto *source = reinterpret_cast<const T *>(from.data);
      auto *out = reinterpret_cast<T *>(to);
      for (int64_t c = 0; c < from.columns; ++c)
        for (int64_t r = 0; r < from.rows; ++r) {
          T value = source[c * from.leading() + r];
          out[r * from.columns + c] = conjugate ? conjugateOf(value) : value;
        }
      return 0;
    });
  }

  Result<void> clearOther(DType dtype, bool upper, const DeviceMatrix &a, DeviceAddress workspace,
                          StreamHandle stream) override {
    return request("clear", dtype, a, {a}, workspace, 0, stream, [=](auto zero) {
      Matrix<decltype(zero)> m(a);
      for (lapack_int c = 0; c < m.columns; ++c)
        for (lapack_int r = 0; r < m.rows; ++r)
          if (upper ? r > c : r < c)
            m.data[c * m.leading + r] = decltype(zero)(0);
      return 0;
    });
  }

private:
  std::shared_ptr<RecordingDriver> driver;

  template <class T> static T conjugateOf(T value) {
    if constexpr (isComplexType<T>)
      return std::conj(value);
    else
      return value;
  }

  /// Requests `body(T())`, whose result is written to `info`.
  template <class Body>
  Result<void> request(const char *name, DType dtype, const DeviceMatrix &a,
                       std::initializer_list<DeviceMatrix> matrices, DeviceAddress workspace,
                       DeviceAddress info, StreamHandle stream, Body body) {
    std::vector<std::pair<DeviceAddress, size_t>> regions;
    for (const DeviceMatrix &matrix : matrices)
      if (int64_t elements = matrix.columns > 0 ? (matrix.columns - 1) * matrix.leading() + matrix.rows : 0)
        regions.emplace_back(matrix.data, static_cast<size_t>(elements) * sizeOf(dtype));
    if (workspace)
      regions.emplace_back(workspace, 256);
    if (info)
      regions.emplace_back(info, sizeof(int32_t));
    return driver->request(stream, fmt::format("{} {} {}x{}", name, nameOf(dtype), a.rows, a.columns),
                           std::move(regions), [dtype, info, body] {
                             dispatchLapack(dtype, [&](auto zero) {
                               lapack_int code = body(zero);
                               if (info)
                                 *reinterpret_cast<int32_t *>(info) = static_cast<int32_t>(code);
                             });
                           });
  }
};

} // namespace

std::shared_ptr<Solver> recordingSolver(std::shared_ptr<RecordingDriver> driver) {
  return std::make_shared<RecordingSolver>(std::move(driver));
}

} // namespace proa::cuda
