#include "passes/spmd/propagation/Meshes.h"

#include "dialects/dist/Placements.h"

using namespace mlir;

namespace proa::sharding {

using Visit = llvm::function_ref<void(Operation *op, const Twine &what, dist::ShardingAttr sharding)>;

void visitShardings(func::FuncOp function, Visit visit) {
  auto visitOne = [&](const Twine &what, Attribute attribute) {
    if (auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attribute))
      visit(function, what, sharding);
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    visitOne("argument " + Twine(i), function.getArgAttr(i, dist::shardingAttribute));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    visitOne("result " + Twine(i), function.getResultAttr(i, dist::shardingAttribute));
  function.walk([&](Operation *op) {
    if (auto all = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute))
      for (auto [i, entry] : llvm::enumerate(all))
        if (auto sharding = dyn_cast<dist::ShardingAttr>(entry))
          visit(op, "result " + Twine(i), sharding);
    if (auto constrain = dyn_cast<dist::ConstrainOp>(op))
      visit(op, "constraint", constrain.getSharding());
    if (auto reshard = dyn_cast<dist::ReshardOp>(op)) {
      visit(op, "source", reshard.getFrom());
      visit(op, "target", reshard.getTo());
    }
  });
}

unsigned Meshes::indexOf(FlatSymbolRefAttr symbol) const {
  return static_cast<unsigned>(
      llvm::find_if(list, [&](const MeshOfModule &m) { return m.symbol == symbol; }) - list.begin());
}

FailureOr<Meshes> findMeshes(ModuleOp module) {
  llvm::SmallDenseSet<Attribute> named;
  bool isValid = true;
  for (auto function : module.getOps<func::FuncOp>())
    visitShardings(function, [&](Operation *op, const Twine &what, dist::ShardingAttr sharding) {
      if (!named.insert(sharding.getMesh()).second || dist::lookupMesh(module, sharding.getMesh()))
        return;
      op->emitError() << "sharding of " << what << ": expected a dist.mesh " << sharding.getMesh()
                      << ", found none";
      isValid = false;
    });
  if (!isValid)
    return failure();
  Meshes meshes;
  for (auto op : module.getOps<dist::MeshOp>())
    if (auto symbol = FlatSymbolRefAttr::get(op.getSymNameAttr()); named.empty() || named.contains(symbol))
      meshes.list.push_back({symbol, op.getMesh().toMesh()});
  if (meshes.list.empty() || (named.empty() && meshes.list.size() > 1))
    return module.emitError() << "expected a dist.mesh or an annotation that names one, found "
                              << meshes.list.size() << " meshes and no annotation";
  return meshes;
}

} // namespace proa::sharding
