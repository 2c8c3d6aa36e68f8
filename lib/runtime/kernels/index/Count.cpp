/// The library kernels "nonzero" (condition), "bincount" (x, weights; minlength), "unique" (x; axis; results:
/// out, indices, inverse, counts), "unique_consecutive" (results: out, inverse, counts) and
/// "unique_with_counts" (likewise).
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/index/SortKeys.h"

#include "dialects/pd/ops/search/Count.kernels.inc"
#include "dialects/pd/ops/search/Search.kernels.inc"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

/// Writes the position of each element that is not zero, row by row of the last axis. Columns are collected
/// without branches, which no processor could predict.
template <class T, class Index> void writePositions(const View &x, Index *out) {
  constexpr int64_t block = 64;
  size_t rank = x.rank(), outer = rank > 0 ? rank - 1 : 0;
  int64_t columns = rank == 0 ? 1 : x.dims[rank - 1];
  std::vector<Index> position(outer);
  const T *row = x.as<T>();
  for (int64_t rest = x.size(); rest > 0; rest -= columns, row += columns) {
    for (int64_t first = 0; first < columns; first += block) {
      Index found[block];
      int64_t count = 0;
      for (int64_t column = first; column < std::min(columns, first + block); ++column) {
        found[count] = static_cast<Index>(column);
        count += static_cast<Wide<T>>(row[column]) != Wide<T>(0) ? 1 : 0;
      }
      if (rank == 1) {
        out = std::copy_n(found, count, out);
        continue;
      }
      if (rank == 2) {
        Index line = position[0];
        for (int64_t i = 0; i < count; ++i, out += 2) {
          out[0] = line;
          out[1] = found[i];
        }
        continue;
      }
      for (int64_t i = 0; i < count; ++i) {
        out = std::copy(position.begin(), position.end(), out);
        if (rank > 0)
          *out++ = found[i];
      }
    }
    for (size_t axis = outer; axis-- > 0 && ++position[axis] == static_cast<Index>(x.dims[axis]);)
      position[axis] = 0;
  }
}

Result<void> nonzero(Call &call) {
  const View &x = call.input(0);
  int64_t count = 0;
  bool known = dispatchAll(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    count = std::count_if(x.as<T>(), x.as<T>() + x.size(),
                          [](T value) { return static_cast<Wide<T>>(value) != Wide<T>(0); });
  });
  if (!known)
    return failure("{} is not supported", nameOf(x.dtype));
  const int64_t dims[] = {count, static_cast<int64_t>(x.rank())};
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  bool fits = dispatchIndex(out->dtype, [&](auto zero) {
    using Index = decltype(zero);
    dispatchAll(x.dtype, [&](auto element) { writePositions<decltype(element)>(x, out->as<Index>()); });
  });
  return fits ? Result<void>() : failure("expected a result of int32 or int64, found {}", nameOf(out->dtype));
}

Result<void> bincount(Call &call, int64_t minimalLength) {
  const View &weights = call.input(1);
  Result<std::vector<int64_t>> values = integersOf(call.input(0));
  if (!values)
    return values.diagnostics();
  int64_t length = minimalLength;
  for (int64_t index : *values) {
    if (index < 0)
      return failure("expected numbers from 0 on, found {}", index);
    length = std::max(length, index + 1);
  }
  if (weights && weights.size() != static_cast<int64_t>(values->size()))
    return failure("{} weights for {} numbers", weights.size(), values->size());
  Result<View> out = call.output(0, std::span(&length, 1));
  if (!out)
    return out.diagnostics();
  bool areAdded = true;
  bool known = dispatchReal(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<Wide<T>> sums(static_cast<size_t>(length), 0);
    auto add = [&](auto weightAt) {
      for (size_t i = 0; i < values->size(); ++i)
        sums[static_cast<size_t>((*values)[i])] += weightAt(i);
    };
    if (!weights)
      add([](size_t) { return Wide<T>(1); });
    else
      areAdded = dispatchReal(weights.dtype, [&](auto zeroWeight) {
        using W = decltype(zeroWeight);
        add([&](size_t i) { return convertElement<Wide<T>>(weights.as<W>()[i]); });
      });
    std::transform(sums.begin(), sums.end(), out->as<T>(), [](Wide<T> sum) { return static_cast<T>(sum); });
  });
  if (!areAdded)
    return failure("weights of {} are not supported", nameOf(weights.dtype));
  return known ? Result<void>() : failure("counting in {} is not supported", nameOf(out->dtype));
}

/// The slices of x along an axis (or, without one, its elements) as rows that can be compared.
template <class T> class Rows {
public:
  Rows(const View &x, std::optional<size_t> axis)
      : data(x.as<T>()), lines(axis ? Lines(x.dims, *axis) : Lines(x.dims.first(0), 0)), isFlat(!axis) {
    if (isFlat)
      lines.dim = x.size();
  }
  int64_t count() const { return lines.dim; }
  /// Without an axis: all elements.
  const T *elements() const { return isFlat ? data : nullptr; }
  /// Below, equal or above 0 as row a is before, equal to or after row b.
  int compare(int64_t a, int64_t b) const {
    for (int64_t outer = 0; outer < lines.outer; ++outer)
      for (int64_t inner = 0; inner < lines.inner; ++inner) {
        auto left = static_cast<Wide<T>>(at(a, outer, inner)),
             right = static_cast<Wide<T>>(at(b, outer, inner));
        if (left < right)
          return -1;
        if (right < left)
          return 1;
        if (left != right) // a NaN, after all numbers and unequal to itself
          return left == left ? -1 : 1;
      }
    return 0;
  }
  void copy(int64_t row, T *out, int64_t position, int64_t length) const {
    for (int64_t outer = 0; outer < lines.outer; ++outer)
      for (int64_t inner = 0; inner < lines.inner; ++inner)
        out[(outer * length + position) * lines.inner + inner] = at(row, outer, inner);
  }

private:
  const T &at(int64_t row, int64_t outer, int64_t inner) const {
    return data[(outer * lines.dim + row) * lines.inner + inner];
  }
  const T *data;
  Lines lines;
  bool isFlat;
};

enum class Order : uint8_t { Sorted, Consecutive, FirstSeen };

/// Distinct rows: a representative of each, the class of every row, and how many it has.
struct Classes {
  std::vector<int64_t> first, of, counts;
};

/// The numbers of the rows in their order: equal elements in the order of their numbers, equal slices as
/// std::sort leaves them, which is what Paddle's kernels give.
template <class T> std::vector<int64_t> sequenceOf(const Rows<T> &rows, Order order) {
  std::vector<int64_t> sequence(static_cast<size_t>(rows.count()));
  std::iota(sequence.begin(), sequence.end(), 0);
  if (order == Order::Consecutive)
    return sequence;
  if (const T *elements = rows.elements(); elements && LineSorter<T, false>::fits(rows.count())) {
    LineSorter<T, false> sorter(rows.count(), rows.count());
    const auto *sorted = sorter.run(elements, 1);
    for (size_t i = 0; i < sequence.size(); ++i)
      sequence[i] = sorted[i].position();
  } else {
    std::sort(sequence.begin(), sequence.end(), [&](int64_t a, int64_t b) { return rows.compare(a, b) < 0; });
  }
  return sequence;
}

template <class T> Classes classify(const Rows<T> &rows, Order order) {
  std::vector<int64_t> sequence = sequenceOf(rows, order);
  Classes classes;
  classes.of.resize(sequence.size());
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (i == 0 || rows.compare(sequence[i - 1], sequence[i]) != 0) {
      classes.first.push_back(sequence[i]);
      classes.counts.push_back(0);
    }
    ++classes.counts.back();
    classes.of[static_cast<size_t>(sequence[i])] = static_cast<int64_t>(classes.first.size()) - 1;
  }
  if (order != Order::FirstSeen)
    return classes;
  std::vector<int64_t> byFirst(classes.first.size()), rank(classes.first.size());
  std::iota(byFirst.begin(), byFirst.end(), 0);
  std::sort(byFirst.begin(), byFirst.end(), [&](int64_t a, int64_t b) {
    return classes.first[static_cast<size_t>(a)] < classes.first[static_cast<size_t>(b)];
  });
  Classes seen;
  for (size_t i = 0; i < byFirst.size(); ++i) {
    auto old = static_cast<size_t>(byFirst[i]);
    rank[old] = static_cast<int64_t>(i);
    seen.first.push_back(classes.first[old]);
    seen.counts.push_back(classes.counts[old]);
  }
  for (int64_t old : classes.of)
    seen.of.push_back(rank[static_cast<size_t>(old)]);
  return seen;
}

Result<void> writeList(Call &call, size_t output, const std::vector<int64_t> &list) {
  if (!call.hasOutput(output))
    return {};
  const int64_t dims[] = {static_cast<int64_t>(list.size())};
  Result<View> out = call.output(output, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchIndex(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(list.begin(), list.end(), out->as<T>(),
                   [](int64_t value) { return static_cast<T>(value); });
  });
  return known ? Result<void>() : failure("expected int32 or int64, found {}", nameOf(out->dtype));
}

Result<void> distinct(Call &call, const std::vector<int64_t> &axes, Order order) {
  const View &x = call.input(0);
  std::optional<size_t> axis;
  if (!axes.empty()) {
    Result<size_t> given = normalizeAxis(axes.front(), x.rank());
    if (!given)
      return given.diagnostics();
    axis = *given;
  }
  Classes classes;
  Result<void> copied;
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    Rows<T> rows(x, axis);
    classes = classify(rows, order);
    auto count = static_cast<int64_t>(classes.first.size());
    std::vector<int64_t> dims{count};
    if (axis) {
      dims.assign(x.dims.begin(), x.dims.end());
      dims[*axis] = count;
    }
    if (!call.hasOutput(0))
      return;
    Result<View> out = call.output(0, dims);
    if (!out) {
      copied = out.diagnostics();
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      rows.copy(classes.first[static_cast<size_t>(i)], out->template as<T>(), i, count);
  });
  if (!known)
    return failure("distinct elements of {} are not supported", nameOf(x.dtype));
  if (!copied)
    return copied;
  size_t next = 1;
  if (order == Order::Sorted)
    if (Result<void> done = writeList(call, next++, classes.first); !done)
      return done;
  if (Result<void> done = writeList(call, next++, classes.of); !done)
    return done;
  return writeList(call, next, classes.counts);
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeDistinct(const Op &op, const KernelRequest &request, Order order) {
  Checks checks(request);
  std::vector<int64_t> axes;
  if constexpr (requires { op.axis; })
    axes = op.axis;
  checks.expectOperands(1, 0);
  checks.expect(axes.size() <= 1, "expected at most one axis");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axes, order](Call &call) { return distinct(call, axes, order); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeNonzero(const NonzeroAttributes &op,
                                                   const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel(nonzero);
}

Result<std::unique_ptr<LibraryKernel>> makeBincount(const BincountAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  int64_t length = op.minlength;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([length](Call &call) { return bincount(call, length); });
}

Result<std::unique_ptr<LibraryKernel>> makeUnique(const UniqueAttributes &op, const KernelRequest &request) {
  return makeDistinct(op, request, Order::Sorted);
}
Result<std::unique_ptr<LibraryKernel>> makeUniqueConsecutive(const UniqueConsecutiveAttributes &op,
                                                             const KernelRequest &request) {
  return makeDistinct(op, request, Order::Consecutive);
}
Result<std::unique_ptr<LibraryKernel>> makeUniqueWithCounts(const UniqueWithCountsAttributes &op,
                                                            const KernelRequest &request) {
  return makeDistinct(op, request, Order::FirstSeen);
}

} // namespace proa::runtime
