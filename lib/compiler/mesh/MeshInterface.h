/// How the feeds, parameters, fetches and state variables of a program are distributed over a mesh.
#pragma once

#include "lib/base/spmd/Placement.h"
#include "proa/Result.h"
#include "proa/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace proa {

/// A distributed tensor: its global type and its placement on a mesh. A dim of -1 is dynamic.
struct ShardedType {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  unsigned mesh = 0; ///< index in MeshInterface::meshes
  spmd::Placement placement;
  bool operator==(const ShardedType &) const = default;
};

/// Whether the boxes that ranks hold of a value follow from its type alone: no dynamic dims, no partial
/// values.
bool hasStaticBoxes(const ShardedType &type);

struct MeshInterface {
  /// All meshes of the program; pipeline stages have different devices.
  std::vector<spmd::Mesh> meshes;
  std::map<std::string, ShardedType> arguments; ///< feeds and parameters
  std::vector<ShardedType> fetches;             ///< with their LoDs, in the order of the results
  std::vector<std::string> fetchNames;
  std::map<std::string, ShardedType> states;

  /// The number of ranks: each is a device of a mesh.
  int64_t rankCount() const;
};

/// The number of devices of the meshes of a module: one more than the largest; 0 without meshes.
int64_t deviceCount(mlir::ModuleOp module);

/// Whether `main` of a module is in local form: the program of one rank (docs/dist.md).
bool isLocalForm(mlir::ModuleOp module);

/// The type of argument `index` of `main` in the single-device program.
mlir::RankedTensorType globalArgumentType(mlir::ModuleOp module, unsigned index);

/// Text of the interface of `main` of a module in sharded or local form: the meshes and the declaration of
/// `main` with global types. Error: `main` has no shardings.
Result<std::string> meshInterfaceText(mlir::ModuleOp module);

/// Reads this text. Error: it does not parse; shardings that are not final or partial; devices that are not
/// numbered from 0.
Result<MeshInterface> readMeshInterface(mlir::MLIRContext &context, const std::string &text);

} // namespace proa
