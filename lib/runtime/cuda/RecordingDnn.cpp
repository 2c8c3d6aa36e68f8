#include "lib/runtime/cuda/Dnn.h"
#include "lib/runtime/cuda/Extents.h"
#include "lib/runtime/cuda/RecordingDriver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace proa::cuda {
namespace {

/// An image in memory: the offset of an element by its index in [batch, channels, spatial...].
class Layout {
public:
  Layout(const std::vector<int64_t> &dims, bool channelsLast) : dims(dims), strides(dims.size(), 1) {
    std::vector<size_t> order(dims.size()); // from the slowest to the fastest
    for (size_t axis = 0; axis < dims.size(); ++axis)
      order[axis] = axis;
    if (channelsLast)
      std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    int64_t next = 1;
    for (size_t i = order.size(); i-- > 0; next *= dims[order[i]])
      strides[order[i]] = next;
  }
  int64_t operator()(const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      offset += index[axis] * strides[axis];
    return offset;
  }

private:
  const std::vector<int64_t> &dims;
  std::vector<int64_t> strides;
};

/// Calls `visit` with each index below the dims.
template <class Visit> void forEachIndex(const std::vector<int64_t> &dims, Visit visit) {
  if (productOf(dims) == 0)
    return;
  std::vector<int64_t> index(dims.size(), 0);
  for (;;) {
    visit(index);
    size_t axis = dims.size();
    while (axis > 0 && ++index[axis - 1] == dims[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

template <class T> class Computation {
public:
  Computation(const Convolution &convolution, const ConvolutionAddresses &addresses)
      : c(convolution), at(addresses) {}

  /// Adds each product to the element that the direction computes.
  void run() const {
    Layout image(c.image, c.channelsLast), result(c.result, c.channelsLast), filter(c.filter, false);
    auto *images = reinterpret_cast<T *>(at.image), *filters = reinterpret_cast<T *>(at.filter),
         *results = reinterpret_cast<T *>(at.result);
    bool isForward = c.direction == Convolution::Direction::Forward,
         isImage = c.direction == Convolution::Direction::ImageGradient;
    std::vector<double> sums(static_cast<size_t>(productOf(isForward ? c.result
                                                           : isImage ? c.image
                                                                     : c.filter)));
    forEachIndex(c.result, [&](const std::vector<int64_t> &at) {
      forEachIndex(std::vector<int64_t>(c.filter.begin() + 1, c.filter.end()),
                   [&](const std::vector<int64_t> &k) {
                     std::vector<int64_t> source = sourceOf(at, k), weight{at[1]};
                     if (source.empty())
                       return;
                     weight.insert(weight.end(), k.begin(), k.end());
                     int64_t i = image(source), f = filter(weight), r = result(at);
                     if (isForward)
                       sums[static_cast<size_t>(r)] += double(images[i]) * double(filters[f]);
                     else if (isImage)
                       sums[static_cast<size_t>(i)] += double(results[r]) * double(filters[f]);
                     else
                       sums[static_cast<size_t>(f)] += double(images[i]) * double(results[r]);
                   });
    });
    T *out = isForward ? results : isImage ? images : filters;
    if (isForward)
      forEachIndex(c.result, [&](const std::vector<int64_t> &at) { finish(sums, at[1], result(at)); });
    std::ranges::transform(sums, out, [](double sum) { return static_cast<T>(sum); });
  }

private:
  const Convolution c;
  const ConvolutionAddresses at;

  /// The index of the image element that filter element [channel, k...] multiplies; empty: it is padding.
  std::vector<int64_t> sourceOf(const std::vector<int64_t> &result, const std::vector<int64_t> &k) const {
    int64_t group = result[1] / (c.result[1] / c.groups);
    std::vector<int64_t> source{result[0], group * c.filter[1] + k[0]};
    for (size_t axis = 0; axis < c.strides.size(); ++axis) {
      int64_t index = result[2 + axis] * c.strides[axis] + k[1 + axis] * c.dilations[axis] - c.paddings[axis];
      if (index < 0 || index >= c.image[2 + axis])
        return {};
      source.push_back(index);
    }
    return source;
  }

  void finish(std::vector<double> &sums, int64_t channel, int64_t offset) const {
    double &sum = sums[static_cast<size_t>(offset)];
    if (c.hasAddend)
      sum += reinterpret_cast<const T *>(at.addend)[offset];
    if (c.hasBias)
      sum += reinterpret_cast<const T *>(at.bias)[channel];
    if (c.hasRelu)
      sum = std::max(sum, 0.0);
  }
};

class RecordingDnn final : public Dnn {
public:
  explicit RecordingDnn(std::shared_ptr<RecordingDriver> driver) : driver(std::move(driver)) {}

  Result<size_t> workspaceBytes(const Convolution &c) override {
    for (size_t axis = 0; axis < c.strides.size(); ++axis)
      if (resultDim(c, axis) != c.result[2 + axis])
        return errorAt("", "invalid dims of a convolution");
    if (c.dtype != DType::Float32 && c.dtype != DType::Float64)
      return errorAt("", fmt::format("the recording library has no convolutions of {}", nameOf(c.dtype)));
    return 256;
  }

  Result<void> convolve(const Convolution &c, const ConvolutionAddresses &at, DeviceAddress workspace,
                        StreamHandle stream) override {
    if (Result<size_t> bytes = workspaceBytes(c); !bytes)
      return bytes.diagnostics();
    std::vector<std::pair<DeviceAddress, size_t>> regions{{workspace, 256}};
    auto add = [&](DeviceAddress address, int64_t elements) {
      regions.emplace_back(address, static_cast<size_t>(elements) * sizeOf(c.dtype));
    };
    add(at.image, productOf(c.image));
    add(at.filter, productOf(c.filter));
    add(at.result, productOf(c.result));
    if (c.hasAddend)
      add(at.addend, productOf(c.result));
    if (c.hasBias)
      add(at.bias, c.result[1]);
    return driver->request(stream, lineOf(c), std::move(regions), [c, at] {
      c.dtype == DType::Float32 ? Computation<float>(c, at).run() : Computation<double>(c, at).run();
    });
  }

private:
  std::shared_ptr<RecordingDriver> driver;

  static std::string lineOf(const Convolution &c) {
    const char *direction = c.direction == Convolution::Direction::Forward         ? "forward"
                            : c.direction == Convolution::Direction::ImageGradient ? "image gradient"
                                                                                   : "filter gradient";
    std::string line = fmt::format("convolve {} {} [{}] * [{}]", direction, nameOf(c.dtype),
                                   fmt::join(c.image, ", "), fmt::join(c.filter, ", "));
    for (auto [has, what] :
         {std::pair(c.channelsLast, " channels last"), std::pair(c.hasAddend, " +addend"),
          std::pair(c.hasBias, " +bias"), std::pair(c.hasRelu, " relu"), std::pair(c.allowsTf32, " tf32")})
      line += has ? what : "";
    return line;
  }
};

} // namespace

std::shared_ptr<Dnn> recordingDnn(std::shared_ptr<RecordingDriver> driver) {
  return std::make_shared<RecordingDnn>(std::move(driver));
}

} // namespace proa::cuda
