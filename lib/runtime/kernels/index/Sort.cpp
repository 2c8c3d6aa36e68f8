/// The library kernels "argsort" (x; axis, descending, stable), "topk" (x, k as a tensor, which wins; k,
/// axis, largest, sorted) and "argmax" and "argmin" (x, axis as a tensor, which wins; axis, keepdims,
/// flatten).
///
/// In sorted elements NaN is greater than every number, and equal elements have the order of SortOrder.
/// argmax finds the first of equal elements, never a NaN, and 0 if no element is above the lowest finite
/// number.
#include "lib/base/support/SortOrder.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/index/ArgExtreme.h"
#include "lib/runtime/kernels/index/Lines.h"

#include "dialects/pd/ops/search/Search.kernels.inc"

#include <array>

namespace proa::runtime {
namespace {

template <class T> bool less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a < b || (a == a && b != b);
  else
    return a < b;
}

template <class T> struct Element {
  Wide<T> value;
  int64_t position;
};

/// The order of elements, in either direction.
template <bool descending> struct Before {
  template <class T> bool operator()(const T &a, const T &b) const {
    return descending ? less(b, a) : less(a, b);
  }
  template <class T> bool operator()(const Element<T> &a, const Element<T> &b) const {
    return (*this)(a.value, b.value);
  }
};

/// Writes the first `length` elements of each line's order, and their places.
template <bool descending, class T>
void sortElements(const Lines &lines, SortOrder order, int64_t length, const T *x, T *values,
                  const View &indices) {
  parallelFor(lines.count(), 1 + 2048 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    std::vector<Element<T>> line(static_cast<size_t>(lines.dim));
    for (int64_t index = begin; index < end; ++index) {
      int64_t from = lines.begin(index, lines.dim), to = lines.begin(index, length);
      for (int64_t i = 0; i < lines.dim; ++i)
        line[static_cast<size_t>(i)] = {static_cast<Wide<T>>(x[from + i * lines.inner]), i};
      sortFirst(line.begin(), line.end(), length, order, Before<descending>());
      if (values)
        for (int64_t i = 0; i < length; ++i)
          values[to + i * lines.inner] = x[from + line[static_cast<size_t>(i)].position * lines.inner];
      dispatchIndex(indices.dtype, [&](auto zero) {
        using Index = decltype(zero);
        for (int64_t i = 0; i < length; ++i)
          indices.as<Index>()[to + i * lines.inner] =
              static_cast<Index>(line[static_cast<size_t>(i)].position);
      });
    }
  });
}

/// The same where nobody asks for the places.
template <bool descending, class T>
void sortValues(const Lines &lines, SortOrder order, int64_t length, const T *x, T *values) {
  parallelFor(lines.count(), 1 + 2048 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    std::vector<Wide<T>> line(static_cast<size_t>(lines.dim));
    for (int64_t index = begin; index < end; ++index) {
      int64_t from = lines.begin(index, lines.dim), to = lines.begin(index, length);
      for (int64_t i = 0; i < lines.dim; ++i)
        line[static_cast<size_t>(i)] = static_cast<Wide<T>>(x[from + i * lines.inner]);
      sortFirst(line.begin(), line.end(), length, order, Before<descending>());
      for (int64_t i = 0; i < length; ++i)
        values[to + i * lines.inner] = static_cast<T>(line[static_cast<size_t>(i)]);
    }
  });
}

template <bool descending, class T>
void sortLines(const Lines &lines, SortOrder order, int64_t length, const T *x, T *values,
               const View &indices) {
  if (indices)
    sortElements<descending>(lines, order, length, x, values, indices);
  else if (values)
    sortValues<descending>(lines, order, length, x, values);
}

/// An output that nobody reads has no data.
Result<View> optionalOutput(Call &call, size_t i, std::span<const int64_t> dims) {
  return call.hasOutput(i) ? call.output(i, dims) : Result<View>(View());
}

Result<void> sort(Call &call, int64_t axisAttribute, bool descending, SortOrder order,
                  std::optional<int64_t> first) {
  const View &x = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, std::max<size_t>(1, x.rank()));
  if (!axis)
    return axis.diagnostics();
  Lines lines(x.dims, *axis);
  int64_t length = first.value_or(lines.dim);
  if (length < 0 || length > lines.dim)
    return failure("expected k in [0, {}], found {}", lines.dim, length);
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  if (!dims.empty())
    dims[*axis] = length;
  Result<View> values = optionalOutput(call, 0, dims), indices = optionalOutput(call, 1, dims);
  for (const Result<View> *result : {&values, &indices})
    if (!*result)
      return result->diagnostics();
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    descending ? sortLines<true>(lines, order, length, x.as<T>(), values->as<T>(), *indices)
               : sortLines<false>(lines, order, length, x.as<T>(), values->as<T>(), *indices);
  });
  return known ? Result<void>() : failure("sorting {} is not supported", nameOf(x.dtype));
}

/// Number of adjacent lines that are sorted together.
constexpr int64_t lineBlock = 256;

struct ArgAttributes {
  int64_t axis = -1;
  bool keepDims = false, flatten = false, greatest = true;
};

/// The lowest or the largest finite number.
template <class T> Wide<T> finiteBound(bool isUpper) {
  auto lowest = static_cast<Wide<T>>(lowestOf<T>());
  if constexpr (std::is_floating_point_v<Wide<T>>)
    return isUpper ? -lowest : lowest;
  else
    return isUpper ? std::numeric_limits<T>::max() : lowest;
}

/// The positions of the extremes of lines [0, count), which lie side by side. `count` may be a constant.
template <class T, bool greatest, class Count>
void bestOf(const T *lines, int64_t dim, int64_t stride, Count count, int64_t *positions) {
  std::array<Wide<T>, lineBlock> held;
  std::fill_n(held.begin(), static_cast<int64_t>(count), finiteBound<T>(/*isUpper=*/!greatest));
  std::fill_n(positions, static_cast<int64_t>(count), 0);
  for (int64_t i = 0; i < dim; ++i)
    for (int64_t line = 0; line < count; ++line) {
      auto value = static_cast<Wide<T>>(lines[i * stride + line]);
      Wide<T> &best = held[static_cast<size_t>(line)];
      if (greatest ? best < value : value < best) {
        best = value;
        positions[line] = i;
      }
    }
}

/// The positions of the extremes of lines [first, first + count), by the index of an outer and an inner
/// dimension.
template <class T, bool greatest>
void bestOfLines(const Lines &lines, const T *x, int64_t outer, int64_t first, int64_t count,
                 int64_t *positions) {
  const T *from = x + outer * lines.dim * lines.inner + first;
  if constexpr (std::is_same_v<T, float>)
    if (lines.inner > 1 && lines.dim <= std::numeric_limits<int32_t>::max())
      return extremePositions({from, lines.dim, lines.inner, count, 1}, greatest, positions);
  if (count == 1)
    bestOf<T, greatest>(from, lines.dim, lines.inner, std::integral_constant<int64_t, 1>(), positions);
  else
    bestOf<T, greatest>(from, lines.dim, lines.inner, count, positions);
}

void storePositions(std::span<const int64_t> positions, int64_t offset, const View &out) {
  dispatchIndex(out.dtype, [&](auto zero) {
    using Index = decltype(zero);
    std::ranges::transform(positions, out.as<Index>() + offset,
                           [](int64_t position) { return static_cast<Index>(position); });
  });
}

/// Lines whose elements are adjacent, of which several are compared at a time.
bool areShort(const Lines &lines) {
  constexpr int64_t fewLines = 16;
  return lines.inner == 1 && lines.outer >= fewLines && lines.dim <= std::numeric_limits<int32_t>::max();
}

/// Lines that lie side by side are gone through together, as memory is read.
template <class T, bool greatest> void bestOfAll(const Lines &lines, const T *x, const View &out) {
  if constexpr (std::is_same_v<T, float>)
    if (areShort(lines)) {
      int64_t blocks = (lines.outer + lineBlock - 1) / lineBlock;
      return parallelFor(blocks, 1 + 16384 / (1 + lines.dim * lineBlock), [&](int64_t begin, int64_t end) {
        std::array<int64_t, lineBlock> positions;
        for (int64_t first = begin * lineBlock; first < std::min(end * lineBlock, lines.outer);
             first += lineBlock) {
          int64_t count = std::min(lineBlock, lines.outer - first);
          extremePositions({x + first * lines.dim, lines.dim, 1, count, lines.dim}, greatest,
                           positions.data());
          storePositions(std::span(positions).first(static_cast<size_t>(count)), first, out);
        }
      });
    }
  int64_t blocks = (lines.inner + lineBlock - 1) / lineBlock;
  parallelFor(lines.outer * blocks, 1 + 16384 / (1 + lines.dim * std::min(lineBlock, lines.inner)),
              [&](int64_t begin, int64_t end) {
                std::array<int64_t, lineBlock> positions;
                for (int64_t i = begin; i < end; ++i) {
                  int64_t outer = i / blocks, first = i % blocks * lineBlock,
                          count = std::min(lineBlock, lines.inner - first);
                  bestOfLines<T, greatest>(lines, x, outer, first, count, positions.data());
                  storePositions(std::span(positions).first(static_cast<size_t>(count)),
                                 outer * lines.inner + first, out);
                }
              });
}

Result<void> arg(Call &call, ArgAttributes attributes) {
  const View &x = call.input(0);
  if (call.input(1)) {
    Result<std::vector<int64_t>> axis = integersOf(call.input(1));
    if (!axis || axis->size() != 1)
      return failure("expected one axis");
    attributes.axis = axis->front();
  }
  const int64_t flat[] = {x.size()};
  std::span<const int64_t> lineDims = attributes.flatten ? std::span<const int64_t>(flat) : x.dims;
  Result<size_t> axis =
      normalizeAxis(attributes.flatten ? 0 : attributes.axis, std::max<size_t>(1, lineDims.size()));
  if (!axis)
    return axis.diagnostics();
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    bool reduced = attributes.flatten || i == *axis;
    if (!reduced || attributes.keepDims)
      dims.push_back(reduced ? 1 : x.dims[i]);
  }
  Lines lines(lineDims, *axis);
  if (lines.dim == 0)
    return failure("an empty axis has no extreme");
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    attributes.greatest ? bestOfAll<T, true>(lines, x.as<T>(), *out)
                        : bestOfAll<T, false>(lines, x.as<T>(), *out);
  });
  return known ? Result<void>() : failure("comparing {} is not supported", nameOf(x.dtype));
}

void expectIndexOutput(Checks &checks, const KernelRequest &request, size_t output) {
  if (output < request.outputs.size() && request.outputs[output].present) {
    DType dtype = request.outputs[output].dtype;
    checks.expect(dtype == DType::Int32 || dtype == DType::Int64,
                  fmt::format("output {} is {}; expected int32 or int64", output, nameOf(dtype)));
  }
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeArg(const Op &op, const KernelRequest &request, bool greatest) {
  Checks checks(request);
  ArgAttributes attributes{op.axis, op.keepdims, op.flatten, greatest};
  checks.expectOperands(1, 1);
  expectIndexOutput(checks, request, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) { return arg(call, attributes); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeArgsort(const ArgsortAttributes &op,
                                                   const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  bool descending = op.descending;
  SortOrder order = op.stable ? SortOrder::Stable : SortOrder::Sort;
  checks.expectOperands(1, 0);
  expectIndexOutput(checks, request, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return sort(call, axis, descending, order, std::nullopt); });
}

Result<std::unique_ptr<LibraryKernel>> makeTopk(const TopkAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  int64_t count = op.k, axis = op.axis;
  bool largest = op.largest;
  SortOrder order = op.sorted ? SortOrder::Select : SortOrder::SelectUnsorted;
  checks.expectOperands(1, 0);
  expectIndexOutput(checks, request, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) -> Result<void> {
    if (!call.input(1))
      return sort(call, axis, largest, order, count);
    Result<std::vector<int64_t>> given = integersOf(call.input(1));
    if (!given || given->size() != 1)
      return failure("expected one number k");
    return sort(call, axis, largest, order, given->front());
  });
}

Result<std::unique_ptr<LibraryKernel>> makeArgmax(const ArgmaxAttributes &op, const KernelRequest &request) {
  return makeArg(op, request, true);
}
Result<std::unique_ptr<LibraryKernel>> makeArgmin(const ArgminAttributes &op, const KernelRequest &request) {
  return makeArg(op, request, false);
}

} // namespace proa::runtime
