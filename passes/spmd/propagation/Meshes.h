/// The meshes of a program, and the mesh that each value is on.
#pragma once

#include "dialects/dist/Dist.h"
#include "lib/base/spmd/Mesh.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace proa::sharding {

struct MeshOfModule {
  mlir::FlatSymbolRefAttr symbol;
  spmd::Mesh mesh;
};

/// The meshes that annotations name, in the order of the module; at least one.
struct Meshes {
  std::vector<MeshOfModule> list;

  const spmd::Mesh &operator[](unsigned index) const { return list[index].mesh; }
  mlir::FlatSymbolRefAttr symbol(unsigned index) const { return list[index].symbol; }
  /// The index of a mesh that annotations name.
  unsigned indexOf(mlir::FlatSymbolRefAttr symbol) const;
};

/// The meshes of the annotations, or else the only one of the module. Errors: annotations name an unknown
/// mesh; there are several meshes or none to choose from.
llvm::FailureOr<Meshes> findMeshes(mlir::ModuleOp module);

/// Calls `visit` for each sharding in the attributes of a function and of its ops.
void visitShardings(
    mlir::func::FuncOp function,
    llvm::function_ref<void(mlir::Operation *op, const llvm::Twine &what, dist::ShardingAttr sharding)>
        visit);

/// The mesh of each value of a program whose annotations name several meshes (pipeline stages).
///
/// An op runs on one mesh: the mesh of its annotated results, else of the parameters that it uses, or of
/// values that follow from parameters only. Other ops are where the fewest bytes move between meshes: a value
/// moves once to each mesh that uses it. The choice begins in program order and is improved op by op until it
/// is stable. Constants are created on each mesh. `dist.constrain` to open dimensions on the other mesh is
/// inserted where a value moves.
class ValueMeshes {
public:
  static ValueMeshes assign(mlir::ModuleOp module, const Meshes &meshes);

  unsigned of(mlir::Value value) const { return meshOfValue.lookup(value); }
  unsigned ofResult(mlir::func::FuncOp function, unsigned result) const;

private:
  friend class MeshAssignment;
  llvm::DenseMap<mlir::Value, unsigned> meshOfValue;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> meshesOfResults;
};

} // namespace proa::sharding
