/// The library kernels "fft_c2c" (x; axes, normalization, forward), "fft_r2c" (x; also onesided) and
/// "fft_c2r" (x; also last_dim_size). Lines of all lengths go through KissFFT in double precision.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/linalg/FftConfig.h"

#include <kissfft/kissfft.hh>

#include <cmath>

namespace proa::runtime {
namespace {

using Complex = std::complex<double>;

/// Transforms all lines along an axis. `read(line, buffer)` fills a line of `length` numbers, `write(line,
/// buffer)` takes the transformed one.
template <class Read, class Write>
void transformLines(int64_t lines, int64_t length, bool forward, Read read, Write write) {
  parallelFor(lines, 1 + 4096 / (length + 1), [&](int64_t begin, int64_t end) {
    kissfft<double> plan(static_cast<size_t>(length), !forward);
    std::vector<Complex> from(static_cast<size_t>(length)), to(static_cast<size_t>(length));
    for (int64_t line = begin; line < end; ++line) {
      read(line, from);
      plan.transform(from.data(), to.data());
      write(line, to);
    }
  });
}

/// In place, times a factor.
void transformAxis(std::vector<Complex> &data, std::span<const int64_t> dims, size_t axis, bool forward,
                   double scale) {
  Lines lines(dims, axis);
  if (data.empty())
    return;
  auto at = [&](int64_t line, int64_t i) -> Complex & {
    return data[static_cast<size_t>(lines.begin(line, lines.dim) + i * lines.inner)];
  };
  transformLines(
      lines.count(), lines.dim, forward,
      [&](int64_t line, std::vector<Complex> &buffer) {
        for (int64_t i = 0; i < lines.dim; ++i)
          buffer[static_cast<size_t>(i)] = at(line, i);
      },
      [&](int64_t line, const std::vector<Complex> &buffer) {
        for (int64_t i = 0; i < lines.dim; ++i)
          at(line, i) = buffer[static_cast<size_t>(i)] * scale;
      });
}

template <class T> std::vector<Complex> load(const View &view) {
  return std::vector<Complex>(view.as<T>(), view.as<T>() + view.size());
}

Result<std::vector<Complex>> loadAny(const View &view) {
  switch (view.dtype) {
  case DType::Float32:
    return load<float>(view);
  case DType::Float64:
    return load<double>(view);
  case DType::Complex64:
    return load<std::complex<float>>(view);
  case DType::Complex128:
    return load<Complex>(view);
  default:
    return failure("a Fourier transform of {} is not supported", nameOf(view.dtype));
  }
}

/// Element i of the result from a complex number.
void store(const View &view, int64_t i, Complex value) {
  switch (view.dtype) {
  case DType::Float32:
    view.as<float>()[i] = static_cast<float>(value.real());
    return;
  case DType::Float64:
    view.as<double>()[i] = value.real();
    return;
  case DType::Complex64:
    view.as<std::complex<float>>()[i] = std::complex<float>(value);
    return;
  default:
    view.as<Complex>()[i] = value;
  }
}

/// The axes counted from the front, and the lengths of the transforms along them.
struct Transform {
  std::vector<size_t> axes;
  std::vector<int64_t> dims;
  double count = 1;

  static Result<Transform> of(const FftConfig &attributes, std::span<const int64_t> dims) {
    Transform transform;
    transform.dims.assign(dims.begin(), dims.end());
    for (int64_t axis : attributes.axes) {
      Result<size_t> normal = normalizeAxis(axis, dims.size());
      if (!normal)
        return normal.diagnostics();
      transform.axes.push_back(*normal);
      transform.count *= static_cast<double>(dims[*normal]);
    }
    return transform;
  }
};

/// c2c and r2c: all axes. The last axis comes first, since a one-sided result has only half of it.
Result<void> toComplex(Call &call, const FftConfig &attributes, bool fromReal) {
  const View &x = call.input(0);
  auto transform = Transform::of(attributes, x.dims);
  auto data = loadAny(x);
  if (!transform || !data)
    return !transform ? transform.diagnostics() : data.diagnostics();
  double scale = attributes.scale(transform->count);
  std::vector<int64_t> dims = transform->dims;
  size_t last = transform->axes.back();
  for (size_t i = transform->axes.size(); i-- > 0;) {
    transformAxis(*data, transform->dims, transform->axes[i], attributes.forward, scale);
    scale = 1;
  }
  if (fromReal && attributes.onesided)
    dims[last] = dims[last] / 2 + 1;
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Lines from(transform->dims, last), to(dims, last);
  parallelFor(to.count(), 1 + 4096 / (to.dim + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line)
      for (int64_t i = 0; i < to.dim; ++i)
        store(*out, to.begin(line, to.dim) + i * to.inner,
              (*data)[static_cast<size_t>(from.begin(line, from.dim) + i * from.inner)]);
  });
  return {};
}

/// Transforms the last axis last: its missing half mirrors the results of the other axes.
Result<void> toReal(Call &call, const FftConfig &attributes) {
  const View &x = call.input(0);
  auto transform = Transform::of(attributes, x.dims);
  auto data = loadAny(x);
  if (!transform || !data)
    return !transform ? transform.diagnostics() : data.diagnostics();
  size_t last = transform->axes.back();
  std::vector<int64_t> dims = transform->dims;
  int64_t given = dims[last];
  dims[last] = attributes.lastDim > 0 ? attributes.lastDim : 2 * (given - 1);
  double count = static_cast<double>(dims[last]);
  for (size_t i = 0; i + 1 < transform->axes.size(); ++i)
    count *= static_cast<double>(dims[transform->axes[i]]);
  double scale = attributes.scale(count);
  for (size_t i = 0; i + 1 < transform->axes.size(); ++i)
    transformAxis(*data, transform->dims, transform->axes[i], attributes.forward, 1);
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Lines from(transform->dims, last), to(dims, last);
  if (out->size() == 0)
    return {};
  transformLines(
      to.count(), to.dim, attributes.forward,
      [&](int64_t line, std::vector<Complex> &buffer) {
        for (int64_t i = 0; i <= to.dim / 2; ++i) {
          Complex value =
              i < given ? (*data)[static_cast<size_t>(from.begin(line, given) + i * from.inner)] : Complex();
          if (i == 0 || 2 * i == to.dim)
            value = value.real();
          buffer[static_cast<size_t>(i)] = value;
          if (i > 0 && 2 * i < to.dim)
            buffer[static_cast<size_t>(to.dim - i)] = std::conj(value);
        }
      },
      [&](int64_t line, const std::vector<Complex> &buffer) {
        for (int64_t i = 0; i < to.dim; ++i)
          store(*out, to.begin(line, to.dim) + i * to.inner, buffer[static_cast<size_t>(i)] * scale);
      });
  return {};
}

template <class Op, class Run>
Result<std::unique_ptr<LibraryKernel>> makeTransform(const Op &op, const KernelRequest &request, Run run) {
  Checks checks(request);
  FftConfig attributes(op, checks);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes, run](Call &call) { return run(call, attributes); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFftC2c(const FftC2cAttributes &op, const KernelRequest &request) {
  return makeTransform(op, request, [](Call &call, const FftConfig &a) { return toComplex(call, a, false); });
}
Result<std::unique_ptr<LibraryKernel>> makeFftR2c(const FftR2cAttributes &op, const KernelRequest &request) {
  return makeTransform(op, request, [](Call &call, const FftConfig &a) { return toComplex(call, a, true); });
}
Result<std::unique_ptr<LibraryKernel>> makeFftC2r(const FftC2rAttributes &op, const KernelRequest &request) {
  return makeTransform(op, request, [](Call &call, const FftConfig &a) { return toReal(call, a); });
}

} // namespace proa::runtime
