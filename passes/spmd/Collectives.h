/// Facts about collectives on local tensors, for the passes that optimize them.
#pragma once

#include "passes/spmd/ReshardExpander.h"

namespace proa {

/// A collective: a step that communicates, and whose result is a tensor, not a future. Null otherwise.
dist::StepOpInterface collectiveOf(mlir::Operation *op);

/// Whether the op may run at another place in its block: it has no effects on memory.
bool isMovable(mlir::Operation *op);

/// Whether an operand of the op, or of an op inside of its regions, is a result of one of these ops.
bool dependsOn(mlir::Operation *op, const llvm::SmallPtrSetImpl<mlir::Operation *> &ops);

/// A collective that combines, scatters or gathers along one dimension over full mesh axes, with equal shards
/// on all devices.
struct EvenCollective {
  mlir::Operation *operation = nullptr;
  /// From major to minor, as they split the dimension; in the order of the mesh for an all_reduce.
  llvm::SmallVector<spmd::AxisRef> axes;
  /// Other axes that split or replicate the value partially, as indices in the mesh, ascending.
  llvm::SmallVector<unsigned> otherAxes;
  /// The reduction of an all_reduce or reduce_scatter.
  spmd::Reduction reduction = spmd::Reduction::Sum;
  /// The dimension that a reduce_scatter splits or an all_gather joins.
  size_t dim = 0;
  /// The product of the sizes of the axes.
  int64_t shards = 1;

  dist::StepOpInterface op() const { return mlir::cast<dist::StepOpInterface>(operation); }
  /// The number of bytes of the larger local tensor.
  int64_t bytes() const;
};

/// None for other collectives: those over several dimensions or sub-axes, with blocks, or with shards of
/// different sizes.
std::optional<EvenCollective> evenCollectiveOf(dist::StepOpInterface op, MeshPlacements &meshes);

/// Which values are equal on the devices that differ only on some axes of a mesh.
class ReplicatedValues {
public:
  ReplicatedValues(MeshPlacements &meshes, mlir::FlatSymbolRefAttr mesh, llvm::ArrayRef<spmd::AxisRef> axes)
      : meshes(meshes), mesh(mesh), axes(axes) {}

  /// Follows the value to arguments of the function, whose shardings say it, to collectives and to constants.
  /// False for results and arguments of regions.
  bool contains(mlir::Value value);

private:
  bool compute(mlir::Value value);
  bool isReplicated(dist::ShardingAttr sharding);

  MeshPlacements &meshes;
  mlir::FlatSymbolRefAttr mesh;
  llvm::SmallVector<spmd::AxisRef> axes;
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace proa
