#include "passes/spmd/ReshardExpander.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace proa {

MeshPlacements::MeshPlacements(ModuleOp module) {
  module.walk([&](dist::MeshOp op) { meshes[op.getSymNameAttr()] = op.getMesh().toMesh(); });
}

const spmd::Mesh *MeshPlacements::meshOf(FlatSymbolRefAttr symbol) const {
  auto found = meshes.find(symbol.getAttr());
  return found == meshes.end() ? nullptr : &found->second;
}

const spmd::Placement &MeshPlacements::placementOf(dist::ShardingAttr sharding) {
  auto [entry, isNew] = placements.try_emplace(sharding);
  if (isNew)
    entry->second = dist::placementOf(sharding, *meshOf(sharding.getMesh()));
  return entry->second;
}

RankedTensorType LocalTypes::of(RankedTensorType global, dist::ShardingAttr sharding) const {
  const spmd::Placement &placement = meshes.placementOf(sharding);
  return position ? dist::localType(global, placement, *meshes.meshOf(sharding.getMesh()), *position)
                  : dist::localType(global, placement);
}

static bool isValid(const spmd::Link &link) {
  return std::isfinite(link.latency) && std::isfinite(link.bandwidth) && link.latency >= 0 &&
         link.bandwidth > 0;
}

int64_t elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
}

LogicalResult ReshardExpander::readLink(ModuleOp module, StringRef pass, const std::string &text) {
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, ':');
  spmd::Link link;
  if (parts.size() != 3 || !llvm::to_float(parts[1], link.latency) ||
      !llvm::to_float(parts[2], link.bandwidth) || !isValid(link))
    return module.emitError() << pass << ": expected links as AXIS:SECONDS:BYTES_PER_SECOND, found '" << text
                              << "'";
  linkOfAxis[parts[0]] = link;
  return success();
}

LogicalResult ReshardExpander::verifyOptions(ModuleOp module, StringRef pass) {
  auto emitError = [&] { return module.emitError() << pass << ": "; };
  if (!isValid({costs.latency, costs.bandwidth}))
    return emitError() << "expected a finite latency of at least 0 and a finite bandwidth above 0";
  if (costs.memoryLimit < 0)
    return emitError() << "expected a memory-limit of at least 0, found " << costs.memoryLimit;
  if (costs.dynamicDim < 1)
    return emitError() << "expected a dynamic-dim of at least 1, found " << costs.dynamicDim;
  for (const std::string &text : costs.links)
    if (failed(readLink(module, pass, text)))
      return failure();
  llvm::StringSet<> axes;
  module.walk([&](dist::MeshOp mesh) {
    for (StringAttr name : mesh.getMesh().getNames())
      axes.insert(name.getValue());
  });
  for (StringRef axis : linkOfAxis.keys())
    if (!axes.contains(axis))
      return emitError() << "expected links of mesh axes, found '" << axis << "', which no mesh has";
  return success();
}

/// Sizes of the cost model.
FailureOr<SmallVector<int64_t>> ReshardExpander::dimsOf(Operation *op, RankedTensorType type) const {
  SmallVector<int64_t> dims;
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t dim : type.getShape()) {
    dims.push_back(ShapedType::isDynamic(dim) ? costs.dynamicDim : dim);
    if (dims.back() != 0 && llvm::MulOverflow(bytes, dims.back(), bytes))
      return op->emitOpError() << "expected a tensor of less than 2^63 bytes, found " << type;
  }
  return dims;
}

FailureOr<spmd::ReshardPlan> ReshardExpander::plan(Operation *op, RankedTensorType global,
                                                   dist::ShardingAttr from, dist::ShardingAttr to) {
  const spmd::Mesh &mesh = *types.meshes.meshOf(from.getMesh());
  FailureOr<SmallVector<int64_t>> dims = dimsOf(op, global);
  if (failed(dims))
    return failure();
  spmd::ReshardOptions options;
  for (const spmd::MeshAxis &axis : mesh.axes) {
    auto link = linkOfAxis.find(axis.name);
    options.links.push_back(link == linkOfAxis.end() ? spmd::Link{costs.latency, costs.bandwidth}
                                                     : link->second);
  }
  options.elementBytes = elementBytes(global.getElementType());
  options.memoryLimit = costs.memoryLimit;
  spmd::Placement source = types.meshes.placementOf(from);
  Result<spmd::ReshardPlan> plan =
      spmd::planReshard(mesh, source, types.meshes.placementOf(to), *dims, options);
  if (!plan)
    return op->emitOpError() << plan.diagnostics()[0].message;
  return *plan;
}

Value ReshardExpander::createSteps(OpBuilder &builder, Location location, const spmd::ReshardPlan &plan,
                                   Value local, RankedTensorType global, dist::ShardingAttr from) {
  const spmd::Mesh &mesh = *types.meshes.meshOf(from.getMesh());
  for (const spmd::ReshardStep &step : plan.steps) {
    dist::ShardingAttr to = dist::shardingOf(step.to, from.getMesh(), mesh);
    local = dist::createStep(builder, location, step.kind, local, types.of(global, to), global, from, to);
    from = to;
  }
  return local;
}

} // namespace proa
