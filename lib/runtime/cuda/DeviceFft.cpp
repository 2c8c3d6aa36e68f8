#include "lib/runtime/cuda/DeviceFft.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/Extents.h"
#include "lib/runtime/cuda/Fft.h"
#include "lib/runtime/kernels/linalg/FftConfig.h"

#include <algorithm>

namespace proa::cuda {
namespace {

using runtime::failure;
using runtime::FftConfig;
using runtime::View;
using Kind = FourierTransform::Kind;
using Dims = std::vector<int64_t>;

/// A transform of some lines of a tensor, and where they begin, in elements.
struct Transform {
  FourierTransform transform;
  int64_t from = 0, to = 0;
};

/// The dims and axes of a step's transform.
class Shape {
public:
  static Result<Shape> of(const FftConfig &config, Kind kind, std::span<const int64_t> dims) {
    Shape shape;
    shape.kind = kind;
    shape.forward = config.forward;
    shape.from.assign(dims.begin(), dims.end());
    shape.to = shape.from;
    for (int64_t axis : config.axes) {
      Result<size_t> normal = runtime::normalizeAxis(axis, dims.size());
      if (!normal)
        return normal.diagnostics();
      shape.axes.push_back(*normal);
    }
    int64_t &last = shape.to[shape.axes.back()];
    if (kind == Kind::RealToComplex)
      last = last / 2 + 1;
    if (kind == Kind::ComplexToReal) {
      int64_t given = last;
      last = config.lastDim > 0 ? config.lastDim : 2 * (given - 1);
      if (given < last / 2 + 1)
        return failure("cuFFT has no transform of {} numbers to {}", given, last);
    }
    return shape;
  }

  Kind kind = Kind::ComplexToComplex;
  bool forward = true;
  Dims from, to;
  std::vector<size_t> axes;

  /// The lengths of the transforms, along the real or the transformed side.
  const Dims &lengths() const { return kind == Kind::ComplexToReal ? to : from; }
  double count() const {
    double product = 1;
    for (size_t axis : axes)
      product *= static_cast<double>(lengths()[axis]);
    return product;
  }
  /// Whether one plan of the library does it: the axes are the last ones, in order.
  bool isSinglePlan() const {
    bool areLast = axes.size() <= 3 && axes.size() <= from.size();
    for (size_t i = 0; i < axes.size() && areLast; ++i)
      areLast = axes[i] == from.size() - axes.size() + i;
    // The library reads lines that are as long as the result says.
    return areLast && (kind != Kind::ComplexToReal || from.back() == to.back() / 2 + 1);
  }

  Transform singlePlan(bool isDouble) const {
    Transform single;
    FourierTransform &t = single.transform;
    t.kind = kind;
    t.isDouble = isDouble;
    t.forward = kind != Kind::ComplexToComplex || forward;
    size_t outer = from.size() - axes.size();
    t.lengths.assign(lengths().begin() + static_cast<ptrdiff_t>(outer), lengths().end());
    t.batch = productOf(std::span(from).first(outer));
    t.fromDistance = productOf(std::span(from).subspan(outer));
    t.toDistance = productOf(std::span(to).subspan(outer));
    return single;
  }

  /// Transforms along one axis, of tensors with these dims.
  static std::vector<Transform> alongAxis(Kind kind, bool isDouble, bool forward, const Dims &from,
                                          const Dims &to, size_t axis) {
    int64_t inner = productOf(std::span(from).subspan(axis + 1)),
            outer = productOf(std::span(from).first(axis));
    FourierTransform t;
    t.kind = kind;
    t.isDouble = isDouble;
    t.forward = kind != Kind::ComplexToComplex || forward;
    t.lengths = {kind == Kind::ComplexToReal ? to[axis] : from[axis]};
    t.fromStride = t.toStride = inner;
    t.batch = inner == 1 ? outer : inner;
    t.fromDistance = inner == 1 ? from[axis] : 1;
    t.toDistance = inner == 1 ? to[axis] : 1;
    std::vector<Transform> transforms;
    for (int64_t i = 0; i < (inner == 1 ? 1 : outer); ++i)
      transforms.push_back({t, i * from[axis] * inner, i * to[axis] * inner});
    return transforms;
  }
};

class DeviceFft final : public runtime::DeviceLibraryKernel {
public:
  DeviceFft(FftConfig config, Kind kind) : config(std::move(config)), kind(kind) {}

  Result<std::vector<Dims>> outputDims(std::span<const View> inputs, runtime::Communicator *) const override {
    Result<Shape> shape = Shape::of(config, kind, inputs[0].dims);
    if (!shape)
      return shape.diagnostics();
    return std::vector<Dims>{shape->to};
  }

  Result<void> run(const runtime::DeviceCall &call) const override {
    const View &x = call.inputs[0], &out = call.outputs[0];
    Result<Shape> shape = Shape::of(config, kind, x.dims);
    if (!shape)
      return shape.diagnostics();
    if (out.size() == 0 || x.size() == 0)
      return {};
    bool isDouble = x.dtype == DType::Float64 || x.dtype == DType::Complex128;
    Execution execution{static_cast<CudaQueue &>(call.queue), *shape, isDouble, x, out};
    if (Result<void> done = execution.run(); !done)
      return done;
    double factor = config.scale(shape->count());
    int64_t reals = out.size() * (kind == Kind::ComplexToReal ? 1 : 2);
    return factor == 1 ? Result<void>() : execution.scale(factor, reals);
  }

private:
  FftConfig config;
  Kind kind;

  /// One call: the requests in their order.
  struct Execution {
    CudaQueue &queue;
    const Shape &shape;
    bool isDouble;
    const View &x, &out;

    size_t complexBytes() const { return isDouble ? 16 : 8; }
    static DeviceAddress address(const void *data) { return reinterpret_cast<DeviceAddress>(data); }

    Result<void> run() {
      Result<std::shared_ptr<Fft>> fft = queue.libraries().fft.get();
      if (!fft)
        return fft.diagnostics();
      size_t last = shape.axes.back();
      std::vector<Transform> first, others;
      bool isReal = shape.kind != Kind::ComplexToComplex, isSingle = shape.isSinglePlan();
      if (isSingle)
        first = {shape.singlePlan(isDouble)};
      else if (isReal)
        first = Shape::alongAxis(shape.kind, isDouble, true, shape.from, shape.to, last);
      // The other axes are transformed in place, on the side of complex numbers.
      const Dims &complexDims = shape.kind == Kind::ComplexToReal ? shape.from : shape.to;
      for (size_t i = 0; i < shape.axes.size() - (isReal ? 1 : 0) && !isSingle; ++i)
        for (Transform &single : Shape::alongAxis(Kind::ComplexToComplex, isDouble, shape.forward,
                                                  complexDims, complexDims, shape.axes[i]))
          others.push_back(std::move(single));
      bool copies = shape.kind == Kind::ComplexToReal; // the library writes to the operand
      size_t copyBytes = copies ? (static_cast<size_t>(x.size()) * complexBytes() + 255) / 256 * 256 : 0,
             bytes = 1;
      for (const auto *transforms : {&first, &others})
        for (const Transform &single : *transforms) {
          Result<size_t> needed = (*fft)->workspaceBytes(single.transform);
          if (!needed)
            return needed.diagnostics();
          bytes = std::max(bytes, *needed);
        }
      Result<DeviceAddress> memory = queue.workspace(copyBytes + bytes);
      if (!memory)
        return memory.diagnostics();
      workspace = *memory + copyBytes;
      DeviceAddress source = address(x.data), target = address(out.data);
      if (copies) {
        if (Result<void> done = copy(*memory); !done)
          return done;
        source = *memory;
        if (Result<void> done = request(**fft, others, source, source); !done)
          return done;
        return request(**fft, first, source, target);
      }
      if (first.empty())
        if (Result<void> done = copy(target); !done)
          return done;
      if (Result<void> done = request(**fft, first, source, target); !done)
        return done;
      return request(**fft, others, target, target);
    }

    Result<void> copy(DeviceAddress to) const {
      return queue.copyOnDevice(reinterpret_cast<void *>(to), x.data,
                                static_cast<size_t>(x.size()) * sizeOf(x.dtype));
    }

    Result<void> request(Fft &fft, const std::vector<Transform> &transforms, DeviceAddress from,
                         DeviceAddress to) const {
      for (const Transform &single : transforms) {
        bool fromReal = single.transform.kind == Kind::RealToComplex,
             toReal = single.transform.kind == Kind::ComplexToReal;
        size_t fromBytes = complexBytes() / (fromReal ? 2 : 1), toBytes = complexBytes() / (toReal ? 2 : 1);
        Result<void> done =
            fft.transform(single.transform, from + static_cast<size_t>(single.from) * fromBytes,
                          to + static_cast<size_t>(single.to) * toBytes, workspace, queue.use("fft"));
        if (!done)
          return done;
      }
      return {};
    }

    Result<void> scale(double factor, int64_t reals) const {
      Result<std::shared_ptr<Fft>> fft = queue.libraries().fft.get();
      if (!fft)
        return fft.diagnostics();
      return (*fft)->scale(isDouble, factor, address(out.data), reals, queue.use("scale"));
    }

    DeviceAddress workspace = 0;
  };
};

template <class Attributes>
Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
create(const runtime::Step &step, const runtime::KernelRequest &request, Kind kind) {
  auto attributes = runtime::readStored<Attributes>(step.attributes);
  if (!attributes)
    return attributes.diagnostics();
  runtime::Checks checks(request);
  FftConfig config(*attributes, checks);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  if (kind == Kind::RealToComplex && (!config.forward || !config.onesided))
    return failure("cuFFT has no {} transform of real numbers", config.forward ? "two-sided" : "backward");
  if (kind == Kind::ComplexToReal && config.forward)
    return failure("cuFFT has no forward transform to real numbers");
  if (request.inputs[0].dtype != (kind == Kind::RealToComplex ? DType::Float32 : DType::Complex64) &&
      request.inputs[0].dtype != (kind == Kind::RealToComplex ? DType::Float64 : DType::Complex128))
    return failure("cuFFT has no such transform of {}", nameOf(request.inputs[0].dtype));
  if (request.isStatic())
    if (Result<Shape> shape = Shape::of(config, kind, request.inputs[0].dims); !shape)
      return shape.diagnostics();
  return std::shared_ptr<runtime::DeviceLibraryKernel>(std::make_shared<DeviceFft>(std::move(config), kind));
}

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceFft(const runtime::Step &step,
                                                                      const runtime::KernelRequest &request) {
  if (step.symbol == "fft_c2c")
    return create<runtime::FftC2cAttributes>(step, request, Kind::ComplexToComplex);
  if (step.symbol == "fft_r2c")
    return create<runtime::FftR2cAttributes>(step, request, Kind::RealToComplex);
  if (step.symbol == "fft_c2r")
    return create<runtime::FftC2rAttributes>(step, request, Kind::ComplexToReal);
  return failure("'{}' is not a Fourier transform", step.symbol);
}

} // namespace proa::cuda
