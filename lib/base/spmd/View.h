/// Meshes that are views of the same devices.
#pragma once

#include "lib/base/spmd/Placement.h"

namespace proa::spmd {

/// Two meshes with the same devices, where the coordinates on each axis of the first follow from coordinates
/// on axes or sub-axes of the second one: <x=2, y=4> and <z=8>, or <x=2, y=3> and its transpose. A placement
/// on one of them is one on the other, and no element moves.
class MeshView {
public:
  /// None if the devices differ, or no permutation of the axes gives their order.
  static std::optional<MeshView> of(const Mesh &mesh, const Mesh &other);

  /// The placement on `other` that gives each device the same elements, in canonical form. None if a sub-axis
  /// ends inside of a sub-axis of `other`.
  std::optional<Placement> translated(const Placement &placement) const;

private:
  explicit MeshView(const Mesh &other) : other(other) {}
  bool append(const AxisRef &axis, std::vector<AxisRef> &result) const;

  Mesh other;
  /// For each axis, the sub-axes of `other` that it is, from major to minor.
  std::vector<std::vector<AxisRef>> subAxes;
};

/// A placement on the axes of `other` with the same names and sizes. None if `other` lacks an axis.
std::optional<Placement> translatedByName(const Mesh &mesh, const Placement &placement, const Mesh &other);

} // namespace proa::spmd
