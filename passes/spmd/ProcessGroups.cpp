#include "passes/spmd/ProcessGroups.h"

#include "lib/base/spmd/Refine.h"
#include "passes/spmd/FactorAxes.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {

std::string ProcessGroupAxes::textOfMesh() const {
  std::string text;
  for (const spmd::MeshAxis &axis : mesh.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

FailureOr<ProcessGroupAxes> ProcessGroupAxes::parse(Operation *op, const spmd::Mesh &mesh,
                                                    ArrayRef<std::string> entries, int64_t rank) {
  ProcessGroupAxes result(mesh);
  for (StringRef entry : entries) {
    auto [id, names] = entry.split('=');
    int64_t group = 0;
    if (id.getAsInteger(10, group) || group < 0 || names.empty())
      return op->emitError() << "rings: expected ID=AXIS or ID=AXIS+AXIS, found '" << entry << "'";
    auto [known, isNew] = result.groups.try_emplace(group);
    if (!isNew)
      return op->emitError() << "rings: process group " << group << " is given twice";
    for (StringRef name : llvm::split(names, '+')) {
      std::optional<unsigned> axis = mesh.indexOf(std::string_view(name));
      if (!axis)
        return op->emitError() << "rings: the mesh '" << result.textOfMesh() << "' has no axis '" << name
                               << "'";
      if (llvm::is_contained(known->second, mesh.full(*axis)))
        return op->emitError() << "rings: axis '" << name << "' is given twice in '" << entry << "'";
      known->second.push_back(mesh.full(*axis));
    }
  }
  if (entries.empty()) {
    Axes all;
    for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
      all.push_back(mesh.full(axis));
    result.groups[0] = all;
    if (all.size() <= 1)
      result.other = all;
  }
  if (rank < 0 || rank >= mesh.size())
    return op->emitError() << "rank: expected a position of the mesh, from 0 to " << mesh.size() - 1
                           << ", found " << rank;
  return result;
}

FailureOr<ProcessGroupAxes::Axes> ProcessGroupAxes::axesOf(Operation *op, int64_t group) const {
  auto found = groups.find(group);
  if (found == groups.end() && !other)
    return op->emitOpError() << "process group " << group << " has no axes: expected an entry such as "
                             << group << "=" << (mesh.axes.empty() ? "mp" : mesh.axes.back().name)
                             << " in the option rings; the mesh is '" << textOfMesh() << "'";
  Axes axes = found == groups.end() ? *other : found->second;
  llvm::erase_if(axes, [](const spmd::AxisRef &axis) { return axis.size == 1; });
  return axes;
}

bool ProcessGroupAxes::has(int64_t group, const spmd::AxisRef &axis) const {
  auto found = groups.find(group);
  return llvm::is_contained(found != groups.end() ? found->second : other.value_or(Axes()), axis);
}

FailureOr<int64_t> ProcessGroupAxes::groupOf(Operation *op, ArrayRef<spmd::AxisRef> axes) const {
  for (const auto &[group, own] : groups) {
    Axes used = own;
    llvm::erase_if(used, [](const spmd::AxisRef &axis) { return axis.size == 1; });
    if (ArrayRef(used) == axes)
      return group;
  }
  std::string names;
  for (const spmd::AxisRef &axis : axes)
    names += (names.empty() ? "" : "+") + mesh.axes[axis.axis].name +
             (axis == mesh.full(axis.axis) ? "" : " (a sub-axis of it)");
  return op->emitOpError() << "no process group has the axes '" << names
                           << "': expected an entry for them in the option rings";
}

/// All ordered choices of `axes` whose sizes have the product `shards`, in the order of the mesh.
static SmallVector<ProcessGroupAxes::Axes> splitsInto(int64_t shards, ArrayRef<spmd::AxisRef> axes) {
  SmallVector<ProcessGroupAxes::Axes> found;
  for (unsigned chosen = 1; chosen < (1u << axes.size()); ++chosen) {
    ProcessGroupAxes::Axes split;
    for (auto [i, axis] : llvm::enumerate(axes))
      if (chosen >> i & 1)
        split.push_back(axis);
    if (spmd::shardCount(split) == shards)
      found.push_back(split);
  }
  return found;
}

FailureOr<spmd::Placement> placementOfShards(function_ref<InFlightDiagnostic()> emitError,
                                             const spmd::Mesh &mesh, ArrayRef<spmd::AxisRef> candidates,
                                             RankedTensorType local, RankedTensorType global) {
  auto failed = [&](const Twine &why) -> FailureOr<spmd::Placement> {
    return emitError() << "its local tensor is " << local << ", the whole one " << global << ": " << why;
  };
  if (local.getElementType() != global.getElementType() || local.getRank() != global.getRank())
    return failed("expected the same element type and rank");
  auto placement = spmd::Placement::replicated(local.getRank());
  SmallVector<spmd::AxisRef> free(candidates);
  for (int64_t d = 0; d < local.getRank(); ++d) {
    int64_t shard = local.getDimSize(d), size = global.getDimSize(d);
    if (shard == size)
      continue;
    if (ShapedType::isDynamic(shard) || ShapedType::isDynamic(size) || shard == 0 || size % shard != 0)
      return failed("dimension " + Twine(d) + " is not split into equal shards");
    auto splits = splitsInto(size / shard, free);
    if (splits.size() != 1)
      return failed((splits.empty() ? "no axes have" : "several axes have") + Twine(" the size ") +
                    Twine(size / shard) + " by which dimension " + Twine(d) +
                    " is split; state its sharding");
    placement.dims[static_cast<size_t>(d)].axes.assign(splits[0].begin(), splits[0].end());
    llvm::erase_if(free, [&](const spmd::AxisRef &axis) { return llvm::is_contained(splits[0], axis); });
  }
  return spmd::canonical(mesh, placement);
}

FailureOr<dist::MeshOp> singleMesh(ModuleOp module) {
  SmallVector<dist::MeshOp> meshes(module.getOps<dist::MeshOp>());
  if (meshes.size() == 1)
    return meshes.front();
  return module.emitError() << "expected one dist.mesh (--dist-annotate=mesh=mp=2 adds one), found "
                            << meshes.size();
}

} // namespace proa
