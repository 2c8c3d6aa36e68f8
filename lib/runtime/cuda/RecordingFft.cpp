#include "lib/runtime/cuda/Extents.h"
#include "lib/runtime/cuda/Fft.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <complex>
#include <numbers>

namespace proa::cuda {
namespace {

using Complex = std::complex<double>;

/// The stored lengths of one side: the last one of the half side holds length / 2 + 1 numbers.
std::vector<int64_t> storedLengths(const FourierTransform &t, bool isFrom) {
  std::vector<int64_t> lengths = t.lengths;
  bool isHalf = isFrom ? t.kind == FourierTransform::Kind::ComplexToReal
                       : t.kind == FourierTransform::Kind::RealToComplex;
  if (isHalf)
    lengths.back() = lengths.back() / 2 + 1;
  return lengths;
}

/// The definition, in double precision.
template <class T> class Definition {
public:
  Definition(const FourierTransform &transform, DeviceAddress from, DeviceAddress to)
      : t(transform), from(from), to(to), count(productOf(t.lengths)),
        sign(t.kind == FourierTransform::Kind::RealToComplex ||
                     (t.kind == FourierTransform::Kind::ComplexToComplex && t.forward)
                 ? -1
                 : 1) {}

  void run() const {
    std::vector<std::vector<Complex>> all;
    for (int64_t batch = 0; batch < t.batch; ++batch)
      all.push_back(read(batch));
    for (int64_t batch = 0; batch < t.batch; ++batch)
      for (int64_t k = 0; k < count; ++k)
        write(batch, k, transformed(all[static_cast<size_t>(batch)], k));
  }

private:
  const FourierTransform t;
  const DeviceAddress from, to;
  const int64_t count;
  const double sign;

  /// The coordinates of element `k` of the whole.
  std::vector<int64_t> indexOf(int64_t k) const {
    std::vector<int64_t> index(t.lengths.size());
    for (size_t axis = index.size(); axis-- > 0; k /= t.lengths[axis])
      index[axis] = k % t.lengths[axis];
    return index;
  }
  static int64_t offsetOf(const std::vector<int64_t> &index, const std::vector<int64_t> &lengths) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset = offset * lengths[axis] + index[axis];
    return offset;
  }

  std::vector<Complex> read(int64_t batch) const {
    std::vector<int64_t> stored = storedLengths(t, true);
    std::vector<Complex> values;
    for (int64_t k = 0; k < count; ++k) {
      std::vector<int64_t> index = indexOf(k);
      bool isMirrored = index.back() >= stored.back();
      for (size_t axis = 0; isMirrored && axis < index.size(); ++axis)
        index[axis] = (t.lengths[axis] - index[axis]) % t.lengths[axis];
      int64_t offset = batch * t.fromDistance + offsetOf(index, stored) * t.fromStride;
      if (t.kind == FourierTransform::Kind::RealToComplex) {
        values.emplace_back(reinterpret_cast<const T *>(from)[offset]);
        continue;
      }
      Complex value(reinterpret_cast<const std::complex<T> *>(from)[offset]);
      values.push_back(isMirrored ? std::conj(value) : value);
    }
    return values;
  }

  Complex transformed(const std::vector<Complex> &values, int64_t k) const {
    std::vector<int64_t> target = indexOf(k);
    Complex sum = 0;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> index = indexOf(i);
      double turns = 0;
      for (size_t axis = 0; axis < index.size(); ++axis)
        turns += static_cast<double>(index[axis] * target[axis] % t.lengths[axis]) /
                 static_cast<double>(t.lengths[axis]);
      sum += values[static_cast<size_t>(i)] * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
    }
    return sum;
  }

  void write(int64_t batch, int64_t k, Complex value) const {
    std::vector<int64_t> stored = storedLengths(t, false), index = indexOf(k);
    if (index.back() >= stored.back())
      return;
    int64_t offset = batch * t.toDistance + offsetOf(index, stored) * t.toStride;
    if (t.kind == FourierTransform::Kind::ComplexToReal)
      reinterpret_cast<T *>(to)[offset] = static_cast<T>(value.real());
    else
      reinterpret_cast<std::complex<T> *>(to)[offset] = std::complex<T>(value);
  }
};

class RecordingFft final : public Fft {
public:
  explicit RecordingFft(std::shared_ptr<RecordingDriver> driver) : driver(std::move(driver)) {}

  Result<size_t> workspaceBytes(const FourierTransform &t) override {
    if (t.lengths.empty() || t.lengths.size() > 3 || productOf(t.lengths) <= 0 || t.batch <= 0)
      return errorAt("", "invalid dims of a Fourier transform");
    return 256;
  }

  Result<void> transform(const FourierTransform &t, DeviceAddress from, DeviceAddress to,
                         DeviceAddress workspace, StreamHandle stream) override {
    if (Result<size_t> bytes = workspaceBytes(t); !bytes)
      return bytes.diagnostics();
    bool isReal = t.kind == FourierTransform::Kind::RealToComplex,
         toReal = t.kind == FourierTransform::Kind::ComplexToReal;
    size_t real = t.isDouble ? 8 : 4;
    auto bytes = [&](bool isFrom, int64_t stride, int64_t distance) {
      int64_t last = (t.batch - 1) * distance + (productOf(storedLengths(t, isFrom)) - 1) * stride;
      bool isComplex = isFrom ? !isReal : !toReal;
      return static_cast<size_t>(last + 1) * real * (isComplex ? 2 : 1);
    };
    std::vector<std::pair<DeviceAddress, size_t>> regions{{workspace, 256},
                                                          {from, bytes(true, t.fromStride, t.fromDistance)},
                                                          {to, bytes(false, t.toStride, t.toDistance)}};
    const char *kind = isReal ? "r2c" : toReal ? "c2r" : t.forward ? "c2c forward" : "c2c backward";
    return driver->request(stream,
                           fmt::format("fft {} {} {} batch {}", kind, t.isDouble ? "float64" : "float32",
                                       fmt::join(t.lengths, "x"), t.batch),
                           std::move(regions), [t, from, to] {
                             t.isDouble ? Definition<double>(t, from, to).run()
                                        : Definition<float>(t, from, to).run();
                           });
  }

  Result<void> scale(bool isDouble, double factor, DeviceAddress data, int64_t count,
                     StreamHandle stream) override {
    return driver->request(stream, fmt::format("scale {} of {}", factor, count),
                           {{data, static_cast<size_t>(count) * (isDouble ? 8 : 4)}}, [=] {
                             for (int64_t i = 0; i < count; ++i)
                               if (isDouble)
                                 reinterpret_cast<double *>(data)[i] *= factor;
                               else
                                 reinterpret_cast<float *>(data)[i] *= static_cast<float>(factor);
                           });
  }

private:
  std::shared_ptr<RecordingDriver> driver;
};

} // namespace

std::shared_ptr<Fft> recordingFft(std::shared_ptr<RecordingDriver> driver) {
  return std::make_shared<RecordingFft>(std::move(driver));
}

} // namespace proa::cuda
