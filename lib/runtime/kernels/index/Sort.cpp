/// The library kernels "argsort" (x; axis, descending, stable), "topk" (x, k as a tensor, which wins; k,
/// axis, largest, sorted, stable) and "argmax" and "argmin" (x, axis as a tensor, which wins; axis, keepdims,
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
#include "lib/runtime/kernels/index/SortKeys.h"

#include "dialects/pd/ops/search/Search.kernels.inc"

#include <array>
#include <cstring>
#include <optional>

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
  template <class T> bool operator()(const Element<T> &a, const Element<T> &b) const {
    return descending ? less(b.value, a.value) : less(a.value, b.value);
  }
};

/// Lines to sort and where the first elements of their orders go. Either result may be absent.
template <class T> struct SortedLines {
  Lines lines;
  SortOrder order;
  int64_t length;
  const T *x;
  T *values;
  View indices;

  /// Writes element i of line `line`, which is at `position` of it.
  void write(int64_t line, int64_t i, int64_t position) const {
    int64_t to = lines.begin(line, length) + i * lines.inner;
    if (values)
      values[to] = x[lines.begin(line, lines.dim) + position * lines.inner];
    if (!indices)
      return;
    if (indices.dtype == DType::Int64)
      indices.as<int64_t>()[to] = position;
    else
      indices.as<int32_t>()[to] = static_cast<int32_t>(position);
  }
};

/// Sorts a line by the algorithms of SortOrder.
template <bool descending, class T>
void sortLine(const SortedLines<T> &sorted, int64_t index, std::vector<Element<T>> &line) {
  const Lines &lines = sorted.lines;
  line.resize(static_cast<size_t>(lines.dim));
  int64_t from = lines.begin(index, lines.dim);
  for (int64_t i = 0; i < lines.dim; ++i)
    line[static_cast<size_t>(i)] = {static_cast<Wide<T>>(sorted.x[from + i * lines.inner]), i};
  sortFirst(line.begin(), line.end(), sorted.length, sorted.order, Before<descending>());
  for (int64_t i = 0; i < sorted.length; ++i)
    sorted.write(index, i, line[static_cast<size_t>(i)].position);
}

/// Whether the order of equal elements among `count` sorted entries can be seen in the results.
template <class T, class Entry>
bool haveVisibleTies(const SortedLines<T> &sorted, int64_t index, const Entry *entries, int64_t count) {
  const T *line = sorted.x + sorted.lines.begin(index, sorted.lines.dim);
  for (int64_t i = 1; i < count; ++i) {
    if (entries[i - 1].order() != entries[i].order())
      continue;
    if (sorted.indices || std::memcmp(line + entries[i - 1].position() * sorted.lines.inner,
                                      line + entries[i].position() * sorted.lines.inner, sizeof(T)) != 0)
      return true;
  }
  return false;
}

/// A stable order is the only one where no elements are equal, so the slower algorithms of the other orders
/// run where some are.
template <bool descending, class T> void sortLines(const SortedLines<T> &sorted) {
  const Lines &lines = sorted.lines;
  bool isStable = sorted.order == SortOrder::Stable || sorted.order == SortOrder::SelectStable;
  bool usesKeys = LineSorter<T, descending>::fits(lines.dim) && sorted.length > 0 &&
                  sorted.order != SortOrder::SelectUnsorted;
  // One more element shows whether another one equals the last.
  int64_t count = isStable ? sorted.length : std::min(sorted.length + 1, lines.dim);
  parallelFor(lines.count(), 1 + 2048 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    std::vector<Element<T>> line;
    std::optional<LineSorter<T, descending>> sorter;
    if (usesKeys)
      sorter.emplace(lines.dim, count);
    for (int64_t index = begin; index < end; ++index) {
      if (usesKeys) {
        auto *entries = sorter->run(sorted.x + lines.begin(index, lines.dim), lines.inner);
        if (isStable || !haveVisibleTies(sorted, index, entries, count)) {
          for (int64_t i = 0; i < sorted.length; ++i)
            sorted.write(index, i, entries[i].position());
          continue;
        }
      }
      sortLine<descending>(sorted, index, line);
    }
  });
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
    SortedLines<T> sorted{lines, order, length, x.as<T>(), values->as<T>(), *indices};
    descending ? sortLines<true>(sorted) : sortLines<false>(sorted);
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

template <bool greatest, class T> PROA_VECTOR_INLINE bool isBetter(T value, T best) {
  return greatest ? best < value : value < best;
}

/// The position of the extreme of one long line.
template <class T, bool greatest>
PROA_VECTOR_INLINE void bestOfLine(const T *line, int64_t dim, int64_t &position) {
  constexpr int64_t lanes = 32;
  Wide<T> bound = finiteBound<T>(/*isUpper=*/!greatest), best = bound, all[lanes];
  std::fill_n(all, lanes, bound);
  int64_t i = 0;
  for (; i + lanes <= dim; i += lanes)
    for (int64_t k = 0; k < lanes; ++k) {
      auto value = static_cast<Wide<T>>(line[i + k]);
      all[k] = isBetter<greatest>(value, all[k]) ? value : all[k];
    }
  for (Wide<T> value : all)
    best = isBetter<greatest>(value, best) ? value : best;
  for (; i < dim; ++i)
    best = isBetter<greatest>(static_cast<Wide<T>>(line[i]), best) ? static_cast<Wide<T>>(line[i]) : best;
  position = 0;
  if (best == bound)
    return;
  while (static_cast<Wide<T>>(line[position]) != best)
    ++position;
}

/// The positions of the extremes of lines [0, count), which lie side by side.
template <class T, bool greatest>
void bestOf(const T *lines, int64_t dim, int64_t stride, int64_t count, int64_t *positions) {
  std::array<Wide<T>, lineBlock> held;
  std::fill_n(held.begin(), count, finiteBound<T>(/*isUpper=*/!greatest));
  std::fill_n(positions, count, 0);
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
  if (lines.inner == 1)
    runVectors<bestOfLine<T, greatest>>(from, lines.dim, *positions);
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
  constexpr int64_t fewLines = 16, longLine = 128;
  return lines.inner == 1 && lines.outer >= fewLines && lines.dim < longLine;
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
  SortOrder order = orderOfSelection(op.sorted, op.stable);
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
