/// Process groups of legacy programs (`ring_id`) as axes of a mesh.
#pragma once

#include "dialects/dist/Dist.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace proa {

/// The axes of each process group, from major to minor: process i of a group is the one with the i-th
/// coordinates on them.
class ProcessGroupAxes {
public:
  using Axes = llvm::SmallVector<spmd::AxisRef, 2>;

  /// `entries`: "0=dp", "1=mp", "2=dp+mp". Empty: if the mesh has one axis, all process groups are that axis,
  /// otherwise process group 0 is all axes. Failure after errors at `op`, also if `rank` is not a
  /// position of the mesh.
  static mlir::FailureOr<ProcessGroupAxes> parse(mlir::Operation *op, const spmd::Mesh &mesh,
                                                 llvm::ArrayRef<std::string> entries, int64_t rank);

  /// The axes of a process group. Failure after an error at `op`.
  mlir::FailureOr<Axes> axesOf(mlir::Operation *op, int64_t group) const;
  /// Whether the axis is one of a process group.
  bool has(int64_t group, const spmd::AxisRef &axis) const;
  /// The first process group with these axes. Failure after an error at `op`.
  mlir::FailureOr<int64_t> groupOf(mlir::Operation *op, llvm::ArrayRef<spmd::AxisRef> axes) const;

private:
  explicit ProcessGroupAxes(const spmd::Mesh &mesh) : mesh(mesh) {}
  std::string textOfMesh() const;

  const spmd::Mesh &mesh;
  std::map<int64_t, Axes> groups;
  std::optional<Axes> other; ///< process groups that are not listed
};

/// The placement of a value whose local tensors have the type `local`: the axes, among `candidates`, that
/// split each dim of `global`. Failure after an error by `emitError`: the dims are no multiples, or several
/// axes would do.
mlir::FailureOr<spmd::Placement> placementOfShards(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                                   const spmd::Mesh &mesh,
                                                   llvm::ArrayRef<spmd::AxisRef> candidates,
                                                   mlir::RankedTensorType local,
                                                   mlir::RankedTensorType global);

/// The attribute of an op of dist that holds the legacy op from which it was created: its name and
/// attributes.
inline constexpr llvm::StringLiteral legacyOpAttribute = "legacy_op";

/// The mesh of a module, which must have one. Failure after an error.
mlir::FailureOr<dist::MeshOp> singleMesh(mlir::ModuleOp module);

} // namespace proa
