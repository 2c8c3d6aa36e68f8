#include "lib/runtime/cuda/Blas.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace proa::cuda {
namespace {

/// Elements from the first to the last one of all matrices of a batch.
int64_t span(const MatrixLayout &layout, int64_t rows, int64_t columns, int64_t batch) {
  if (layout.isTransposed)
    std::swap(rows, columns);
  return (batch - 1) * layout.batchStride + (columns - 1) * layout.leading + rows;
}

template <class T> class Multiplication {
public:
  Multiplication(const LibraryMatmul &matmul, const MatrixAddresses &addresses) : p(matmul), at(addresses) {}

  void run() const {
    for (int64_t batch = 0; batch < p.batch; ++batch)
      for (int64_t j = 0; j < p.n; ++j)
        for (int64_t i = 0; i < p.m; ++i)
          element(at.d, p.d, batch, i, j) = static_cast<T>(valueOf(batch, i, j));
  }

private:
  const LibraryMatmul p;
  const MatrixAddresses at;

  static T &element(DeviceAddress address, const MatrixLayout &layout, int64_t batch, int64_t i, int64_t j) {
    if (layout.isTransposed)
      std::swap(i, j);
    return reinterpret_cast<T *>(address)[batch * layout.batchStride + j * layout.leading + i];
  }

  double valueOf(int64_t batch, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t k = 0; k < p.k; ++k)
      sum += static_cast<double>(element(at.a, p.a, batch, i, k)) * element(at.b, p.b, batch, k, j);
    sum *= p.alpha;
    if (p.hasAddend)
      sum += element(at.c, p.c, batch, i, j);
    if (p.hasBias)
      sum += reinterpret_cast<const T *>(at.bias)[i];
    switch (p.activation) {
    case LibraryMatmul::Activation::Relu:
      return std::max(sum, 0.0);
    case LibraryMatmul::Activation::GeluTanh:
      return 0.5 * sum * (1 + std::tanh(std::sqrt(2 / M_PI) * (sum + 0.044715 * sum * sum * sum)));
    case LibraryMatmul::Activation::None:
      break;
    }
    return sum;
  }
};

class RecordingBlas final : public Blas {
public:
  explicit RecordingBlas(std::shared_ptr<RecordingDriver> driver) : driver(std::move(driver)) {}

  size_t workspaceBytes() const override { return 256; }

  Result<void> multiply(const LibraryMatmul &p, const MatrixAddresses &at, DeviceAddress workspace,
                        StreamHandle stream) override {
    if (p.dtype != DType::Float32 && p.dtype != DType::Float64)
      return errorAt("", fmt::format("the recording library has no matmuls of {}", nameOf(p.dtype)));
    if (Result<void> valid = check(p); !valid)
      return valid;
    std::vector<std::pair<DeviceAddress, size_t>> regions{{workspace, workspaceBytes()}};
    auto add = [&](DeviceAddress address, int64_t elements) {
      regions.emplace_back(address, static_cast<size_t>(elements) * sizeOf(p.dtype));
    };
    add(at.a, span(p.a, p.m, p.k, p.batch));
    add(at.b, span(p.b, p.k, p.n, p.batch));
    add(at.d, span(p.d, p.m, p.n, p.batch));
    if (p.hasAddend)
      add(at.c, span(p.c, p.m, p.n, p.batch));
    if (p.hasBias)
      add(at.bias, p.m);
    return driver->request(stream, lineOf(p), std::move(regions), [p, at] {
      p.dtype == DType::Float32 ? Multiplication<float>(p, at).run() : Multiplication<double>(p, at).run();
    });
  }

private:
  std::shared_ptr<RecordingDriver> driver;

  /// The rules of cuBLASLt: columns do not overlap, and results of a batch are apart.
  static Result<void> check(const LibraryMatmul &p) {
    auto isValid = [](const MatrixLayout &layout, int64_t rows, int64_t columns) {
      return layout.leading >= (layout.isTransposed ? columns : rows);
    };
    bool valid = p.m > 0 && p.n > 0 && p.k > 0 && p.batch > 0 && isValid(p.a, p.m, p.k) &&
                 isValid(p.b, p.k, p.n) && isValid(p.d, p.m, p.n) && !p.d.isTransposed && !p.c.isTransposed &&
                 (!p.hasAddend || isValid(p.c, p.m, p.n)) && (p.batch == 1 || p.d.batchStride != 0);
    return valid ? Result<void>() : Result<void>(errorAt("", "invalid matrix layout"));
  }

  static std::string lineOf(const LibraryMatmul &p) {
    std::string line = fmt::format("multiply {} {}x{}x{} batch {}", nameOf(p.dtype), p.m, p.n, p.k, p.batch);
    if (p.hasAddend)
      line += " +addend";
    if (p.hasBias)
      line += " +bias";
    if (p.activation != LibraryMatmul::Activation::None)
      line += p.activation == LibraryMatmul::Activation::Relu ? " relu" : " gelu_tanh";
    if (p.allowsTf32)
      line += " tf32";
    return line;
  }
};

} // namespace

std::shared_ptr<Blas> recordingBlas(std::shared_ptr<RecordingDriver> driver) {
  return std::make_shared<RecordingBlas>(std::move(driver));
}

} // namespace proa::cuda
