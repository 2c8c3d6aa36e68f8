/// Enumeration of the ways to split the factors of a sharding rule over meshes.
#pragma once

#include "passes/spmd/FactorAxes.h"

#include <functional>

namespace proa::check {

/// A mesh, and the axes or sub-axes that are given to factors.
struct MeshAxes {
  spmd::Mesh mesh;
  llvm::SmallVector<spmd::AxisRef> axes;
};

/// A mesh whose full axes have these sizes.
MeshAxes meshOf(llvm::ArrayRef<int64_t> sizes);
/// A mesh of one axis, cut into sub-axes of these sizes.
MeshAxes cutAxis(llvm::ArrayRef<int64_t> sizes);
/// 2x2, 2x3, 2x2x2, an axis of 4 as 2x2, and an axis of 6 as 2x3 and 3x2.
std::vector<MeshAxes> smallMeshes();

/// Calls `f` with each way to give some of the axes to factors that are not replicated, in all orders where a
/// factor has several axes, if factorMismatch() accepts it. At least one factor is split. If one axis splits
/// one factor, also with two blocks of different sizes.
void forEachSplit(const MeshAxes &mesh, const pd::ShardingRule &rule,
                  llvm::function_ref<void(const FactorAxes &)> f);

} // namespace proa::check
