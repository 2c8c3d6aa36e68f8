/// Refinement of a mesh: axes are split so that several placements use full axes only.
#pragma once

#include "lib/base/spmd/Placement.h"

namespace proa::spmd {

/// A mesh with the same positions, whose axes are sub-axes of another mesh, from major to minor.
struct Refinement {
  Mesh mesh;
  /// The sub-axis of the original mesh that each axis is.
  std::vector<AxisRef> original;
  /// The placements, in full axes of `mesh`, without axes of size 1.
  std::vector<Placement> placements;

  /// A placement of `mesh` in axes of the original mesh, in canonical form.
  Placement toOriginal(const Mesh &originalMesh, const Placement &refined) const;
};

/// The coarsest common refinement. None if the sub-axes of an axis do not nest: x:(1)2 and x:(1)3 of an axis
/// of size 6.
std::optional<Refinement> refine(const Mesh &mesh, std::span<const Placement> placements);

/// The canonical form: adjacent sub-axes that are one larger sub-axis are written as that one, axes of size 1
/// are left out, partial axes are in the order of the mesh, blocks are left out where there are no axes.
/// Equal placements have equal canonical forms.
Placement canonical(const Mesh &mesh, const Placement &placement);

} // namespace proa::spmd
