#include "lib/checkpoint/Box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace proa::checkpoints {

Box wholeBox(spmd::Dims dims) {
  Box box;
  for (int64_t dim : dims)
    box.push_back({0, dim});
  return box;
}

std::vector<int64_t> dimsOf(const Box &box) {
  std::vector<int64_t> dims;
  for (const spmd::Range &range : box)
    dims.push_back(range.size());
  return dims;
}

int64_t volumeOf(const Box &box) {
  int64_t volume = 1;
  for (const spmd::Range &range : box)
    volume *= range.size();
  return volume;
}

std::optional<Box> intersection(const Box &a, const Box &b) {
  Box common;
  common.reserve(a.size());
  for (size_t d = 0; d < a.size(); ++d) {
    spmd::Range range{std::max(a[d].begin, b[d].begin), std::min(a[d].end, b[d].end)};
    if (range.begin >= range.end)
      return std::nullopt;
    common.push_back(range);
  }
  return common;
}

std::string toText(const Box &box) {
  std::string text;
  for (const spmd::Range &range : box)
    text += fmt::format("[{}:{}]", range.begin, range.end);
  return text;
}

namespace {

/// Appends the boxes of a flat range of the dims from `axis` on; `prefix` has the ranges of those before.
void addFlatRange(spmd::Dims dims, size_t axis, spmd::Range flat, Box &prefix, std::vector<Box> &boxes) {
  if (flat.begin >= flat.end)
    return;
  int64_t inner = 1; // elements of one index of this dim
  for (size_t d = axis + 1; d < dims.size(); ++d)
    inner *= dims[d];
  auto addRows = [&](int64_t begin, int64_t end) {
    if (begin >= end)
      return;
    Box box = prefix;
    box.push_back({begin, end});
    for (size_t d = axis + 1; d < dims.size(); ++d)
      box.push_back({0, dims[d]});
    boxes.push_back(std::move(box));
  };
  auto addRow = [&](int64_t row, int64_t begin, int64_t end) {
    prefix.push_back({row, row + 1});
    addFlatRange(dims, axis + 1, {begin, end}, prefix, boxes);
    prefix.pop_back();
  };
  int64_t first = flat.begin / inner, last = flat.end / inner;
  int64_t head = flat.begin % inner, tail = flat.end % inner;
  if (first == last)
    return addRow(first, head, tail);
  if (head != 0)
    addRow(first++, head, inner);
  addRows(first, last);
  if (tail != 0)
    addRow(last, 0, tail);
}

} // namespace

std::vector<Box> boxesOfFlatRange(spmd::Dims dims, int64_t begin, int64_t end) {
  std::vector<Box> boxes;
  Box prefix;
  if (dims.empty() && begin < end)
    boxes.emplace_back();
  else if (!dims.empty())
    addFlatRange(dims, 0, {begin, end}, prefix, boxes);
  return boxes;
}

void copyElements(BoxData<const std::byte> source, BoxData<std::byte> target, const Box &region,
                  size_t elementSize) {
  size_t rank = region.size();
  if (volumeOf(region) == 0)
    return;
  // Trailing dims that are whole in both boxes are adjacent memory.
  size_t outer = rank;
  size_t run = elementSize;
  while (outer > 0) {
    --outer;
    run *= static_cast<size_t>(region[outer].size());
    if (region[outer].size() != source.box[outer].size() || region[outer].size() != target.box[outer].size())
      break;
  }
  std::vector<size_t> sourceStrides(rank), targetStrides(rank);
  size_t sourceStride = elementSize, targetStride = elementSize;
  for (size_t d = rank; d-- > 0;) {
    sourceStrides[d] = sourceStride;
    targetStrides[d] = targetStride;
    sourceStride *= static_cast<size_t>(source.box[d].size());
    targetStride *= static_cast<size_t>(target.box[d].size());
  }
  const std::byte *from = source.bytes;
  std::byte *to = target.bytes;
  for (size_t d = 0; d < rank; ++d) {
    from += static_cast<size_t>(region[d].begin - source.box[d].begin) * sourceStrides[d];
    to += static_cast<size_t>(region[d].begin - target.box[d].begin) * targetStrides[d];
  }
  std::vector<int64_t> index(outer, 0);
  while (true) {
    std::memcpy(to, from, run);
    size_t d = outer;
    while (d > 0) {
      --d;
      from += sourceStrides[d];
      to += targetStrides[d];
      if (++index[d] < region[d].size())
        break;
      from -= static_cast<size_t>(index[d]) * sourceStrides[d];
      to -= static_cast<size_t>(index[d]) * targetStrides[d];
      index[d] = 0;
      if (d == 0)
        return;
    }
    if (outer == 0)
      return;
  }
}

} // namespace proa::checkpoints
