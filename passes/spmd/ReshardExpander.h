/// Expansion of reshards to collectives on local tensors.
#pragma once

#include "dialects/dist/Placements.h"
#include "lib/spmd/Reshard.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

namespace proa {

/// The meshes of a module, and placements of shardings; both are computed once.
class MeshPlacements {
public:
  explicit MeshPlacements(mlir::ModuleOp module);

  /// Null if the module has no such mesh.
  const spmd::Mesh *meshOf(mlir::FlatSymbolRefAttr symbol) const;
  /// The placement of a valid sharding.
  const spmd::Placement &placementOf(dist::ShardingAttr sharding);

private:
  llvm::DenseMap<mlir::StringAttr, spmd::Mesh> meshes;
  llvm::DenseMap<dist::ShardingAttr, spmd::Placement> placements;
};

/// Types of local tensors: of all devices, or of the one at a position.
struct LocalTypes {
  MeshPlacements &meshes;
  std::optional<int64_t> position = std::nullopt;

  mlir::RankedTensorType of(mlir::RankedTensorType global, dist::ShardingAttr sharding) const;
};

/// The size of an element in memory.
int64_t elementBytes(mlir::Type element);

/// Options of the cost model of the planner, as passes have them.
struct ReshardCosts {
  double latency = 5e-6, bandwidth = 1e10;
  /// AXIS:SECONDS:BYTES_PER_SECOND
  llvm::SmallVector<std::string> links = {};
  int64_t memoryLimit = 0, dynamicDim = 1024;
};

/// Plans and creates the steps of reshards.
class ReshardExpander {
public:
  ReshardExpander(const ReshardCosts &costs, LocalTypes types) : costs(costs), types(types) {}

  /// Checks the options against the meshes of the module. Errors are reported at the module and begin with
  /// the name of the pass.
  llvm::LogicalResult verifyOptions(mlir::ModuleOp module, llvm::StringRef pass);

  /// The plan of a reshard between two shardings on one mesh. Failure, after an error at `op`, if no plan
  /// fits the memory limit or the tensor has too many elements to count.
  mlir::FailureOr<spmd::ReshardPlan> plan(mlir::Operation *op, mlir::RankedTensorType global,
                                          dist::ShardingAttr from, dist::ShardingAttr to);

  /// Creates the steps of a plan that starts at `from`. `local` is a local tensor of a value of type
  /// `global`; the result is its local tensor at the end of the plan.
  mlir::Value createSteps(mlir::OpBuilder &builder, mlir::Location location, const spmd::ReshardPlan &plan,
                          mlir::Value local, mlir::RankedTensorType global, dist::ShardingAttr from);

private:
  llvm::LogicalResult readLink(mlir::ModuleOp module, llvm::StringRef pass, const std::string &text);
  mlir::FailureOr<llvm::SmallVector<int64_t>> dimsOf(mlir::Operation *op, mlir::RankedTensorType type) const;

  ReshardCosts costs;
  LocalTypes types;
  llvm::StringMap<spmd::Link> linkOfAxis;
};

} // namespace proa
