#include "passes/spmd/propagation/ReshardCosts.h"

#include "lib/base/spmd/MeshReshard.h"
#include "passes/spmd/ReshardExpander.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace proa::sharding {

size_t PlacementPool::Hash::operator()(const Entry &entry) const {
  const spmd::Placement &placement = entry.placement;
  llvm::hash_code hash = llvm::hash_combine(entry.mesh, placement.dims.size());
  auto add = [&](const spmd::AxisRef &axis) {
    hash = llvm::hash_combine(hash, axis.axis, axis.pre, axis.size);
  };
  for (const spmd::DimPlacement &dim : placement.dims) {
    hash = llvm::hash_combine(hash, dim.axes.size(), dim.blocks.size());
    for (const spmd::AxisRef &axis : dim.axes)
      add(axis);
  }
  for (const spmd::PartialAxis &partial : placement.partial)
    add(partial.axis);
  return hash;
}

unsigned PlacementPool::indexOf(unsigned mesh, const spmd::Placement &placement) {
  auto [entry, isNew] = indices.try_emplace({mesh, placement}, static_cast<unsigned>(entries.size()));
  if (isNew)
    entries.push_back(&entry->first);
  return entry->second;
}

unsigned PlacementPool::whole(unsigned mesh, int64_t rank) {
  spmd::Placement placement;
  placement.dims.resize(static_cast<size_t>(rank));
  return indexOf(mesh, placement);
}

double ReshardCosts::messageSeconds(RankedTensorType type) const {
  int64_t count = type.hasStaticShape() ? type.getNumElements() : 0;
  auto link = spmd::Link::of(device);
  return link.latency + static_cast<double>(count * elementBytes(type.getElementType())) / link.bandwidth;
}

double ReshardCosts::seconds(unsigned from, unsigned to, RankedTensorType type) {
  if (from == to)
    return 0;
  auto [entry, isNew] = known.try_emplace({{from, to}, type}, 0.0);
  return isNew ? entry->second = compute(from, to, type) : entry->second;
}

double ReshardCosts::compute(unsigned from, unsigned to, RankedTensorType type) const {
  constexpr double impossible = 1e9;
  SmallVector<int64_t> dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? device.assumedDim : dim);
  auto options = spmd::ReshardOptions::of(device);
  options.elementBytes = elementBytes(type.getElementType());
  options.memoryLimit = memoryLimit;
  const spmd::Mesh &source = meshes[pool.meshOf(from)], &target = meshes[pool.meshOf(to)];
  if (pool.meshOf(from) == pool.meshOf(to)) {
    auto plan = spmd::planReshard(source, pool[from], pool[to], dims, options);
    return plan ? plan->seconds : impossible;
  }
  auto plan = spmd::planMeshReshard({source, pool[from]}, {target, pool[to]}, dims, options.link, options);
  return plan ? plan->seconds : impossible;
}

} // namespace proa::sharding
