/// Fourier transforms on a device: cuFFT, or a recording double for tests.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include <compare>
#include <memory>
#include <string>
#include <vector>

namespace proa::cuda {

class RecordingDriver;

/// `batch` transforms over `lengths`, without a factor. Element k of a line is `stride` elements after
/// element k - 1, and line b begins at b * `distance`; several lengths are dense, row-major.
struct FourierTransform {
  enum class Kind : uint8_t {
    ComplexToComplex,
    RealToComplex, ///< forward; the last length becomes length / 2 + 1
    ComplexToReal  ///< backward; the last length comes from length / 2 + 1
  };

  Kind kind = Kind::ComplexToComplex;
  bool isDouble = false;
  bool forward = true;          ///< exponent -2 pi i; ComplexToComplex only
  std::vector<int64_t> lengths; ///< of the real or transformed side; one to three
  int64_t batch = 1;
  int64_t fromStride = 1, fromDistance = 0, toStride = 1, toDistance = 0;

  auto operator<=>(const FourierTransform &) const = default;
};

/// Thread-safe.
class Fft {
public:
  virtual ~Fft() = default;
  /// Bytes of the workspace that transform() needs. Error: the library does not support the transform.
  virtual Result<size_t> workspaceBytes(const FourierTransform &transform) = 0;
  /// Requests a transform on a stream. `from` and `to` may be equal for ComplexToComplex. ComplexToReal may
  /// write to `from`.
  virtual Result<void> transform(const FourierTransform &transform, DeviceAddress from, DeviceAddress to,
                                 DeviceAddress workspace, StreamHandle stream) = 0;
  /// Requests a multiplication of `count` real numbers by a factor.
  virtual Result<void> scale(bool isDouble, double factor, DeviceAddress data, int64_t count,
                             StreamHandle stream) = 0;
};

/// Loads cuFFT, and cuBLAS for factors. `file` replaces the search for cuFFT. Error: one of them is not
/// found, or the device cannot be used.
Result<std::shared_ptr<Fft>> openCufft(std::shared_ptr<Driver> driver, const std::string &file = "");

/// Computes in host memory, in the order of the streams of `driver`. The driver's log has lines "fft c2c
/// forward float32 8x4 batch 3", "scale 0.125 of 64".
std::shared_ptr<Fft> recordingFft(std::shared_ptr<RecordingDriver> driver);

} // namespace proa::cuda
