#include "passes/spmd/Rings.h"

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
    auto [number, names] = entry.split('=');
    int64_t ring = 0;
    if (number.getAsInteger(10, ring) || ring < 0 || names.empty())
      return op->emitError() << "rings: expected RING=AXIS or RING=AXIS+AXIS, found '" << entry << "'";
    auto [place, isNew] = result.rings.try_emplace(ring);
    if (!isNew)
      return op->emitError() << "rings: ring " << ring << " is given twice";
    for (StringRef name : llvm::split(names, '+')) {
      std::optional<unsigned> axis = mesh.indexOf(std::string_view(name));
      if (!axis)
        return op->emitError() << "rings: the mesh '" << result.textOfMesh() << "' has no axis '" << name
                               << "'";
      if (llvm::is_contained(place->second, mesh.full(*axis)))
        return op->emitError() << "rings: axis '" << name << "' is given twice in '" << entry << "'";
      place->second.push_back(mesh.full(*axis));
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
             (axis == mesh.full(axis.axis) ? "" : " (a part of it)");
  return op->emitOpError() << "no ring has the axes '" << names
                           << "': expected an entry for them in the option rings";
}

FailureOr<dist::MeshOp> singleMesh(ModuleOp module) {
  SmallVector<dist::MeshOp> meshes(module.getOps<dist::MeshOp>());
  if (meshes.size() == 1)
    return meshes.front();
  return module.emitError() << "expected one dist.mesh (--dist-annotate=mesh=mp=2 adds one), found "
                            << meshes.size();
}

} // namespace proa
