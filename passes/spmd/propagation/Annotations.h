/// Reads the shardings that a program is annotated with.
#pragma once

#include "passes/spmd/propagation/ShardingGraph.h"

namespace proa::sharding {

struct MeshOfModule {
  mlir::FlatSymbolRefAttr symbol;
  spmd::Mesh mesh;
};

/// The mesh of the annotations, or else the only one of the module. Errors: annotations name several meshes
/// or an unknown one; there are several meshes or none to choose from.
llvm::FailureOr<MeshOfModule> findMesh(mlir::ModuleOp module);

/// Checks all annotations against the mesh and sets the states. All errors are reported.
llvm::LogicalResult readAnnotations(ShardingGraph &graph, const MeshOfModule &mesh);

} // namespace proa::sharding
