/// Device meshes: named axes and an order of devices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa::spmd {

/// A mesh axis or a sub-axis. An axis of size n is viewed as [pre, size, n / (pre * size)], and a sub-axis is
/// the middle. The full axis has pre = 1 and size = n.
struct AxisRef {
  unsigned axis = 0;
  int64_t pre = 1;
  int64_t size = 1;
  bool operator==(const AxisRef &) const = default;
};

/// Whether one tensor cannot use both sub-axes: they overlap, or do not nest, as 2 and 3 of 6.
bool overlap(const AxisRef &a, const AxisRef &b);

/// Sub-axes from major to minor, which make as many shards as the product of their sizes.
using Axes = std::span<const AxisRef>;

int64_t shardCount(Axes axes);
/// The coordinates of shard `shard` on the axes.
std::vector<int64_t> coordinatesOf(Axes axes, int64_t shard);

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis &) const = default;
};

/// Devices in a grid. A position is the row-major index in the grid; the last axis changes fastest.
struct Mesh {
  std::vector<MeshAxis> axes;
  /// The device at each position; empty: position p is device p.
  std::vector<int64_t> devices = {};

  /// The number of devices.
  int64_t size() const;
  std::optional<unsigned> indexOf(std::string_view axis) const;
  /// The full axis.
  AxisRef full(unsigned axis) const { return {axis, 1, axes[axis].size}; }
  /// The coordinate of a position on an axis or sub-axis, from 0 to axis.size - 1.
  int64_t coordinate(const AxisRef &axis, int64_t position) const;
  /// The shard of a position, of those that the axes make.
  int64_t shardOf(Axes axes, int64_t position) const;
  int64_t deviceAt(int64_t position) const { return devices.empty() ? position : devices[position]; }
  bool operator==(const Mesh &) const = default;
};

} // namespace proa::spmd
