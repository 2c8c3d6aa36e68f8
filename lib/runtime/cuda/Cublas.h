/// cuBLAS, for the parts of cuFFT's and cuSOLVER's operations that these libraries lack.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include "proa/Tensor.h"

#include <complex>
#include <memory>
#include <mutex>
#include <string>

namespace proa::cuda {

/// The functions of cublas_api.h, with 64-bit sizes (CUDA 12 and 13). One call at a time: take the
/// lock.
class Cublas {
public:
  struct Api; ///< the functions of the library
  /// Error: the library is not found, or the device cannot be used.
  static Result<std::shared_ptr<Cublas>> open(std::shared_ptr<Driver> driver);
  ~Cublas();

  /// x *= factor, of `count` real numbers.
  Result<void> scale(bool isDouble, double factor, DeviceAddress x, int64_t count, StreamHandle stream);
  /// to[j, i] = from[i, j], by columns; `conjugate`: of the complex conjugate.
  Result<void> transpose(DType dtype, bool conjugate, DeviceAddress from, int64_t rows, int64_t columns,
                         int64_t leading, DeviceAddress to, StreamHandle stream);
  /// Sets what is not in one triangle of an n x n matrix to zero. The workspace has n * n elements.
  Result<void> clearOther(DType dtype, bool upper, DeviceAddress a, int64_t n, int64_t leading,
                          DeviceAddress workspace, StreamHandle stream);
  struct Triangle {
    bool upper = false, transposed = false, unit = false, left = true;
  };
  /// Solves op(a) x = b, or x op(a) = b; x replaces b, which has `rows` rows.
  Result<void> trsm(DType dtype, const Triangle &triangle, DeviceAddress a, DeviceAddress b, int64_t rows,
                    int64_t columns, StreamHandle stream);

private:
  Cublas(std::unique_ptr<Api> api, std::shared_ptr<Driver> driver, void *handle);
  Result<void> select(StreamHandle stream);
  Result<void> result(const char *function, int status) const;

  std::unique_ptr<Api> api;
  std::shared_ptr<Driver> driver;
  void *handle;
  std::mutex mutex;
};

} // namespace proa::cuda
