/// Convolutions on a device: cuDNN, or a recording double for tests.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include "proa/Tensor.h"

#include <compare>
#include <memory>
#include <string>
#include <vector>

namespace proa::cuda {

class RecordingDriver;

/// A convolution (cross-correlation) of images with a filter, or one of its gradients:
/// result[n, o, p...] = sum over c, k... of image[n, c, p * stride + k * dilation - padding...] * filter[o,
/// c, k...]. Images are dense, [batch, channels, spatial...] or with the channels last. The filter is always
/// [out channels, channels / groups, k...]. All elements have one type.
struct Convolution {
  enum class Direction : uint8_t {
    Forward,       ///< image, filter -> result
    ImageGradient, ///< result, filter -> image: a transposed convolution
    FilterGradient ///< image, result -> filter
  };

  Direction direction = Direction::Forward;
  DType dtype = DType::Float32; ///< float16, bfloat16 and float32: sums in float32; float64: in float64
  bool channelsLast = false;    ///< how image and result lie in memory
  std::vector<int64_t> image, filter, result;        ///< dims, [batch, channels, spatial...] in any layout
  std::vector<int64_t> paddings, strides, dilations; ///< one number a spatial axis; padding on both sides
  int64_t groups = 1;
  // Of Forward: result = activation(convolution + addend + bias).
  bool hasBias = false;   ///< one element for each channel of the result
  bool hasAddend = false; ///< as the result
  bool hasRelu = false;
  bool allowsTf32 = false; ///< float32: the operands may be rounded to TF32, with 10 bits of mantissa

  auto operator<=>(const Convolution &) const = default;
};

/// The dim of the result along a spatial axis that follows from the others.
int64_t resultDim(const Convolution &convolution, size_t axis);

struct ConvolutionAddresses {
  DeviceAddress image = 0, filter = 0, result = 0, bias = 0, addend = 0;
};

/// Thread-safe.
class Dnn {
public:
  virtual ~Dnn() = default;
  /// Bytes of the workspace that convolve() needs. Error: the library does not support the convolution.
  virtual Result<size_t> workspaceBytes(const Convolution &convolution) = 0;
  /// Requests a convolution on a stream. `workspace` must not be used by work of other streams.
  virtual Result<void> convolve(const Convolution &convolution, const ConvolutionAddresses &addresses,
                                DeviceAddress workspace, StreamHandle stream) = 0;
};

/// Loads cuDNN 9. `file` replaces the search. Error: it is not found, or the device cannot be used.
Result<std::shared_ptr<Dnn>> openCudnn(std::shared_ptr<Driver> driver, const std::string &file = "");

/// Computes in host memory, in the order of the streams of `driver`. float32 and float64 only. The driver's
/// log has a line for each convolution: "convolve forward float32 [1, 2, 5, 5] * [3, 2, 3, 3] +bias relu".
std::shared_ptr<Dnn> recordingDnn(std::shared_ptr<RecordingDriver> driver);

} // namespace proa::cuda
