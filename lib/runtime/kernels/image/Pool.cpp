/// The library kernels "pool2d", "pool3d", "max_pool2d_with_index" and "max_pool3d_with_index".
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/EntriesByDims.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/image/PoolGeometry.h"
#include "lib/runtime/kernels/image/PoolPlanes.h"
#include "lib/runtime/kernels/image/PoolRows.h"
#include "lib/runtime/kernels/image/PoolWhole.h"

#include "dialects/pd/ops/image/Pool.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// All windows of one batch element and channel: their maxima and the places of those.
template <class T> class IndexedWindows {
public:
  IndexedWindows(const PoolGeometry &g, const View &in, const View &out, const View &mask)
      : g(g), in(in.as<T>()), out(out.as<T>()), mask(mask.as<int32_t>()) {}

  /// Output position `flat` of the spatial axes.
  void pool(int64_t image, int64_t channel, int64_t flat) const {
    size_t axes = g.kernel.size();
    int64_t begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
    int64_t target = image * g.outputStrides[0] + channel * g.outputStrides[1];
    size_t shift = 3 - axes; // two axes are the last two of three
    for (size_t axis = axes; axis-- > 0; flat /= g.output[2 + axis]) {
      int64_t at = flat % g.output[2 + axis];
      g.window(axis, at, begin[shift + axis], end[shift + axis]);
      target += at * g.outputStrides[2 + axis];
    }
    int64_t strides[3] = {0, 0, 0}, spatialDims[3] = {1, 1, 1};
    for (size_t axis = 0; axis < axes; ++axis) {
      strides[shift + axis] = g.inputStrides[2 + axis];
      spatialDims[shift + axis] = g.input[2 + axis];
    }
    const T *source = in + image * g.inputStrides[0] + channel * g.inputStrides[1];
    T best = lowestOf<T>();
    int64_t bestAt = -1;
    for (int64_t d = begin[0]; d < end[0]; ++d)
      for (int64_t h = begin[1]; h < end[1]; ++h)
        for (int64_t w = begin[2]; w < end[2]; ++w) {
          T value = source[d * strides[0] + h * strides[1] + w * strides[2]];
          if (static_cast<Wide<T>>(best) < static_cast<Wide<T>>(value)) { // NaNs are left out, as in Paddle
            best = value;
            bestAt = (d * spatialDims[1] + h) * spatialDims[2] + w;
          }
        }
    mask[target] = static_cast<int32_t>(bestAt);
    out[target] = best;
  }

private:
  const PoolGeometry &g;
  const T *in;
  T *out;
  int32_t *mask;
};

bool poolWithIndex(const PoolGeometry &g, const View &in, const View &out, const View &mask) {
  return dispatchReal(in.dtype, [&](auto zero) {
    IndexedWindows<decltype(zero)> windows(g, in, out, mask);
    int64_t positions = 1, taps = 1;
    for (size_t axis = 0; axis < g.kernel.size(); ++axis) {
      positions *= g.output[2 + axis];
      taps *= g.adaptive ? 1 + g.input[2 + axis] / g.output[2 + axis] : g.kernel[axis];
    }
    int64_t channels = g.input[1];
    parallelFor(g.input[0] * positions, 1 + 20000 / (channels * taps + 1), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int64_t channel = 0; channel < channels; ++channel)
          windows.pool(row / positions, channel, row % positions);
    });
  });
}

/// A pooling in bfloat16 of channels that come last, planned by oneDNN, which takes several times as long as
/// ours in float32; null where Paddle's meaning is another.
std::unique_ptr<Execution> planPool(const PoolGeometry &g, const PoolConfig &attributes, DType dtype) {
  using dnnl::memory;
  std::optional<memory::data_type> type = dnnlType(dtype);
  if (!type || dtype != DType::BFloat16)
    return nullptr;
  for (const auto *dims : {&g.input, &g.output})
    for (int64_t dim : *dims)
      if (dim == 0)
        return nullptr;
  memory::dims kernel(g.kernel.begin(), g.kernel.end()), strides(g.strides.begin(), g.strides.end());
  memory::dims before(g.before.begin(), g.before.end()), after;
  for (size_t axis = 0; axis < g.kernel.size(); ++axis) {
    int64_t in = g.input[2 + axis], out = g.output[2 + axis];
    if (g.adaptive) {
      if (in % out != 0)
        return nullptr;
      kernel[axis] = strides[axis] = in / out;
    }
    after.push_back((out - 1) * strides[axis] + kernel[axis] - in - before[axis]);
    bool cutWindow = after[axis] > g.before[axis]; // see inclusiveSize
    if (cutWindow && !attributes.isMax && !attributes.exclusive)
      return nullptr;
    // A window that lies in the padding as a whole has no maximum and no average.
    if (before[axis] >= kernel[axis] || after[axis] >= kernel[axis])
      return nullptr;
  }
  auto algorithm = attributes.isMax ? dnnl::algorithm::pooling_max
                   : attributes.exclusive || attributes.adaptive
                       ? dnnl::algorithm::pooling_avg_exclude_padding
                       : dnnl::algorithm::pooling_avg_include_padding;
  auto describe = [&](const std::vector<int64_t> &dims, const std::vector<int64_t> &elementStrides) {
    return memory::desc(memory::dims(dims.begin(), dims.end()), *type,
                        memory::dims(elementStrides.begin(), elementStrides.end()));
  };
  memory::desc in = describe(g.input, g.inputStrides), out = describe(g.output, g.outputStrides);
  // A pooling moves bytes more than it computes: each element it reads counts as some operations.
  double operations = 16;
  for (int64_t dim : g.input)
    operations *= static_cast<double>(dim);
  bool small = isSmallWork(operations);
  SingleThreadScope scope(small);
  try {
    dnnl::pooling_forward::primitive_desc description(
        {dnnl::prop_kind::forward_inference, algorithm, in, out, strides, kernel, before, after},
        userScratchpad(), dnnlEngine());
    if (isReference(description.impl_info_str()))
      return nullptr;
    auto execution =
        std::make_unique<Execution>(dnnl::pooling_forward(description), description.scratchpad_desc(), small);
    execution->add(DNNL_ARG_SRC, in);
    execution->add(DNNL_ARG_DST, out);
    return execution;
  } catch (const dnnl::error &) {
    return nullptr;
  }
}

struct PoolEntry {
  PoolGeometry geometry;
  std::unique_ptr<Execution> execution;
};

class Pool final : public LibraryKernel {
public:
  Pool(PoolConfig attributes, bool withIndex) : attributes(std::move(attributes)), withIndex(withIndex) {}

  Result<void> run(Call &call) const override {
    const View &in = call.input(0);
    std::vector<int64_t> kernel = attributes.kernel;
    if (call.input(1)) {
      Result<std::vector<int64_t>> given = integersOf(call.input(1));
      if (!given)
        return given.diagnostics();
      kernel = std::move(*given);
    }
    auto make = [&]() -> Result<PoolEntry> {
      Result<PoolGeometry> geometry = PoolGeometry::compute(attributes, in.dims, kernel);
      if (!geometry)
        return geometry.diagnostics();
      std::unique_ptr<Execution> execution;
      if (!withIndex && attributes.channelLast)
        execution = planPool(*geometry, attributes, in.dtype);
      return PoolEntry{std::move(*geometry), std::move(execution)};
    };
    Result<PoolEntry *> entry = EntriesByDims<PoolEntry>::of(call).find(call, 1, make, kernel);
    if (!entry)
      return entry.diagnostics();
    return pool(call, **entry);
  }

private:
  Result<void> pool(Call &call, PoolEntry &entry) const {
    const View &in = call.input(0);
    std::vector<std::byte> unwantedMaxima; // where only the mask is used
    Result<View> out = !withIndex || call.hasOutput(0)
                           ? call.output(0, entry.geometry.outDims)
                           : Result<View>(View{in.dtype, entry.geometry.outDims, nullptr});
    if (!out)
      return out.diagnostics();
    if (!out->data) {
      unwantedMaxima.resize(static_cast<size_t>(out->size()) * sizeOf(in.dtype));
      out->data = unwantedMaxima.data();
    }
    View mask;
    std::vector<int32_t> unwanted;
    if (withIndex) {
      if (call.hasOutput(1)) {
        Result<View> given = call.output(1, entry.geometry.outDims);
        if (!given)
          return given.diagnostics();
        mask = *given;
        if (mask.dtype != DType::Int32)
          return failure("expected a mask of int32, found {}", nameOf(mask.dtype));
      } else {
        unwanted.resize(static_cast<size_t>(out->size()));
        mask = {DType::Int32, out->dims, unwanted.data()};
      }
    }
    if (!entry.execution && !withIndex && in.dtype == DType::Float32) {
      if (!averageImages(entry.geometry, attributes, in.as<float>(), out->as<float>()))
        poolRows(entry.geometry, attributes, in.as<float>(), out->as<float>());
      return {};
    }
    if (!entry.execution) {
      bool isKnown = withIndex ? poolWithIndex(entry.geometry, in, *out, mask)
                               : poolPlanes(entry.geometry, attributes, in, *out);
      return isKnown ? Result<void>() : failure("pooling of {} is not supported", nameOf(in.dtype));
    }
    entry.execution->set(0, in.data);
    entry.execution->set(1, out->data);
    size_t bytes = entry.execution->scratchBytes();
    entry.execution->run(bytes == 0 ? nullptr : call.scratch(bytes));
    return {};
  }

  PoolConfig attributes;
  bool withIndex;
};

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makePool(const Op &op, const KernelRequest &request, size_t spatial,
                                                bool withIndex) {
  Result<PoolConfig> attributes = PoolConfig::create(op, request, spatial, withIndex);
  if (!attributes)
    return attributes.diagnostics();
  return std::unique_ptr<LibraryKernel>(std::make_unique<Pool>(std::move(*attributes), withIndex));
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makePool2d(const Pool2dAttributes &op, const KernelRequest &request) {
  return makePool(op, request, 2, false);
}
Result<std::unique_ptr<LibraryKernel>> makePool3d(const Pool3dAttributes &op, const KernelRequest &request) {
  return makePool(op, request, 3, false);
}
Result<std::unique_ptr<LibraryKernel>> makeMaxPool2dWithIndex(const MaxPool2dWithIndexAttributes &op,
                                                              const KernelRequest &request) {
  return makePool(op, request, 2, true);
}
Result<std::unique_ptr<LibraryKernel>> makeMaxPool3dWithIndex(const MaxPool3dWithIndexAttributes &op,
                                                              const KernelRequest &request) {
  return makePool(op, request, 3, true);
}

} // namespace proa::runtime
