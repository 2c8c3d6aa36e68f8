/// Matmuls on a device: cuBLASLt, or a recording double for tests.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include "proa/Tensor.h"

#include <compare>
#include <memory>
#include <string>

namespace proa::cuda {

class RecordingDriver;

/// How a matrix lies in memory: by columns, `leading` elements apart.
struct MatrixLayout {
  bool isTransposed = false; ///< memory holds the transposed matrix; only of operands
  int64_t leading = 1;
  int64_t batchStride = 0; ///< elements between the matrices of a batch; 0: all are the same one

  auto operator<=>(const MatrixLayout &) const = default;
};

/// D = activation(alpha * A * B + C + bias) for each matrix of a batch: A is m x k, B is k x n, C and D are m
/// x n; the bias has m elements. All elements have one type.
struct LibraryMatmul {
  enum class Activation : uint8_t { None, Relu, GeluTanh };

  DType dtype = DType::Float32; ///< float16, bfloat16 and float32: sums in float32; float64: in float64
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  MatrixLayout a, b, c, d;
  bool hasAddend = false; ///< C
  bool hasBias = false;
  Activation activation = Activation::None;
  double alpha = 1;
  bool allowsTf32 = false; ///< float32: the operands may be rounded to TF32, with 10 bits of mantissa

  auto operator<=>(const LibraryMatmul &) const = default;
};

struct MatrixAddresses {
  DeviceAddress a = 0, b = 0, c = 0, d = 0, bias = 0; ///< c: only with an addend; it may be d
};

/// Thread-safe.
class Blas {
public:
  virtual ~Blas() = default;
  /// Bytes of the workspace that multiply() gets.
  virtual size_t workspaceBytes() const = 0;
  /// Requests a matmul on a stream. `workspace` must not be used by work of other streams. Error: the
  /// library does not support the matmul.
  virtual Result<void> multiply(const LibraryMatmul &matmul, const MatrixAddresses &addresses,
                                DeviceAddress workspace, StreamHandle stream) = 0;
};

/// Loads cuBLASLt, which remembers the algorithm of each matmul that it was asked for. `library` is the name
/// of the library; empty: the library of CUDA 13 or 12, in the search path of libraries or in $CUDA_HOME.
/// Error: it is not found, or the device cannot be used.
Result<std::shared_ptr<Blas>> openCublasLt(std::shared_ptr<Driver> driver, const std::string &library = "");

/// Computes in host memory, in the order of the streams of `driver`. float32 and float64 only. The driver's
/// log has a line for each matmul: "multiply float32 2x3x4 batch 1 +bias relu".
std::shared_ptr<Blas> recordingBlas(std::shared_ptr<RecordingDriver> driver);

} // namespace proa::cuda
