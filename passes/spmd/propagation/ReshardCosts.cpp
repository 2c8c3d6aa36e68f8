#include "passes/spmd/propagation/ReshardCosts.h"

#include "lib/spmd/Reshard.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace proa::sharding {

size_t PlacementPool::Hash::operator()(const spmd::Placement &placement) const {
  llvm::hash_code hash = llvm::hash_value(placement.dims.size());
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

unsigned PlacementPool::indexOf(const spmd::Placement &placement) {
  auto [entry, isNew] = indices.try_emplace(placement, static_cast<unsigned>(placements.size()));
  if (isNew)
    placements.push_back(&entry->first);
  return entry->second;
}

unsigned PlacementPool::whole(int64_t rank) {
  spmd::Placement placement;
  placement.dims.resize(static_cast<size_t>(rank));
  return indexOf(placement);
}

int64_t elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
}

double ReshardCosts::seconds(unsigned from, unsigned to, RankedTensorType type) {
  if (from == to)
    return 0;
  auto [entry, isNew] = known.try_emplace({{from, to}, type}, 0.0);
  if (!isNew)
    return entry->second;
  // The same size of dynamic dims as the default of dist-expand-reshard.
  constexpr int64_t dynamicDim = 1024;
  SmallVector<int64_t> dims;
  for (int64_t dim : type.getShape())
    dims.push_back(ShapedType::isDynamic(dim) ? dynamicDim : dim);
  spmd::ReshardOptions options;
  options.elementBytes = elementBytes(type.getElementType());
  auto plan = spmd::planReshard(mesh, pool[from], pool[to], {dims.data(), dims.size()}, options);
  return entry->second = plan ? plan->seconds : 1e9;
}

} // namespace proa::sharding
