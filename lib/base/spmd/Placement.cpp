#include "lib/base/spmd/Placement.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::spmd {

std::string_view keywordOf(Reduction reduction) {
  constexpr std::string_view keywords[] = {"sum", "max", "min", "prod", "avg", "any", "all"};
  return keywords[static_cast<size_t>(reduction)];
}

bool commute(Reduction a, Reduction b) {
  auto isLinear = [](Reduction r) { return r == Reduction::Sum || r == Reduction::Avg; };
  return a == b || (isLinear(a) && isLinear(b));
}

Range shardRange(int64_t size, int64_t count, int64_t index) {
  auto begin = [&](int64_t i) {
    return static_cast<int64_t>((static_cast<__int128>(i) * size + count - 1) / count);
  };
  return {begin(index), begin(index + 1)};
}

std::vector<Range> localRanges(const Mesh &mesh, const DimPlacement &dim, int64_t size, int64_t position) {
  std::vector<Range> ranges;
  int64_t shard = mesh.shardOf(dim.axes, position), shards = dim.shardCount(), offset = 0;
  auto addBlock = [&](int64_t block) {
    Range range = shardRange(block, shards, shard);
    if (range.size() > 0)
      ranges.push_back({offset + range.begin, offset + range.end});
    offset += block;
  };
  if (dim.blocks.empty())
    addBlock(size);
  for (int64_t block : dim.blocks)
    addBlock(block);
  return ranges;
}

std::vector<int64_t> localDims(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position) {
  std::vector<int64_t> local;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t count = 0;
    for (const Range &range : localRanges(mesh, placement.dims[d], dims[d], position))
      count += range.size();
    local.push_back(count);
  }
  return local;
}

std::optional<int64_t> evenLocalSize(const DimPlacement &dim, int64_t size) {
  int64_t shards = dim.shardCount();
  bool even = dim.blocks.empty()
                  ? size % shards == 0
                  : std::ranges::all_of(dim.blocks, [&](int64_t b) { return b % shards == 0; });
  return even ? std::optional(size / shards) : std::nullopt;
}

int64_t largestLocalCount(const Placement &placement, Dims dims) {
  int64_t count = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    const DimPlacement &dim = placement.dims[d];
    int64_t shards = dim.shardCount(), local = 0;
    if (dim.blocks.empty())
      local = shardRange(dims[d], shards, 0).size();
    for (int64_t block : dim.blocks)
      local += shardRange(block, shards, 0).size();
    count *= local;
  }
  return count;
}

bool holds(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position, Dims index) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (std::ranges::none_of(
            localRanges(mesh, placement.dims[d], dims[d], position),
            [&](const Range &range) { return index[d] >= range.begin && index[d] < range.end; }))
      return false;
  return true;
}

std::vector<int64_t> holdersOf(const Mesh &mesh, const Placement &placement, Dims dims, Dims index) {
  std::vector<int64_t> holders;
  for (int64_t position = 0; position < mesh.size(); ++position)
    if (holds(mesh, placement, dims, position, index))
      holders.push_back(position);
  return holders;
}

int64_t partialCoordinate(const Mesh &mesh, const Placement &placement, int64_t position) {
  int64_t coordinate = 0;
  for (const PartialAxis &partial : placement.partial)
    coordinate = coordinate * partial.axis.size + mesh.coordinate(partial.axis, position);
  return coordinate;
}

static std::string toText(const Mesh &mesh, const AxisRef &ref) {
  const MeshAxis &axis = mesh.axes[ref.axis];
  return ref == mesh.full(ref.axis) ? axis.name : fmt::format("{}:({}){}", axis.name, ref.pre, ref.size);
}

std::string blocksText(std::span<const int64_t> blocks) {
  std::string text;
  for (size_t i = 0; i < blocks.size();) {
    size_t end = i;
    while (end < blocks.size() && blocks[end] == blocks[i])
      ++end;
    bool isRun = end - i >= 3;
    text += text.empty() ? "" : ", ";
    text += isRun ? fmt::format("{} * {}", end - i, blocks[i]) : std::to_string(blocks[i]);
    i = isRun ? end : i + 1;
  }
  return text;
}

std::string toText(const Mesh &mesh, const Placement &placement) {
  std::string text = "[";
  for (const DimPlacement &dim : placement.dims) {
    text += text.size() > 1 ? ", {" : "{";
    for (size_t i = 0; i < dim.axes.size(); ++i)
      text += (i ? ", " : "") + toText(mesh, dim.axes[i]);
    text += "}";
    if (!dim.blocks.empty())
      text += fmt::format(" blocks({})", blocksText(dim.blocks));
  }
  text += "]";
  for (const PartialAxis &partial : placement.partial)
    text += fmt::format(" partial={}{{{}}}", keywordOf(partial.reduction), toText(mesh, partial.axis));
  return text;
}

} // namespace proa::spmd
