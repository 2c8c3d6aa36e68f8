/// Checks of meshes and placements that come from a file: the other functions of this folder rely on them.
#pragma once

#include "lib/base/spmd/Placement.h"

namespace proa::spmd {

/// Why a mesh is not valid, or empty: sizes are positive, with at most 2^24 positions; devices are distinct
/// and not negative, one for each position.
std::string invalidity(const Mesh &mesh);

/// Why an axis or sub-axis is not one of the mesh, or empty.
std::string invalidity(const Mesh &mesh, const AxisRef &axis);

/// Why a placement of a tensor is not valid, or empty: one entry for each dimension, axes of the mesh that do
/// not overlap, blocks that add up to the dim, which must be known then (not negative).
std::string invalidity(const Mesh &mesh, const Placement &placement, Dims dims);

} // namespace proa::spmd
