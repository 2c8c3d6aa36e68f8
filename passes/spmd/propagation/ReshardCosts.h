/// Indices of placements, and the cost of reshards between them.
#pragma once

#include "lib/spmd/Placement.h"

#include "mlir/IR/BuiltinTypes.h"

#include <unordered_map>

namespace proa::sharding {

/// Gives equal placements one index, in the order of their first use.
class PlacementPool {
public:
  unsigned indexOf(const spmd::Placement &placement);
  const spmd::Placement &operator[](unsigned index) const { return *placements[index]; }
  /// The placement without axes.
  unsigned whole(int64_t rank);

private:
  struct Hash {
    size_t operator()(const spmd::Placement &placement) const;
  };
  std::unordered_map<spmd::Placement, unsigned, Hash> indices;
  std::vector<const spmd::Placement *> placements;
};

/// Times of reshards by the planner of lib/spmd, computed once for each pair of placements and type.
class ReshardCosts {
public:
  ReshardCosts(const spmd::Mesh &mesh, PlacementPool &pool) : mesh(mesh), pool(pool) {}
  /// Both placements are canonical.
  double seconds(unsigned from, unsigned to, mlir::RankedTensorType type);
  double seconds(const spmd::Placement &from, const spmd::Placement &to, mlir::RankedTensorType type) {
    return from == to ? 0 : seconds(pool.indexOf(from), pool.indexOf(to), type);
  }

private:
  const spmd::Mesh &mesh;
  PlacementPool &pool;
  llvm::DenseMap<std::pair<std::pair<unsigned, unsigned>, mlir::Type>, double> known;
};

/// The bytes of an element in memory.
int64_t elementBytes(mlir::Type element);

} // namespace proa::sharding
