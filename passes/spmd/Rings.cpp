#include "passes/spmd/Rings.h"

#include "lib/base/spmd/Refine.h"
#include "passes/spmd/FactorAxes.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace proa {

std::string RingAxes::textOfMesh() const {
  std::string text;
  for (const spmd::MeshAxis &axis : mesh.axes)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis.name, axis.size);
  return text;
}

FailureOr<RingAxes> RingAxes::parse(Operation *op, const spmd::Mesh &mesh, ArrayRef<std::string> entries) {
  RingAxes result(mesh);
  for (StringRef entry : entries) {
    auto [id, names] = entry.split('=');
    int64_t ring = 0;
    if (id.getAsInteger(10, ring) || ring < 0 || names.empty())
      return op->emitError() << "rings: expected RING=AXIS or RING=AXIS+AXIS, found '" << entry << "'";
    auto [known, isNew] = result.rings.try_emplace(ring);
    if (!isNew)
      return op->emitError() << "rings: ring " << ring << " is given twice";
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
    result.rings[0] = all;
    if (all.size() <= 1)
      result.other = all;
  }
  return result;
}

FailureOr<RingAxes::Axes> RingAxes::axesOf(Operation *op, int64_t ring) const {
  auto found = rings.find(ring);
  if (found == rings.end() && !other)
    return op->emitOpError() << "ring " << ring << " has no axes: expected an entry such as " << ring << "="
                             << (mesh.axes.empty() ? "mp" : mesh.axes.back().name)
                             << " in the option rings; the mesh is '" << textOfMesh() << "'";
  Axes axes = found == rings.end() ? *other : found->second;
  llvm::erase_if(axes, [](const spmd::AxisRef &axis) { return axis.size == 1; });
  return axes;
}

bool RingAxes::has(int64_t ring, const spmd::AxisRef &axis) const {
  auto found = rings.find(ring);
  return llvm::is_contained(found != rings.end() ? found->second : other.value_or(Axes()), axis);
}

FailureOr<int64_t> RingAxes::ringOf(Operation *op, ArrayRef<spmd::AxisRef> axes) const {
  for (const auto &[ring, own] : rings) {
    Axes used = own;
    llvm::erase_if(used, [](const spmd::AxisRef &axis) { return axis.size == 1; });
    if (ArrayRef(used) == axes)
      return ring;
  }
  std::string names;
  for (const spmd::AxisRef &axis : axes)
    names += (names.empty() ? "" : "+") + mesh.axes[axis.axis].name +
             (axis == mesh.full(axis.axis) ? "" : " (a sub-axis of it)");
  return op->emitOpError() << "no ring has the axes '" << names
                           << "': expected an entry for them in the option rings";
}

/// All ordered choices of `axes` whose sizes have the product `shards`, in the order of the mesh.
static SmallVector<RingAxes::Axes> splitsInto(int64_t shards, ArrayRef<spmd::AxisRef> axes) {
  SmallVector<RingAxes::Axes> found;
  for (unsigned chosen = 1; chosen < (1u << axes.size()); ++chosen) {
    RingAxes::Axes split;
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
