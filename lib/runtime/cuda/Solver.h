/// Dense linear algebra on a device: cuSOLVER and cuBLAS, or a recording double for tests.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include "proa/Tensor.h"

#include <memory>
#include <string>

namespace proa::cuda {

class RecordingDriver;

/// A matrix in device memory, by columns as in LAPACK.
struct DeviceMatrix {
  DeviceAddress data = 0;
  int64_t rows = 0, columns = 0;
  int64_t apart = 0; ///< elements from column to column; 0: the columns are dense
  int64_t leading() const { return apart > 0 ? apart : rows > 0 ? rows : 1; }
};

/// Operations of LAPACK on one matrix of float32, float64, complex64 or complex128, named as there.
/// `info` is the address of one int32, where the result of the operation is written. Thread-safe.
class Solver {
public:
  enum class Operation : uint8_t { Potrf, Getrf, Geqrf, Orgqr, Syevd, Gesvdj };

  virtual ~Solver() = default;

  /// Bytes of the workspace of an operation; `job` is the job of its call. Error: the library does not
  /// support the dims.
  virtual Result<size_t> workspaceBytes(Operation operation, DType dtype, const DeviceMatrix &a,
                                        bool job) = 0;

  /// The factor of a positive definite matrix, in one triangle.
  virtual Result<void> potrf(DType dtype, bool upper, const DeviceMatrix &a, DeviceAddress workspace,
                             DeviceAddress info, StreamHandle stream) = 0;
  /// Solves with the factor of potrf; the solution replaces b.
  virtual Result<void> potrs(DType dtype, bool upper, const DeviceMatrix &a, const DeviceMatrix &b,
                             DeviceAddress info, StreamHandle stream) = 0;
  /// P A = L U; `pivots` are min(rows, columns) int32, counted from 1.
  virtual Result<void> getrf(DType dtype, const DeviceMatrix &a, DeviceAddress pivots,
                             DeviceAddress workspace, DeviceAddress info, StreamHandle stream) = 0;
  virtual Result<void> getrs(DType dtype, const DeviceMatrix &a, DeviceAddress pivots, const DeviceMatrix &b,
                             DeviceAddress info, StreamHandle stream) = 0;
  /// Householder vectors below the diagonal, R above; `tau` has min(rows, columns) elements.
  virtual Result<void> geqrf(DType dtype, const DeviceMatrix &a, DeviceAddress tau, DeviceAddress workspace,
                             DeviceAddress info, StreamHandle stream) = 0;
  /// The columns of Q from `count` Householder vectors in a, whose columns they replace.
  virtual Result<void> orgqr(DType dtype, const DeviceMatrix &a, int64_t count, DeviceAddress tau,
                             DeviceAddress workspace, DeviceAddress info, StreamHandle stream) = 0;
  /// Eigenvalues, ascending, and with `vectors` the eigenvectors as columns of a.
  virtual Result<void> syevd(DType dtype, bool vectors, bool upper, const DeviceMatrix &a,
                             DeviceAddress values, DeviceAddress workspace, DeviceAddress info,
                             StreamHandle stream) = 0;
  /// a = u diag(values) v^H, with min(rows, columns) columns of u and v, or with all of them (`full`).
  /// Destroys a.
  virtual Result<void> gesvdj(DType dtype, bool full, const DeviceMatrix &a, DeviceAddress values,
                              const DeviceMatrix &u, const DeviceMatrix &v, DeviceAddress workspace,
                              DeviceAddress info, StreamHandle stream) = 0;
  /// Solves op(a) x = b; x replaces b. `a` is one triangle of a square matrix.
  virtual Result<void> trsm(DType dtype, bool upper, bool transposed, bool unit, bool left,
                            const DeviceMatrix &a, const DeviceMatrix &b, StreamHandle stream) = 0;
  /// Sets what is not in one triangle of a square matrix to zero. The workspace has the bytes of the matrix.
  virtual Result<void> clearOther(DType dtype, bool upper, const DeviceMatrix &a, DeviceAddress workspace,
                                  StreamHandle stream) = 0;
  /// The transpose of `from`, with `conjugate` of its complex conjugate. `to` is dense.
  virtual Result<void> transpose(DType dtype, bool conjugate, const DeviceMatrix &from, DeviceAddress to,
                                 StreamHandle stream) = 0;
};

/// Loads cuSOLVER and cuBLAS. `file` replaces the search for cuSOLVER. Error: one of them is not found, or
/// the device cannot be used.
Result<std::shared_ptr<Solver>> openCusolver(std::shared_ptr<Driver> driver, const std::string &file = "");

/// Computes in host memory by LAPACK, in the order of the streams of `driver`. float32, float64, complex64
/// and complex128. The driver's log has a line for each operation: "potrf float32 4x4".
std::shared_ptr<Solver> recordingSolver(std::shared_ptr<RecordingDriver> driver);

} // namespace proa::cuda
