#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/conv/ChannelOrder.h"
#include "lib/runtime/kernels/tensor/NarrowPlane.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace proa::runtime {
namespace {

/// Drops axes of size 1, sorts by the target's strides, and joins axes that are one axis in both tensors.
std::vector<CopyAxis> simplify(std::vector<CopyAxis> axes) {
  std::erase_if(axes, [](const CopyAxis &axis) { return axis.size == 1; });
  // Insertion keeps the order of equal strides.
  for (size_t i = 1; i < axes.size(); ++i)
    for (size_t j = i; j > 0 && std::abs(axes[j - 1].target) < std::abs(axes[j].target); --j)
      std::swap(axes[j - 1], axes[j]);
  std::vector<CopyAxis> out;
  for (const CopyAxis &axis : axes) {
    if (!out.empty() && out.back().source == axis.source * axis.size &&
        out.back().target == axis.target * axis.size)
      out.back() = {out.back().size * axis.size, axis.source, axis.target};
    else
      out.push_back(axis);
  }
  return out;
}

/// Offsets of the source and the target at a flat index over some axes; moves on by one index at a time.
class Odometer {
public:
  Odometer(std::span<const CopyAxis> axes, int64_t flat) : axes(axes), index(axes.size()) {
    for (size_t i = axes.size(); i-- > 0;) {
      index[i] = flat % axes[i].size;
      flat /= axes[i].size;
      source += index[i] * axes[i].source;
      target += index[i] * axes[i].target;
    }
  }
  void next() {
    for (size_t i = axes.size(); i-- > 0;) {
      source += axes[i].source;
      target += axes[i].target;
      if (++index[i] < axes[i].size)
        return;
      source -= axes[i].size * axes[i].source;
      target -= axes[i].size * axes[i].target;
      index[i] = 0;
    }
  }
  int64_t source = 0, target = 0;

private:
  std::span<const CopyAxis> axes;
  std::vector<int64_t> index;
};

template <class T> void copyLine(const T *source, T *target, const CopyAxis &line) {
  if (line.source == 1 && line.target == 1)
    std::memcpy(target, source, static_cast<size_t>(line.size) * sizeof(T));
  else if (line.source == 0 && line.target == 1)
    std::fill_n(target, line.size, *source);
  else
    for (int64_t i = 0; i < line.size; ++i)
      target[i * line.target] = source[i * line.source];
}

/// Copies lines of `bytes` bytes: short ones without a call for each.
void copyShortLines(const std::byte *source, std::byte *target, size_t bytes, int64_t count,
                    int64_t sourceStep, int64_t targetStep) {
  constexpr size_t piece = 32;
  for (int64_t i = 0; i < count; ++i, source += sourceStep, target += targetStep) {
    for (size_t at = 0; at + piece <= bytes; at += piece)
      std::memcpy(target + at, source + at, piece);
    std::memcpy(target + bytes - piece, source + bytes - piece, piece); // may overlap the piece before
  }
}

/// The same where the number of bytes is a constant: corners of boxes, halves of them, complex numbers.
template <size_t bytes>
void copyEqualLines(const std::byte *source, std::byte *target, int64_t count, int64_t sourceStep,
                    int64_t targetStep) {
  for (int64_t i = 0; i < count; ++i, source += sourceStep, target += targetStep)
    std::memcpy(target, source, bytes);
}

/// Copies `rows.size` lines.
template <class T> void copyRows(const T *source, T *target, const CopyAxis &rows, const CopyAxis &line) {
  constexpr int64_t size = sizeof(T), least = 32, most = 512;
  int64_t bytes = line.source == 1 && line.target == 1 ? line.size * size : 0;
  auto copyBy = [&](auto copy, auto... lineBytes) {
    copy(reinterpret_cast<const std::byte *>(source), reinterpret_cast<std::byte *>(target), lineBytes...,
         rows.size, rows.source * size, rows.target * size);
  };
  if (bytes == 8)
    return copyBy(copyEqualLines<8>);
  if (bytes == 12)
    return copyBy(copyEqualLines<12>);
  if (bytes == 16)
    return copyBy(copyEqualLines<16>);
  if (bytes >= least && bytes <= most)
    return copyBy(copyShortLines, static_cast<size_t>(bytes));
  for (int64_t i = 0; i < rows.size; ++i)
    copyLine(source + i * rows.source, target + i * rows.target, line);
}

/// A transposed plane in vectors: `block` rows at a time stay in the first-level cache, where lines that
/// share a set hold 8 rows.
template <class T>
void copyVectors(const T *source, T *target, const CopyAxis &rows, const CopyAxis &columns) {
  constexpr int64_t setBytes = 4096, most = 64, side = sizeof(T) == sizeof(float) ? blockSide : narrowSide<T>;
  int64_t block = rows.source * static_cast<int64_t>(sizeof(T)) % setBytes == 0 ? side : most;
  for (int64_t r = 0; r < rows.size; r += block) {
    int64_t count = std::min(block, rows.size - r);
    if constexpr (sizeof(T) == sizeof(float))
      runVectors<transposePlane>(reinterpret_cast<const float *>(source + r * rows.source), rows.source,
                                 count, columns.size, reinterpret_cast<float *>(target + r), columns.target);
    else
      transposeNarrowPlane(source + r * rows.source, rows.source, count, columns.size, target + r,
                           columns.target);
  }
}

/// A transposed plane: the source is contiguous along `columns`, the target along `rows`. Blocks fit in the
/// first-level cache.
template <class T> void copyPlane(const T *source, T *target, const CopyAxis &rows, const CopyAxis &columns) {
  if constexpr (sizeof(T) <= sizeof(float))
    return copyVectors(source, target, rows, columns);
  constexpr int64_t block = 64 / sizeof(T) >= 4 ? 64 / sizeof(T) : 4;
  for (int64_t r = 0; r < rows.size; r += block)
    for (int64_t c = 0; c < columns.size; c += block)
      for (int64_t i = r; i < std::min(r + block, rows.size); ++i)
        for (int64_t j = c; j < std::min(c + block, columns.size); ++j)
          target[j * columns.target + i] = source[i * rows.source + j];
}

template <class T>
void copyTransposed(std::vector<CopyAxis> axes, size_t columnAxis, const T *source, T *target) {
  CopyAxis rows = axes.back(), columns = axes[columnAxis];
  axes.pop_back();
  axes.erase(axes.begin() + static_cast<ptrdiff_t>(columnAxis));
  // Strips of the plane are units of work, so that one big plane is shared by the threads too.
  constexpr int64_t strip = 64;
  int64_t strips = (columns.size + strip - 1) / strip;
  axes.push_back({strips, strip * columns.source, strip * columns.target});
  int64_t units = 1;
  for (const CopyAxis &axis : axes)
    units *= axis.size;
  parallelFor(units, 1 + 65536 / (strip * rows.size * static_cast<int64_t>(sizeof(T))),
              [&](int64_t begin, int64_t end) {
                Odometer at(axes, begin);
                for (int64_t unit = begin; unit < end; ++unit, at.next()) {
                  CopyAxis stripColumns = columns;
                  stripColumns.size = std::min(strip, columns.size - unit % strips * strip);
                  copyPlane(source + at.source, target + at.target, rows, stripColumns);
                }
              });
}

template <class T> void copyLines(std::vector<CopyAxis> axes, const T *source, T *target) {
  CopyAxis line = axes.back();
  axes.pop_back();
  if (axes.empty() && line.size > 65536) { // one long line: cut it for the threads
    constexpr int64_t piece = 16384;
    int64_t rest = line.size % piece, pieces = line.size / piece;
    copyLine(source + pieces * piece * line.source, target + pieces * piece * line.target,
             {rest, line.source, line.target});
    axes.push_back({pieces, piece * line.source, piece * line.target});
    line.size = piece;
  }
  CopyAxis rows{1, 0, 0};
  if (!axes.empty()) {
    rows = axes.back();
    axes.pop_back();
  }
  int64_t lines = rows.size;
  for (const CopyAxis &axis : axes)
    lines *= axis.size;
  parallelFor(lines, 1 + 65536 / (line.size * static_cast<int64_t>(sizeof(T))),
              [&](int64_t begin, int64_t end) {
                Odometer at(axes, begin / rows.size);
                for (int64_t i = begin; i < end; at.next()) {
                  int64_t first = i % rows.size, count = std::min(rows.size - first, end - i);
                  copyRows(source + at.source + first * rows.source, target + at.target + first * rows.target,
                           {count, rows.source, rows.target}, line);
                  i += count;
                }
              });
}

template <class T> void copyAll(const std::vector<CopyAxis> &axes, const T *source, T *target) {
  if (axes.empty()) {
    *target = *source;
    return;
  }
  if (axes.back().source != 1 && axes.back().target == 1 && axes.back().size >= 4)
    for (size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].source == 1 && axes[i].size >= 4)
        return copyTransposed(axes, i, source, target);
  copyLines(axes, source, target);
}

} // namespace

void stridedCopy(size_t elementBytes, std::vector<CopyAxis> axes, const void *source, void *target) {
  for (const CopyAxis &axis : axes)
    if (axis.size <= 0)
      return;
  axes = simplify(std::move(axes));
  dispatchSize(elementBytes, [&](auto zero) {
    using T = decltype(zero);
    copyAll(axes, static_cast<const T *>(source), static_cast<T *>(target));
  });
}

void stridedCopy(size_t elementBytes, std::span<const int64_t> dims, const void *source,
                 std::span<const int64_t> sourceStrides, void *target,
                 std::span<const int64_t> targetStrides) {
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < dims.size(); ++i)
    axes.push_back({dims[i], sourceStrides[i], targetStrides[i]});
  stridedCopy(elementBytes, std::move(axes), source, target);
}

} // namespace proa::runtime
