/// Shardings as placements of lib/base/spmd, and back; the types of local tensors.
#pragma once

#include "dialects/dist/Dist.h"

#include "mlir/IR/Builders.h"

namespace proa::dist {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// Checks that the mesh has an axis or sub-axis: constraint C3 of the ops (Ops.td).
llvm::LogicalResult verifyAxis(EmitError emitError, AxisAttr axis, const spmd::Mesh &mesh);

/// The axis or sub-axis of a mesh that has it.
spmd::AxisRef axisRefOf(AxisAttr axis, const spmd::Mesh &mesh);

/// Whether partial values of an element type may have a reduction: constraint C6 of the ops (Ops.td).
bool reduces(Reduction reduction, mlir::Type element);

/// Checks a sharding of a value of type `type`: constraints C2 to C6 of the ops (Ops.td).
llvm::LogicalResult verifySharding(EmitError emitError, ShardingAttr sharding, const spmd::Mesh &mesh,
                                   mlir::RankedTensorType type);

/// The placement of a sharding that verifySharding accepts.
spmd::Placement placementOf(ShardingAttr sharding, const spmd::Mesh &mesh);

/// The final sharding of a placement in canonical form.
ShardingAttr shardingOf(const spmd::Placement &placement, mlir::FlatSymbolRefAttr symbol,
                        const spmd::Mesh &mesh);

/// The type of the local tensors of all devices: a dim is static if it is the same on all.
mlir::RankedTensorType localType(mlir::RankedTensorType global, const spmd::Placement &placement);

/// The type of the local tensor of the device at a position of the mesh.
mlir::RankedTensorType localType(mlir::RankedTensorType global, const spmd::Placement &placement,
                                 const spmd::Mesh &mesh, int64_t position);

/// Whether a local tensor may have the type: each static dim of it is the size of a shard.
bool isLocalType(mlir::RankedTensorType local, mlir::RankedTensorType global,
                 const spmd::Placement &placement);

/// Creates the op of a step from the local tensor `x` to one of the type `local`.
mlir::Value createStep(mlir::OpBuilder &builder, mlir::Location location, spmd::StepKind kind, mlir::Value x,
                       mlir::RankedTensorType local, mlir::RankedTensorType global, ShardingAttr from,
                       ShardingAttr to);

/// The mesh that a symbol names, looked up from `op` on; null if there is none.
MeshAttr lookupMesh(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol);
MeshAttr lookupMesh(mlir::SymbolTableCollection &symbols, mlir::Operation *op,
                    mlir::FlatSymbolRefAttr symbol);

} // namespace proa::dist
