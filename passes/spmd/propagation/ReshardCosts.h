/// Indices of placements, and the cost of reshards between them.
#pragma once

#include "passes/spmd/propagation/Meshes.h"

#include "lib/base/spmd/Placement.h"
#include "lib/base/target/TargetFacts.h"

#include "mlir/IR/BuiltinTypes.h"

#include <unordered_map>

namespace proa::sharding {

/// Gives equal placements on a mesh one index, in the order of their first use.
class PlacementPool {
public:
  unsigned indexOf(unsigned mesh, const spmd::Placement &placement);
  const spmd::Placement &operator[](unsigned index) const { return entries[index]->placement; }
  unsigned meshOf(unsigned index) const { return entries[index]->mesh; }
  /// The placement without axes.
  unsigned whole(unsigned mesh, int64_t rank);

private:
  struct Entry {
    unsigned mesh;
    spmd::Placement placement;
    bool operator==(const Entry &) const = default;
  };
  struct Hash {
    size_t operator()(const Entry &entry) const;
  };
  std::unordered_map<Entry, unsigned, Hash> indices;
  std::vector<const Entry *> entries;
};

/// Times of reshards by the planner of lib/base/spmd, computed once for each pair of placements and type.
class ReshardCosts {
public:
  /// Times are for `device`. A step whose source and result take more than `memoryLimit` bytes of a
  /// device is impossible; 0: no limit.
  ReshardCosts(const Meshes &meshes, PlacementPool &pool, const DeviceFacts &device, int64_t memoryLimit = 0)
      : meshes(meshes), pool(pool), device(device), memoryLimit(memoryLimit) {}
  /// Both placements are canonical. They may be on different meshes.
  double seconds(unsigned from, unsigned to, mlir::RankedTensorType type);
  /// On one mesh.
  double seconds(unsigned mesh, const spmd::Placement &from, const spmd::Placement &to,
                 mlir::RankedTensorType type) {
    return from == to ? 0 : seconds(pool.indexOf(mesh, from), pool.indexOf(mesh, to), type);
  }

  /// Of a message with a local tensor.
  double messageSeconds(mlir::RankedTensorType type) const;

private:
  double compute(unsigned from, unsigned to, mlir::RankedTensorType type) const;

  const Meshes &meshes;
  PlacementPool &pool;
  DeviceFacts device;
  int64_t memoryLimit;
  llvm::DenseMap<std::pair<std::pair<unsigned, unsigned>, mlir::Type>, double> known;
};

} // namespace proa::sharding
