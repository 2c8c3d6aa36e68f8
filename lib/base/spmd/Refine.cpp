#include "lib/base/spmd/Refine.h"

#include <algorithm>
#include <set>

namespace proa::spmd {

/// Calls `visit` for each axis that a placement names.
template <class Visit> static void visitAxes(const Placement &placement, Visit visit) {
  for (const DimPlacement &dim : placement.dims)
    for (const AxisRef &ref : dim.axes)
      visit(ref);
  for (const PartialAxis &partial : placement.partial)
    visit(partial.axis);
}

std::optional<Refinement> refine(const Mesh &mesh, std::span<const Placement> placements) {
  // Each axis is cut at the ends of its sub-axes.
  std::vector<std::set<int64_t>> cuts(mesh.axes.size());
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    cuts[i] = {1, mesh.axes[i].size};
  for (const Placement &placement : placements)
    visitAxes(placement, [&](const AxisRef &ref) { cuts[ref.axis].insert({ref.pre, ref.pre * ref.size}); });

  Refinement result;
  result.mesh.devices = mesh.devices;
  for (unsigned i = 0; i < mesh.axes.size(); ++i) {
    std::vector<int64_t> ends(cuts[i].begin(), cuts[i].end());
    for (size_t k = 0; k + 1 < ends.size(); ++k) {
      if (ends[k + 1] % ends[k] != 0)
        return std::nullopt;
      result.original.push_back({i, ends[k], ends[k + 1] / ends[k]});
      result.mesh.axes.push_back({mesh.axes[i].name, ends[k + 1] / ends[k]});
    }
  }

  auto subAxes = [&](const AxisRef &ref) {
    std::vector<AxisRef> list;
    for (unsigned i = 0; i < result.original.size(); ++i) {
      const AxisRef &subAxis = result.original[i];
      if (subAxis.axis == ref.axis && subAxis.pre >= ref.pre &&
          subAxis.pre * subAxis.size <= ref.pre * ref.size)
        list.push_back(result.mesh.full(i));
    }
    return list;
  };
  for (const Placement &placement : placements) {
    Placement &refined = result.placements.emplace_back();
    for (const DimPlacement &dim : placement.dims) {
      DimPlacement &target = refined.dims.emplace_back();
      for (const AxisRef &ref : dim.axes)
        std::ranges::copy(subAxes(ref), std::back_inserter(target.axes));
      if (!target.axes.empty())
        target.blocks = dim.blocks;
    }
    for (const PartialAxis &partial : placement.partial)
      for (const AxisRef &subAxis : subAxes(partial.axis))
        refined.partial.push_back({subAxis, partial.reduction});
    std::ranges::sort(refined.partial, {}, [](const PartialAxis &p) { return p.axis.axis; });
  }
  return result;
}

/// Appends a sub-axis, joined with the last one if it is the next minor sub-axis of the same axis.
static void appendJoined(std::vector<AxisRef> &axes, const AxisRef &next) {
  if (!axes.empty() && axes.back().axis == next.axis && axes.back().pre * axes.back().size == next.pre)
    axes.back().size *= next.size;
  else
    axes.push_back(next);
}

Placement Refinement::toOriginal(const Mesh &originalMesh, const Placement &refined) const {
  Placement result;
  for (const DimPlacement &dim : refined.dims) {
    DimPlacement &target = result.dims.emplace_back();
    for (const AxisRef &ref : dim.axes)
      appendJoined(target.axes, original[ref.axis]);
    target.blocks = dim.blocks;
  }
  result.partial = refined.partial;
  for (PartialAxis &partial : result.partial)
    partial.axis = original[partial.axis.axis];
  return canonical(originalMesh, result);
}

Placement canonical(const Mesh &mesh, const Placement &placement) {
  Placement result;
  for (const DimPlacement &dim : placement.dims) {
    DimPlacement &target = result.dims.emplace_back();
    for (const AxisRef &ref : dim.axes)
      if (ref.size > 1)
        appendJoined(target.axes, ref);
    if (!target.axes.empty())
      target.blocks = dim.blocks;
  }
  std::vector<PartialAxis> partial = placement.partial;
  std::erase_if(partial, [](const PartialAxis &p) { return p.axis.size <= 1; });
  std::ranges::sort(partial, {}, [](const PartialAxis &p) { return std::pair(p.axis.axis, p.axis.pre); });
  for (const PartialAxis &next : partial) {
    PartialAxis *last = result.partial.empty() ? nullptr : &result.partial.back();
    if (last && last->reduction == next.reduction && last->axis.axis == next.axis.axis &&
        last->axis.pre * last->axis.size == next.axis.pre)
      last->axis.size *= next.axis.size;
    else
      result.partial.push_back(next);
  }
  return result;
}

} // namespace proa::spmd
