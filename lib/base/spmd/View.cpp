#include "lib/base/spmd/View.h"

#include "lib/base/spmd/Refine.h"

#include <algorithm>
#include <map>

namespace proa::spmd {

namespace {

/// The coordinate on an axis of each device, by an order of the devices.
std::vector<int64_t> coordinates(const Mesh &mesh, const AxisRef &axis,
                                 const std::vector<int64_t> &positions) {
  std::vector<int64_t> result;
  for (int64_t position : positions)
    result.push_back(mesh.coordinate(axis, position));
  return result;
}

/// The sub-axis of this size that has the coordinates on the devices at `positions`.
std::optional<AxisRef> findAxis(const Mesh &mesh, int64_t size, const std::vector<int64_t> &expected,
                                const std::vector<int64_t> &positions) {
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
    for (int64_t pre = 1, full = mesh.axes[axis].size; pre * size <= full; ++pre)
      if (full % (pre * size) == 0)
        if (AxisRef ref{axis, pre, size}; coordinates(mesh, ref, positions) == expected)
          return ref;
  return std::nullopt;
}

} // namespace

std::optional<MeshView> MeshView::of(const Mesh &mesh, const Mesh &other) {
  if (mesh.size() != other.size())
    return std::nullopt;
  std::map<int64_t, int64_t> positionOfDevice;
  for (int64_t position = 0; position < other.size(); ++position)
    positionOfDevice[other.deviceAt(position)] = position;
  std::vector<int64_t> own, positions; // of the same devices
  for (int64_t position = 0; position < mesh.size(); ++position) {
    auto found = positionOfDevice.find(mesh.deviceAt(position));
    if (found == positionOfDevice.end())
      return std::nullopt;
    own.push_back(position);
    positions.push_back(found->second);
  }
  MeshView view(other);
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis) {
    std::vector<AxisRef> &list = view.subAxes.emplace_back();
    int64_t full = mesh.axes[axis].size;
    for (int64_t pre = 1; pre < full;) {
      std::optional<AxisRef> found;
      for (int64_t size = full / pre; size > 1 && !found; --size)
        if (full / pre % size == 0)
          found = findAxis(other, size, coordinates(mesh, {axis, pre, size}, own), positions);
      if (!found)
        return std::nullopt;
      list.push_back(*found);
      pre *= found->size;
    }
  }
  return view;
}

/// Appends the sub-axes of `other` that cover a sub-axis. False if it ends inside of a sub-axis that it does
/// not divide.
bool MeshView::append(const AxisRef &axis, std::vector<AxisRef> &result) const {
  int64_t pre = 1;
  for (const AxisRef &subAxis : subAxes[axis.axis]) {
    int64_t begin = std::max(pre, axis.pre), end = std::min(pre * subAxis.size, axis.pre * axis.size);
    if (begin < end) {
      if (begin % pre != 0 || end % begin != 0)
        return false;
      result.push_back({subAxis.axis, subAxis.pre * (begin / pre), end / begin});
    }
    pre *= subAxis.size;
  }
  return true;
}

std::optional<Placement> MeshView::translated(const Placement &placement) const {
  Placement result;
  for (const DimPlacement &dim : placement.dims) {
    DimPlacement &target = result.dims.emplace_back();
    target.blocks = dim.blocks;
    for (const AxisRef &axis : dim.axes)
      if (!append(axis, target.axes))
        return std::nullopt;
  }
  for (const PartialAxis &partial : placement.partial) {
    std::vector<AxisRef> axes;
    if (!append(partial.axis, axes))
      return std::nullopt;
    for (const AxisRef &axis : axes)
      result.partial.push_back({axis, partial.reduction});
  }
  return canonical(other, result);
}

std::optional<Placement> translatedByName(const Mesh &mesh, const Placement &placement, const Mesh &other) {
  Placement result = placement;
  auto translate = [&](AxisRef &ref) {
    const MeshAxis &axis = mesh.axes[ref.axis];
    std::optional<unsigned> index = other.indexOf(axis.name);
    if (!index || other.axes[*index].size != axis.size)
      return false;
    ref.axis = *index;
    return true;
  };
  for (DimPlacement &dim : result.dims)
    for (AxisRef &axis : dim.axes)
      if (!translate(axis))
        return std::nullopt;
  for (PartialAxis &partial : result.partial)
    if (!translate(partial.axis))
      return std::nullopt;
  return canonical(other, result);
}

} // namespace proa::spmd
