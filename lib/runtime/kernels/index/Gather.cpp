/// The library kernels that read elements at indices. A bad index is an error that names it and its place.
///
/// embedding: x (ids), weight; padding_idx. gather: x, index, axis as a tensor (which wins); axis. gather_nd:
/// x, index. take_along_axis: x, indices; axis; a dim of 1 of one operand, other than along the axis,
/// broadcasts. But for embedding an index below 0 counts from the end.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/index/Indices.h"

#include "dialects/pd/ops/index/Gather.kernels.inc"
#include "dialects/pd/ops/nn/Embedding.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace proa::runtime {
namespace {

/// The indices as int64, each in [0, dim); negative ones count from the end where `wraps`. `skipped` is
/// left as it is.
Result<std::vector<int64_t>> checkedIndices(const View &indices, int64_t dim, bool wraps,
                                            std::optional<int64_t> skipped = std::nullopt) {
  std::vector<int64_t> out(static_cast<size_t>(indices.size()));
  std::optional<size_t> wrong;
  int64_t wrongIndex = 0;
  bool known = dispatchIndex(indices.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < out.size(); ++i) {
      int64_t index = indices.as<T>()[i];
      if (wraps && index < 0)
        index += dim;
      out[i] = index;
      if ((index < 0 || index >= dim) && index != skipped && !wrong) {
        wrong = i;
        wrongIndex = indices.as<T>()[i];
      }
    }
  });
  if (!known)
    return failure("expected indices of int32 or int64, found {}", nameOf(indices.dtype));
  if (wrong)
    return failure("{}", wrongIndexText(wrongIndex, static_cast<int64_t>(*wrong), indices.dims, dim, wraps));
  return out;
}

/// Consecutive indices: rows [at, at + length) of the result are rows [from, from + length) of x.
struct IndexRun {
  int64_t at, from, length;
};

/// The runs of indices; none if most are short.
std::vector<IndexRun> runsOf(std::span<const int64_t> indices) {
  constexpr size_t usefulLength = 4;
  std::vector<IndexRun> runs;
  size_t breaks = 0; // counted first, because no processor can predict branches at the ends of short runs
  for (size_t i = 1; i < indices.size(); ++i)
    breaks += indices[i] == indices[i - 1] + 1 ? 0 : 1;
  if (breaks >= indices.size() / usefulLength)
    return {};
  for (size_t i = 0; i < indices.size(); ++i) {
    if (i > 0 && indices[i] == indices[i - 1] + 1)
      ++runs.back().length;
    else
      runs.push_back({static_cast<int64_t>(i), indices[i], 1});
  }
  return runs;
}

/// Rows [begin, end) of the result, each of `width` elements of type T.
template <class T>
void copyRowsOf(const T *x, T *out, int64_t dim, std::span<const int64_t> indices, int64_t width,
                int64_t begin, int64_t end) {
  auto count = static_cast<int64_t>(indices.size());
  for (int64_t row = begin; row < end;) {
    int64_t first = row % count, size = std::min(count - first, end - row);
    const T *from = x + row / count * dim * width;
    T *to = out + row * width;
    const int64_t *at = indices.data() + first;
    if (width == 1)
      for (int64_t i = 0; i < size; ++i)
        to[i] = from[at[i]];
    else
      for (int64_t i = 0; i < size; ++i)
        std::copy_n(from + at[i] * width, width, to + i * width);
    row += size;
  }
}

/// Whole runs of the slices [begin, end) of x.
template <class T>
void copyRuns(const T *x, T *out, int64_t dim, std::span<const IndexRun> runs, int64_t count, int64_t width,
              int64_t begin, int64_t end) {
  for (int64_t slice = begin; slice < end; ++slice)
    for (const IndexRun &run : runs) {
      const T *from = x + (slice * dim + run.from) * width;
      T *to = out + (slice * count + run.at) * width;
      if (run.length * width == 1)
        *to = *from;
      else
        std::copy_n(from, run.length * width, to);
    }
}

/// A row as one number, at any address: a view may begin anywhere in a buffer.
template <class T> struct [[gnu::packed]] RowNumber {
  T number;
};

/// out[o, i, :] = x[o, indices[i], :], rows of `rowBytes`.
void copyRows(const std::byte *x, std::byte *out, int64_t outer, int64_t dim,
              std::span<const int64_t> indices, size_t rowBytes) {
  auto count = static_cast<int64_t>(indices.size()), bytes = static_cast<int64_t>(rowBytes);
  std::vector<IndexRun> runs = runsOf(indices);
  bool isElement = rowBytes == 1 || rowBytes == 2 || rowBytes == 4 || rowBytes == 8;
  dispatchSize(isElement ? rowBytes : 1, [&](auto zero) {
    using T = RowNumber<decltype(zero)>;
    const auto *from = reinterpret_cast<const T *>(x);
    auto *to = reinterpret_cast<T *>(out);
    int64_t width = isElement ? 1 : bytes;
    if (!runs.empty())
      parallelFor(outer, 1 + 65536 / (count * bytes + 1), [&](int64_t begin, int64_t end) {
        copyRuns(from, to, dim, runs, count, width, begin, end);
      });
    else
      parallelFor(outer * count, 1 + 65536 / (bytes + 1),
                  [&](int64_t begin, int64_t end) { copyRowsOf(from, to, dim, indices, width, begin, end); });
  });
}

Result<void> embedding(Call &call, int64_t padding) {
  const View &ids = call.input(0), &weight = call.input(1);
  if (weight.rank() != 2)
    return failure("expected a table of rank 2, found {}", describe(weight.dtype, weight.dims));
  int64_t rows = weight.dims[0], width = weight.dims[1];
  if (padding < -1)
    padding += rows;
  Result<std::vector<int64_t>> indices =
      checkedIndices(ids, rows, false, padding == -1 ? std::nullopt : std::optional(padding));
  if (!indices)
    return indices.diagnostics();
  std::vector<int64_t> dims(ids.dims.begin(), ids.dims.end());
  dims.push_back(width);
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  size_t rowBytes = static_cast<size_t>(width) * sizeOf(weight.dtype);
  auto count = static_cast<int64_t>(indices->size());
  parallelFor(count, 1 + 65536 / static_cast<int64_t>(rowBytes + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t index = (*indices)[static_cast<size_t>(i)];
      std::byte *target = out->as<std::byte>() + static_cast<size_t>(i) * rowBytes;
      if (index == padding && padding != -1)
        std::memset(target, 0, rowBytes);
      else
        std::memcpy(target, weight.as<std::byte>() + static_cast<size_t>(index) * rowBytes, rowBytes);
    }
  });
  return {};
}

/// The axis is replaced by the index's dims (a rank-0 index drops it).
Result<void> gather(Call &call, int64_t axisAttribute) {
  const View &x = call.input(0), &index = call.input(1);
  int64_t given = axisAttribute;
  if (call.input(2)) {
    Result<std::vector<int64_t>> tensor = integersOf(call.input(2));
    if (!tensor || tensor->size() != 1)
      return failure("expected one axis");
    given = tensor->front();
  }
  Result<size_t> axis = normalizeAxis(given, x.rank());
  if (!axis)
    return axis.diagnostics();
  Result<std::vector<int64_t>> indices = checkedIndices(index, x.dims[*axis], true);
  if (!indices)
    return indices.diagnostics();
  std::vector<int64_t> dims(x.dims.begin(), x.dims.begin() + static_cast<ptrdiff_t>(*axis));
  dims.insert(dims.end(), index.dims.begin(), index.dims.end());
  dims.insert(dims.end(), x.dims.begin() + static_cast<ptrdiff_t>(*axis) + 1, x.dims.end());
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  int64_t outer = 1, inner = 1;
  for (size_t i = 0; i < x.rank(); ++i)
    if (i != *axis)
      (i < *axis ? outer : inner) *= x.dims[i];
  copyRows(x.as<std::byte>(), out->as<std::byte>(), outer, x.dims[*axis], *indices,
           static_cast<size_t>(inner) * sizeOf(x.dtype));
  return {};
}

Result<void> gatherNd(Call &call) {
  const View &x = call.input(0), &index = call.input(1);
  if (index.rank() == 0 || index.dims.back() > static_cast<int64_t>(x.rank()))
    return failure("indices {} do not fit {}", describe(index.dtype, index.dims), describe(x.dtype, x.dims));
  auto depth = static_cast<size_t>(index.dims.back());
  std::vector<int64_t> dims(index.dims.begin(), index.dims.end() - 1);
  dims.insert(dims.end(), x.dims.begin() + static_cast<ptrdiff_t>(depth), x.dims.end());
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  int64_t rows = 1, inner = 1;
  for (size_t i = 0; i + 1 < index.rank(); ++i)
    rows *= index.dims[i];
  for (size_t i = depth; i < x.rank(); ++i)
    inner *= x.dims[i];
  auto count = static_cast<size_t>(rows);
  std::span<int64_t> flat(static_cast<int64_t *>(call.scratch(count * sizeof(int64_t))), count);
  std::optional<int64_t> wrong; // a position in the tensor of indices
  int64_t wrongIndex = 0;
  bool known = dispatchIndex(index.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t sum = 0;
      for (size_t axis = 0; axis < depth; ++axis) {
        int64_t at = index.as<T>()[row * static_cast<int64_t>(depth) + static_cast<int64_t>(axis)];
        if (at < 0)
          at += x.dims[axis];
        if ((at < 0 || at >= x.dims[axis]) && !wrong) {
          wrong = row * static_cast<int64_t>(depth) + static_cast<int64_t>(axis);
          wrongIndex = index.as<T>()[*wrong];
        }
        sum = sum * x.dims[axis] + at;
      }
      flat[static_cast<size_t>(row)] = sum;
    }
  });
  if (!known)
    return failure("expected indices of int32 or int64, found {}", nameOf(index.dtype));
  if (wrong)
    return failure("{}", wrongIndexText(wrongIndex, *wrong, index.dims,
                                        x.dims[static_cast<size_t>(*wrong) % depth], /*wraps=*/true));
  copyRows(x.as<std::byte>(), out->as<std::byte>(), 1, 0, flat, static_cast<size_t>(inner) * sizeOf(x.dtype));
  return {};
}

/// The operands of take_along_axis as [outer, count, middle, block]: the axis is `count`, and one index holds
/// for all elements of a block.
struct AlongAxis {
  const View &x, &index;
  std::span<const int64_t> dims; ///< of the result
  size_t axis;
  int64_t middle = 1, block = 1;
  bool hasBlocks = true; ///< else an operand broadcasts in another way

  AlongAxis(const View &x, const View &index, std::span<const int64_t> dims, size_t axis)
      : x(x), index(index), dims(dims), axis(axis) {
    size_t first = dims.size(); // of the dims of a block
    while (first > axis + 1 && index.dims[first - 1] == 1)
      block *= dims[--first];
    for (size_t i = axis + 1; i < dims.size(); ++i) {
      hasBlocks &= x.dims[i] == dims[i] && (i >= first || index.dims[i] == dims[i]);
      middle *= i < first ? dims[i] : 1;
    }
  }

  int64_t inner() const { return middle * block; }
  /// The position in `operand`, in units of its dims from the axis on, of the slice `outer` of the result.
  int64_t sliceOf(const View &operand, int64_t outer) const {
    int64_t at = 0, stride = 1;
    for (size_t i = axis; i-- > 0; outer /= dims[i]) {
      at += operand.dims[i] == 1 ? 0 : outer % dims[i] * stride;
      stride *= operand.dims[i];
    }
    return at;
  }
};

/// Rows of the result after the axis, each by copies of blocks or by an index for each element.
template <class T, class Index>
void takeByRows(const AlongAxis &form, const Index *indices, int64_t size, T *out) {
  const T *x = form.x.as<T>();
  int64_t count = form.dims[form.axis], own = form.x.dims[form.axis], inner = form.inner();
  int64_t middle = form.middle, block = form.block;
  auto wrap = [own](Index index) { return int64_t{index} + (index < 0 ? own : 0); };
  parallelFor(size / inner, 1 + 65536 / inner, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end;) {
      int64_t outer = row / count, first = row % count, last = std::min(count, first + end - row);
      const T *slice = x + form.sliceOf(form.x, outer) * own * inner;
      const Index *at = indices + form.sliceOf(form.index, outer) * count * middle;
      T *to = out + row * inner;
      for (int64_t i = first; inner == 1 && i < last; ++i)
        to[i - first] = slice[wrap(at[i])];
      for (int64_t i = first; inner > 1 && i < last; ++i, to += inner)
        if (block == 1)
          for (int64_t k = 0; k < middle; ++k)
            to[k] = slice[wrap(at[i * middle + k]) * inner + k];
        else
          for (int64_t k = 0; k < middle; ++k)
            std::copy_n(slice + wrap(at[i * middle + k]) * inner + k * block, block, to + k * block);
      row += last - first;
    }
  });
}

/// Any broadcast, element by element.
template <class T, class Index>
void takeByElements(const AlongAxis &form, const Index *indices, int64_t size, T *out) {
  const View &x = form.x, &index = form.index;
  parallelFor(size, 8192, [&](int64_t begin, int64_t end) {
    for (int64_t flat = begin; flat < end; ++flat) {
      int64_t rest = flat, indexAt = 0, indexStride = 1, at = 0, stride = 1, axisStride = 1;
      for (size_t i = x.rank(); i-- > 0; rest /= form.dims[i]) {
        int64_t position = rest % form.dims[i];
        indexAt += index.dims[i] == 1 ? 0 : position * indexStride;
        indexStride *= index.dims[i];
        if (i == form.axis)
          axisStride = stride;
        else
          at += x.dims[i] == 1 ? 0 : position * stride;
        stride *= x.dims[i];
      }
      Index taken = indices[indexAt];
      out[flat] = x.as<T>()[at + (int64_t{taken} + (taken < 0 ? x.dims[form.axis] : 0)) * axisStride];
    }
  });
}

/// out[..., i, ...] = x[..., indices[..., i, ...], ...]
Result<void> takeAlongAxis(Call &call, int64_t axisAttribute) {
  const View &x = call.input(0), &index = call.input(1);
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!axis)
    return axis.diagnostics();
  bool fits = index.rank() == x.rank();
  std::vector<int64_t> dims(index.dims.begin(), index.dims.end());
  for (size_t i = 0; fits && i < x.rank(); ++i) {
    if (i != *axis && dims[i] == 1)
      dims[i] = x.dims[i];
    fits = i == *axis || x.dims[i] == 1 || dims[i] <= x.dims[i];
  }
  if (!fits)
    return failure("indices {} do not fit {}", describe(index.dtype, index.dims), describe(x.dtype, x.dims));
  if (Result<void> valid = checkWrappingIndices(index, x.dims[*axis]); !valid)
    return valid;
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  AlongAxis form(x, index, dims, *axis);
  dispatchSize(sizeOf(x.dtype), [&](auto element) {
    dispatchIndex(index.dtype, [&](auto zero) {
      using T = decltype(element);
      using Index = decltype(zero);
      if (out->size() > 0 && form.hasBlocks)
        takeByRows(form, index.as<Index>(), out->size(), out->as<T>());
      else
        takeByElements(form, index.as<Index>(), out->size(), out->as<T>());
    });
  });
  return {};
}

template <class Body>
Result<std::unique_ptr<LibraryKernel>> withAxis(const KernelRequest &request, int64_t axis, Body body) {
  Checks checks(request);
  checks.expectOperands(2, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis, body](Call &call) { return body(call, axis); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeEmbedding(const EmbeddingAttributes &op,
                                                     const KernelRequest &request) {
  return withAxis(request, op.paddingIdx, embedding);
}
Result<std::unique_ptr<LibraryKernel>> makeGather(const GatherAttributes &op, const KernelRequest &request) {
  return withAxis(request, op.axis, gather);
}
Result<std::unique_ptr<LibraryKernel>> makeTakeAlongAxis(const TakeAlongAxisAttributes &op,
                                                         const KernelRequest &request) {
  return withAxis(request, op.axis, takeAlongAxis);
}
Result<std::unique_ptr<LibraryKernel>> makeGatherNd(const GatherNdAttributes &op,
                                                    const KernelRequest &request) {
  return withAxis(request, 0, [](Call &call, int64_t) { return gatherNd(call); });
}
} // namespace proa::runtime
