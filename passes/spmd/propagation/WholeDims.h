/// Dimensions that an op needs or computes whole although they should be split.
#pragma once

#include "passes/spmd/propagation/Assignment.h"

namespace proa::sharding {

/// A dimension of an operand that is gathered, or of a result that is computed whole and split afterwards.
struct WholeDim {
  bool isResult = false;
  /// The index of the operand or result.
  unsigned index = 0;
  unsigned dim = 0;
  /// The split that is lost.
  spmd::DimPlacement split;
  /// Why the sharding rule of the op does not keep it.
  std::string reason;

  std::string text(const spmd::Mesh &mesh) const;
};

/// Dims of a node. Splits that give way to others, because the op can keep only one of them, are left out.
llvm::SmallVector<WholeDim> wholeDimsOf(const ShardingGraph &graph, const Assignment &assignment,
                                        const PlacementPool &pool, unsigned node);

} // namespace proa::sharding
