/// The library kernels "scatter_nd" (x, index, updates; reduce) and "put_along_axis" (x, indices, values;
/// axis, reduce). An index below 0 counts from the end; of several updates of a place the last counts, or all
/// are combined, in order.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/PostOps.h"
#include "lib/runtime/kernels/index/Indices.h"

#include "dialects/pd/ops/index/Scatter.kernels.inc"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>

namespace proa::runtime {
namespace {

template <ScatterReduce combine, class T> void update(T &target, T value) {
  auto held = static_cast<Wide<T>>(target), given = static_cast<Wide<T>>(value);
  if constexpr (combine == ScatterReduce::Add)
    target = static_cast<T>(static_cast<Wide<T>>(held + given));
  else if constexpr (combine == ScatterReduce::Multiply)
    target = static_cast<T>(static_cast<Wide<T>>(held * given));
  else if constexpr (!isComplex<T>)
    target =
        combine == ScatterReduce::Amin ? (given < held ? value : target) : (given > held ? value : target);
}

/// Calls body(a constant of the way to combine).
template <class Body> void dispatchCombine(ScatterReduce combine, Body &&body) {
  switch (combine) {
  case ScatterReduce::Assign: // updateRows
    return;
  case ScatterReduce::Add:
    return body(std::integral_constant<ScatterReduce, ScatterReduce::Add>());
  case ScatterReduce::Multiply:
    return body(std::integral_constant<ScatterReduce, ScatterReduce::Multiply>());
  case ScatterReduce::Amin:
    return body(std::integral_constant<ScatterReduce, ScatterReduce::Amin>());
  case ScatterReduce::Amax:
    return body(std::integral_constant<ScatterReduce, ScatterReduce::Amax>());
  }
}

/// Sums of many float32 updates of one row in blocks: added in sequence they lose digits, and from
/// 2^24 equal updates on the sum does not grow. Rows with few updates are not affected.
class BlockedRows {
public:
  /// `forEach` calls its argument, for each update, with its row among the `resultRows` rows of the
  /// result.
  template <class ForEach>
  BlockedRows(int64_t updates, int64_t resultRows, int64_t inner, ForEach &&forEach) : inner(inner) {
    constexpr int64_t mostRowsOfAnUpdate = 64; // counting must not take more time than adding
    if (updates <= blockUpdates || resultRows / mostRowsOfAnUpdate > updates)
      return;
    std::vector<int32_t> counts(static_cast<size_t>(resultRows));
    forEach([&](int64_t row, int64_t) { ++counts[static_cast<size_t>(row)]; });
    int32_t large = 0;
    for (int32_t &count : counts)
      count = count > blockUpdates ? large++ : -1;
    if (large == 0)
      return;
    slots = std::move(counts);
    sums.resize(static_cast<size_t>(large * inner));
    filled.resize(static_cast<size_t>(large));
  }

  bool empty() const { return slots.empty(); }

  /// Adds an update to the row that `target` holds.
  template <class T> void add(int64_t row, const T *update, T *target) {
    int32_t slot = slots[static_cast<size_t>(row)];
    if (slot < 0) {
      for (int64_t i = 0; i < inner; ++i)
        target[i] = sumOf(target[i], static_cast<float>(update[i]));
      return;
    }
    float *sum = sums.data() + slot * inner;
    for (int64_t i = 0; i < inner; ++i)
      sum[i] += static_cast<float>(update[i]);
    if (++filled[static_cast<size_t>(slot)] == blockUpdates)
      finishBlock(slot, target);
  }

  /// Adds the last block of each row.
  template <class T> void finish(T *result) {
    for (size_t row = 0; row < slots.size(); ++row)
      if (slots[row] >= 0)
        finishBlock(slots[row], result + static_cast<int64_t>(row) * inner);
  }

private:
  static constexpr int32_t blockUpdates = 1024;

  template <class T> static T sumOf(T x, float y) { return static_cast<T>(static_cast<float>(x) + y); }

  template <class T> void finishBlock(int32_t slot, T *target) {
    float *sum = sums.data() + slot * inner;
    for (int64_t i = 0; i < inner; ++i) {
      target[i] = sumOf(target[i], sum[i]);
      sum[i] = 0;
    }
    filled[static_cast<size_t>(slot)] = 0;
  }

  int64_t inner;
  std::vector<int32_t> slots;  ///< by row of the result; -1: few updates
  std::vector<float> sums;     ///< of the current block, by slot
  std::vector<int32_t> filled; ///< updates in the current block, by slot
};

/// Combines rows of `inner` elements with updates. `forEach` calls its argument with the row of the result
/// and the row of `updates` of each update, in order.
template <ScatterReduce combine, class T, class ForEach>
void updateRows(const View &out, const T *updates, int64_t count, int64_t inner, ForEach &&forEach) {
  T *result = out.as<T>();
  if constexpr (combine == ScatterReduce::Add && std::is_same_v<Wide<T>, float>) {
    BlockedRows rows(count, inner == 0 ? 0 : out.size() / inner, inner, forEach);
    if (!rows.empty()) {
      forEach(
          [&](int64_t row, int64_t from) { rows.add(row, updates + from * inner, result + row * inner); });
      return rows.finish(result);
    }
  }
  if (inner == 1)
    return forEach([&](int64_t row, int64_t from) { update<combine>(result[row], updates[from]); });
  forEach([&](int64_t row, int64_t from) {
    for (int64_t i = 0; i < inner; ++i)
      update<combine>(result[row * inner + i], updates[from * inner + i]);
  });
}

/// The same for any dtype. Assignments only need the size of an element. Error: the dtype has no way to
/// combine.
template <class ForEach>
Result<void> updateRows(ScatterReduce combine, const View &out, const View &updates, int64_t count,
                        int64_t inner, ForEach &&forEach) {
  if (combine == ScatterReduce::Assign) {
    dispatchSize(sizeOf(out.dtype), [&](auto zero) {
      using T = decltype(zero);
      if (inner == 1)
        return forEach([&](int64_t row, int64_t from) { out.as<T>()[row] = updates.as<T>()[from]; });
      forEach([&](int64_t row, int64_t from) {
        std::copy_n(updates.as<T>() + from * inner, inner, out.as<T>() + row * inner);
      });
    });
    return {};
  }
  bool known = dispatchAll(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    dispatchCombine(combine,
                    [&](auto how) { updateRows<how()>(out, updates.as<T>(), count, inner, forEach); });
  });
  return known ? Result<void>() : failure("scattering {} is not supported", nameOf(out.dtype));
}

/// The result begins as a copy of x.
Result<View> copyOfFirst(Call &call) {
  const View &x = call.input(0);
  Result<View> out = call.output(0, x.dims);
  if (out && out->data != x.data && x.size() != 0)
    std::memcpy(out->data, x.data, static_cast<size_t>(x.size()) * sizeOf(x.dtype));
  return out;
}

/// The place that an index names, or -1.
int64_t wrapped(int64_t index, int64_t dim) {
  int64_t at = index < 0 ? index + dim : index;
  return at < dim ? std::max<int64_t>(at, -1) : -1;
}

Diagnostics outside(int64_t index, int64_t dim, int64_t position, std::span<const int64_t> dims) {
  return failure("{}", wrongIndexText(index, position, dims, dim, /*wraps=*/true));
}

/// The elements that the rows of an index tensor select.
template <class Index> struct Positions {
  const Index *indices;
  std::span<const int64_t> dims; ///< that they address

  /// Errors: the first index outside of its dimension. The tensor of indices has `indexDims`.
  Result<void> check(int64_t rows, std::span<const int64_t> indexDims) const {
    auto depth = static_cast<int64_t>(dims.size());
    for (int64_t position = 0; position < rows * depth; ++position) {
      int64_t dim = dims[static_cast<size_t>(position % depth)];
      if (wrapped(indices[position], dim) < 0)
        return outside(indices[position], dim, position, indexDims);
    }
    return {};
  }
  int64_t operator()(int64_t row) const {
    int64_t flat = 0;
    const Index *index = indices + row * static_cast<int64_t>(dims.size());
    for (size_t axis = 0; axis < dims.size(); ++axis)
      flat = flat * dims[axis] + wrapped(index[axis], dims[axis]);
    return flat;
  }
};

template <class Index>
Result<void> scatterRows(Call &call, ScatterReduce combine, const Positions<Index> &positions, int64_t rows,
                         int64_t inner) {
  if (Result<void> valid = positions.check(rows, call.input(1).dims); !valid) // before anything is written
    return valid;
  Result<View> out = copyOfFirst(call);
  if (!out)
    return out.diagnostics();
  auto forEach = [&](auto &&visit) {
    for (int64_t row = 0; row < rows; ++row)
      visit(positions(row), row);
  };
  return updateRows(combine, *out, call.input(2), rows, inner, forEach);
}

Result<void> scatterNd(Call &call, ScatterReduce combine) {
  const View &x = call.input(0), &index = call.input(1), &updates = call.input(2);
  bool fits =
      index.rank() > 0 && index.dims.back() <= static_cast<int64_t>(x.rank()) && updates.dtype == x.dtype;
  size_t depth = fits ? static_cast<size_t>(index.dims.back()) : 0;
  std::vector<int64_t> expected;
  if (fits) {
    expected.assign(index.dims.begin(), index.dims.end() - 1);
    expected.insert(expected.end(), x.dims.begin() + static_cast<ptrdiff_t>(depth), x.dims.end());
    fits = std::ranges::equal(expected, updates.dims);
  }
  if (!fits)
    return failure("updates {} at indices {} do not fit {}", describe(updates.dtype, updates.dims),
                   describe(index.dtype, index.dims), describe(x.dtype, x.dims));
  int64_t inner = 1;
  for (size_t i = depth; i < x.rank(); ++i)
    inner *= x.dims[i];
  int64_t rows = inner == 0 ? 0 : updates.size() / inner;
  Result<void> done;
  bool hasIndices = dispatchIndex(index.dtype, [&](auto zero) {
    Positions<decltype(zero)> positions{index.as<decltype(zero)>(), x.dims.first(depth)};
    done = scatterRows(call, combine, positions, rows, inner);
  });
  return hasIndices ? done : failure("expected indices of int32 or int64, found {}", nameOf(index.dtype));
}

/// The updates of put_along_axis, by lines of indices along the last dim.
class AlongAxisUpdates {
public:
  /// `sourceStrides`: of the updates, by dims of the index.
  AlongAxisUpdates(const View &x, const View &index, size_t axis, std::span<const int64_t> sourceStrides)
      : x(x), index(index), axis(axis), sourceStrides(sourceStrides), strides(x.rank(), 1) {
    for (size_t i = x.rank(); i-- > 1;)
      strides[i - 1] = strides[i] * x.dims[i];
  }

  /// Calls visit(element of the result, element of the updates) for each update.
  template <class Visit> void operator()(Visit &&visit) const {
    size_t last = x.rank() - 1;
    int64_t length = index.dims[last], lines = length == 0 ? 0 : index.size() / length;
    int64_t targetStep = axis == last ? 0 : 1, sourceStep = sourceStrides[last];
    std::array<int64_t, 256> places;
    for (int64_t line = 0; line < lines; ++line) {
      auto [target, source] = beginOf(line);
      for (int64_t begin = 0; begin < length; begin += static_cast<int64_t>(places.size())) {
        int64_t count = std::min(length - begin, static_cast<int64_t>(places.size()));
        wrapIndices(index, x.dims[axis], line * length + begin, count, places.data());
        for (int64_t i = 0; i < count; ++i)
          visit(target + places[static_cast<size_t>(i)] * strides[axis] + (begin + i) * targetStep,
                source + (begin + i) * sourceStep);
      }
    }
  }

private:
  /// The first elements of a line of the index, in the result without the axis and in the updates.
  std::pair<int64_t, int64_t> beginOf(int64_t line) const {
    int64_t target = 0, source = 0;
    for (size_t i = x.rank() - 1; i-- > 0; line /= index.dims[i]) {
      int64_t here = line % index.dims[i];
      target += i == axis ? 0 : here * strides[i];
      source += here * sourceStrides[i];
    }
    return {target, source};
  }

  const View &x, &index;
  size_t axis;
  std::span<const int64_t> sourceStrides;
  std::vector<int64_t> strides; ///< of x
};

Result<void> putAlongAxis(Call &call, int64_t axisAttribute, ScatterReduce combine) {
  const View &x = call.input(0), &index = call.input(1), &values = call.input(2);
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!axis)
    return axis.diagnostics();
  bool fits = index.rank() == x.rank() && values.dtype == x.dtype;
  for (size_t i = 0; fits && i < x.rank(); ++i)
    fits = i == *axis || index.dims[i] <= x.dims[i];
  if (!fits)
    return failure("values {} at indices {} do not fit {}", describe(values.dtype, values.dims),
                   describe(index.dtype, index.dims), describe(x.dtype, x.dims));
  Result<StridedOperand> from = broadcastOperand(values.dims, index.dims);
  if (!from)
    return from.diagnostics();
  if (Result<void> valid = checkWrappingIndices(index, x.dims[*axis]); !valid) // before anything is written
    return valid;
  Result<View> out = copyOfFirst(call);
  if (!out)
    return out.diagnostics();
  AlongAxisUpdates updates(x, index, *axis, from->strides);
  return updateRows(combine, *out, values, index.size(), 1, updates);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeScatterNd(const ScatterNdAttributes &op,
                                                     const KernelRequest &request) {
  Checks checks(request);
  ScatterReduce combine = op.reduce;
  checks.expectOperands(3, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([combine](Call &call) { return scatterNd(call, combine); });
}

Result<std::unique_ptr<LibraryKernel>> makePutAlongAxis(const PutAlongAxisAttributes &op,
                                                        const KernelRequest &request) {
  Checks checks(request);
  ScatterReduce combine = op.reduce;
  int64_t axis = op.axis;
  checks.expectOperands(3, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return putAlongAxis(call, axis, combine); });
}

} // namespace proa::runtime
