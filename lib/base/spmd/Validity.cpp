#include "lib/base/spmd/Validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace proa::spmd {
std::string invalidity(const Mesh &mesh) {
  constexpr int64_t maximalSize = 1 << 24;
  int64_t size = 1;
  for (const MeshAxis &axis : mesh.axes) {
    if (axis.size < 1 || axis.size > maximalSize / size)
      return fmt::format("axis '{}' of the mesh has size {}; expected a positive one, and at most {} devices",
                         axis.name, axis.size, maximalSize);
    size *= axis.size;
  }
  if (mesh.devices.empty())
    return {};
  if (static_cast<int64_t>(mesh.devices.size()) != size)
    return fmt::format("the mesh lists {} devices, expected {}", mesh.devices.size(), size);
  std::set<int64_t> distinct(mesh.devices.begin(), mesh.devices.end());
  if (distinct.size() != mesh.devices.size() || *distinct.begin() < 0)
    return "the devices of the mesh are not distinct indices from 0";
  return {};
}

std::string invalidity(const Mesh &mesh, const AxisRef &axis) {
  if (axis.axis >= mesh.axes.size())
    return fmt::format("the mesh has {} axes, expected axis {}", mesh.axes.size(), axis.axis);
  int64_t size = mesh.axes[axis.axis].size;
  if (axis.pre < 1 || axis.size < 1 || axis.pre > size || axis.size > size ||
      size % (axis.pre * axis.size) != 0)
    return fmt::format("'{}:({}){}' is not a sub-axis of an axis of size {}", mesh.axes[axis.axis].name,
                       axis.pre, axis.size, size);
  return {};
}

std::string invalidity(const Mesh &mesh, const Placement &placement, Dims dims) {
  if (placement.dims.size() != dims.size())
    return fmt::format("the placement has {} dimensions, the tensor {}", placement.dims.size(), dims.size());
  std::vector<AxisRef> axes;
  for (size_t d = 0; d < dims.size(); ++d) {
    const DimPlacement &dim = placement.dims[d];
    axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
    if (dim.blocks.empty())
      continue;
    if (static_cast<int64_t>(dim.blocks.size()) > mostBlocks)
      return fmt::format("dimension {} has {} blocks, expected at most {}", d, dim.blocks.size(), mostBlocks);
    int64_t rest = dims[d];
    for (int64_t block : dim.blocks)
      rest = block < 1 || block > rest ? -1 : rest - block;
    if (rest != 0)
      return fmt::format("the blocks of dimension {} do not add up to {}", d, dims[d]);
  }
  for (const PartialAxis &p : placement.partial)
    axes.push_back(p.axis);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (std::string reason = invalidity(mesh, axes[i]); !reason.empty())
      return reason;
    for (size_t j = 0; j < i; ++j)
      if (overlap(axes[i], axes[j]))
        return fmt::format("the placement uses axis '{}' twice", mesh.axes[axes[i].axis].name);
  }
  return {};
}

} // namespace proa::spmd
