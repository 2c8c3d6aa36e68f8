#include "lib/base/spmd/Mesh.h"

namespace proa::spmd {

bool overlap(const AxisRef &a, const AxisRef &b) {
  auto isOutside = [](const AxisRef &outer, const AxisRef &inner) {
    return inner.pre % (static_cast<__int128>(outer.pre) * outer.size) == 0;
  };
  return a.axis == b.axis && !isOutside(a, b) && !isOutside(b, a);
}

int64_t shardCount(Axes axes) {
  int64_t count = 1;
  for (const AxisRef &axis : axes)
    count *= axis.size;
  return count;
}

std::vector<int64_t> coordinatesOf(Axes axes, int64_t shard) {
  std::vector<int64_t> coordinates(axes.size());
  for (size_t i = axes.size(); i-- > 0; shard /= axes[i].size)
    coordinates[i] = shard % axes[i].size;
  return coordinates;
}

int64_t Mesh::shardOf(Axes axes, int64_t position) const {
  int64_t shard = 0;
  for (const AxisRef &axis : axes)
    shard = shard * axis.size + coordinate(axis, position);
  return shard;
}

int64_t Mesh::size() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

std::optional<unsigned> Mesh::indexOf(std::string_view name) const {
  for (unsigned i = 0; i < axes.size(); ++i)
    if (axes[i].name == name)
      return i;
  return std::nullopt;
}

int64_t Mesh::coordinate(const AxisRef &ref, int64_t position) const {
  int64_t stride = 1;
  for (unsigned i = ref.axis + 1; i < axes.size(); ++i)
    stride *= axes[i].size;
  int64_t full = axes[ref.axis].size;
  return position / stride % full / (full / (ref.pre * ref.size)) % ref.size;
}

} // namespace proa::spmd
