/// Expansion of reshards to collectives on local tensors.
#pragma once

#include "dialects/dist/Placements.h"
#include "lib/base/spmd/MeshReshard.h"

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
  /// The position of a device; none if the mesh does not have it.
  std::optional<int64_t> positionOf(mlir::FlatSymbolRefAttr symbol, int64_t device) const;
  /// The devices of all meshes, ascending.
  llvm::SmallVector<int64_t> devices() const;
  /// Whether all meshes have the same devices.
  bool haveEqualDevices() const;

private:
  llvm::DenseMap<mlir::StringAttr, spmd::Mesh> meshes;
  llvm::DenseMap<dist::ShardingAttr, spmd::Placement> placements;
};

/// Types of local tensors: of all devices, or of one.
struct LocalTypes {
  MeshPlacements &meshes;
  std::optional<int64_t> device = std::nullopt;

  mlir::RankedTensorType of(mlir::RankedTensorType global, dist::ShardingAttr sharding) const;
  /// Whether values on a mesh exist: the program is for all devices, or its device is in the mesh.
  bool has(mlir::FlatSymbolRefAttr mesh) const { return !device || meshes.positionOf(mesh, *device); }
};

/// The size of an element in memory.
int64_t elementBytes(mlir::Type element);

/// The cost model of the planner: the facts of the target and the options of passes.
struct ReshardCosts {
  DeviceFacts device;
  /// AXIS:SECONDS:BYTES_PER_SECOND
  llvm::SmallVector<std::string> links = {};
  int64_t memoryLimit = 0;
  /// Of messages between meshes, as SECONDS:BYTES_PER_SECOND; empty: the link of the device.
  std::string meshLink = {};
};

/// Plans and creates the steps of reshards.
class ReshardExpander {
public:
  ReshardExpander(const ReshardCosts &costs, LocalTypes types) : costs(costs), types(types) {}

  /// Checks the options against the meshes of the module. Errors are reported at the module and begin with
  /// the name of the pass.
  llvm::LogicalResult verifyOptions(mlir::ModuleOp module, llvm::StringRef pass);

  /// The plan of a reshard between two shardings, which may be on different meshes. Failure, after an error
  /// at `op`, if no plan fits the memory limit or the tensor has too many elements to count.
  mlir::FailureOr<spmd::MeshReshardPlan> plan(mlir::Operation *op, mlir::RankedTensorType global,
                                              dist::ShardingAttr from, dist::ShardingAttr to);

  /// Creates the ops of the plan of `op`. `local` is a local tensor of a value of type `global`; the result
  /// is its local tensor at the end of the plan. With a fixed rank, emits only the steps of that rank:
  /// `local` may be null if the rank is not in the source mesh, and the result is null if it is not in the
  /// target mesh.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Operation *op, const spmd::MeshReshardPlan &plan,
                     mlir::Value local, mlir::RankedTensorType global, dist::ShardingAttr from,
                     dist::ShardingAttr to);

private:
  llvm::LogicalResult readLink(mlir::ModuleOp module, llvm::StringRef pass, const std::string &text);
  void chooseChannels(mlir::ModuleOp module);
  llvm::LogicalResult readMeshLink(mlir::ModuleOp module, llvm::StringRef pass);
  mlir::FailureOr<llvm::SmallVector<int64_t>> dimsOf(mlir::Operation *op, mlir::RankedTensorType type) const;
  std::vector<spmd::Link> linksOf(const spmd::Mesh &mesh) const;
  mlir::Value createSteps(mlir::OpBuilder &builder, mlir::Location location,
                          llvm::ArrayRef<spmd::ReshardStep> steps, mlir::Value local,
                          mlir::RankedTensorType global, dist::ShardingAttr from);

  ReshardCosts costs;
  LocalTypes types;
  llvm::StringMap<spmd::Link> linkOfAxis;
  spmd::Link meshLink;
  /// The channels of reshards between meshes, in program order; set by verifyOptions().
  llvm::DenseMap<mlir::Operation *, int64_t> channelOf;
};

} // namespace proa
