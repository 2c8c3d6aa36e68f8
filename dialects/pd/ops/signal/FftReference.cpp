//! Reference kernels of discrete Fourier transforms, by their definition.
#include "dialects/pd/ops/signal/FftOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace proa::pd {
namespace {

using Number = std::complex<double>;

struct Spectrum {
  std::vector<int64_t> dims;
  std::vector<Number> values;

  explicit Spectrum(std::vector<int64_t> dimSizes) : dims(std::move(dimSizes)) {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    values.resize(static_cast<size_t>(count));
  }
};

Spectrum read(const Tensor &tensor) {
  Spectrum out(tensor.dims());
  for (int64_t i = 0; i < tensor.size(); ++i)
    out.values[i] = loadScalar(tensor, i).value;
  return out;
}

struct Direction {
  bool isForward;
  FftNormalization normalization;

  double factor(int64_t n) const {
    if (normalization == FftNormalization::Ortho)
      return 1 / std::sqrt(static_cast<double>(n));
    return (normalization == FftNormalization::Forward) == isForward ? 1 / static_cast<double>(n) : 1;
  }
  Number unit(int64_t power, int64_t n) const {
    double angle = 2 * std::numbers::pi * static_cast<double>(power % n) / static_cast<double>(n);
    return std::polar(1.0, isForward ? -angle : angle);
  }
};

/// Transforms one axis: `term(x, j, k)` is what element j of the input, x, adds to element k of the result,
/// which has `dimSize` elements along the axis.
Spectrum transform(const Spectrum &x, int64_t axis, int64_t dimSize,
                   llvm::function_ref<Number(Number, int64_t, int64_t)> term) {
  std::vector<int64_t> dims = x.dims;
  dims[axis] = dimSize;
  Spectrum out(dims);
  llvm::SmallVector<int64_t> from = rowMajorStrides(x.dims);
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t base = 0;
    for (size_t d = 0; d < index.size(); ++d)
      base += static_cast<int64_t>(d) == axis ? 0 : index[d] * from[d];
    Number sum = 0;
    for (int64_t j = 0; j < x.dims[axis]; ++j)
      sum += term(x.values[base + j * from[axis]], j, index[axis]);
    out.values[position] = sum;
  });
  return out;
}

Spectrum alongAxis(const Spectrum &x, int64_t axis, int64_t dimSize, Direction direction) {
  int64_t n = x.dims[axis];
  return transform(x, axis, dimSize, [&](Number value, int64_t j, int64_t k) {
    return direction.factor(n) * value * direction.unit(j * k, n);
  });
}

/// From the first half of a spectrum, whose other elements are conjugates of these, the real signal.
Spectrum fromHalf(const Spectrum &x, int64_t axis, int64_t n, Direction direction) {
  return transform(x, axis, n, [&](Number value, int64_t j, int64_t k) -> Number {
    if (j > n / 2)
      return 0;
    double times = j == 0 || 2 * j == n ? 1 : 2;
    return times * direction.factor(n) * (value * direction.unit(j * k, n)).real();
  });
}

LogicalResult write(const Spectrum &values, Tensor &result) {
  if (values.dims != result.dims())
    return failure();
  for (auto [i, value] : llvm::enumerate(values.values))
    storeScalar(result, static_cast<int64_t>(i),
                (result.dtype() == DType::Complex64 || result.dtype() == DType::Complex128)
                    ? HostScalar::of(value)
                    : HostScalar::of(value.real()));
  return success();
}

llvm::SmallVector<int64_t> axesOf(llvm::ArrayRef<int64_t> given, size_t rank) {
  llvm::SmallVector<int64_t> axes(given);
  for (int64_t &axis : axes)
    axis += axis < 0 ? static_cast<int64_t>(rank) : 0;
  return axes;
}

} // namespace

LogicalResult FftC2cOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Spectrum x = read(operands[0]);
  for (int64_t axis : axesOf(getAxes(), x.dims.size()))
    x = alongAxis(x, axis, x.dims[axis], {getForward(), getNormalization()});
  return write(x, results[0]);
}

LogicalResult FftR2cOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Spectrum x = read(operands[0]);
  llvm::SmallVector<int64_t> axes = axesOf(getAxes(), x.dims.size());
  for (int64_t axis : llvm::reverse(axes)) // the last axis is cut, and its signal real
    x = alongAxis(x, axis, axis == axes.back() && getOnesided() ? x.dims[axis] / 2 + 1 : x.dims[axis],
                  {getForward(), getNormalization()});
  return write(x, results[0]);
}

LogicalResult FftC2rOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                         llvm::MutableArrayRef<Tensor> results, RandomState *) {
  Spectrum x = read(operands[0]);
  llvm::SmallVector<int64_t> axes = axesOf(getAxes(), x.dims.size());
  Direction direction{getForward(), getNormalization()};
  for (int64_t axis : llvm::drop_end(axes))
    x = alongAxis(x, axis, x.dims[axis], direction);
  return write(fromHalf(x, axes.back(), results[0].dims()[axes.back()], direction), results[0]);
}

} // namespace proa::pd
