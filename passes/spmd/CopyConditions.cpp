#include "passes/spmd/CopyConditions.h"

#include "dialects/pd/ir/SamplingInterface.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {
namespace {

using MeshSymbols = llvm::SetVector<Attribute>;

class ConditionMover {
public:
  ConditionMover(func::FuncOp function, const GlobalForm &form, const MeshPlacements &meshes)
      : function(function), form(form), meshes(meshes) {
    for (auto mesh : function->getParentOfType<ModuleOp>().getOps<dist::MeshOp>())
      all.insert(FlatSymbolRefAttr::get(mesh.getSymNameAttr()));
  }

  ScalarCopies run() {
    SmallVector<tensor::ExtractOp> extracts;
    function.walk([&](tensor::ExtractOp op) {
      if (form.find(op.getTensor()))
        extracts.push_back(op);
    });
    for (tensor::ExtractOp op : extracts)
      move(op);
    return std::move(copies);
  }

private:
  /// The meshes that a scalar decides about: of the loops and branches that use it, also through other
  /// scalars.
  void addUsers(Value scalar, MeshSymbols &users) {
    for (Operation *user : scalar.getUsers()) {
      bool isTerminator = user->hasTrait<OpTrait::IsTerminator>();
      if (isTerminator || user->getNumRegions() > 0)
        addMeshesOf(isTerminator ? user->getParentOp() : user, users);
      else
        for (Value result : user->getResults())
          if (!isa<ShapedType>(result.getType()))
            addUsers(result, users);
    }
  }

  void addMeshesOf(Operation *op, MeshSymbols &users) {
    if (isa<func::FuncOp>(op))
      return;
    auto [entry, isNew] = meshesOf.try_emplace(op);
    if (isNew) {
      MeshSymbols found;
      op->walk([&](Operation *inner) {
        for (ValueRange values : {ValueRange(inner->getOperands()), ValueRange(inner->getResults())})
          for (Value value : values)
            if (const GlobalTensor *tensor = form.find(value))
              found.insert(tensor->sharding.getMesh());
      });
      if (pd::mayTakePositions(op))
        found.insert_range(all);
      entry->second = std::move(found);
    }
    users.insert_range(entry->second);
  }

  bool hasDevicesOf(FlatSymbolRefAttr mesh, FlatSymbolRefAttr other) const {
    const spmd::Mesh &devices = *meshes.meshOf(other);
    for (int64_t position = 0; position < devices.size(); ++position)
      if (!meshes.positionOf(mesh, devices.deviceAt(position)))
        return false;
    return true;
  }

  void move(tensor::ExtractOp op) {
    const GlobalTensor tensor = *form.find(op.getTensor());
    FlatSymbolRefAttr own = tensor.sharding.getMesh();
    MeshSymbols users;
    addUsers(op.getResult(), users);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto whole = GlobalForm::replicated(tensor.sharding);
    for (Attribute entry : all) {
      auto mesh = cast<FlatSymbolRefAttr>(entry);
      if (!users.contains(mesh) || hasDevicesOf(own, mesh))
        continue;
      auto to = dist::ShardingAttr::get(op->getContext(), mesh, whole.getDims(), {}, {});
      Value moved =
          dist::ReshardOp::create(builder, op.getLoc(), tensor.type, op.getTensor(), tensor.sharding, to);
      copies[op.getResult()].push_back(
          tensor::ExtractOp::create(builder, op.getLoc(), moved, op.getIndices()).getResult());
    }
  }

  func::FuncOp function;
  const GlobalForm &form;
  const MeshPlacements &meshes;
  MeshSymbols all; ///< in the order of the module
  llvm::DenseMap<Operation *, MeshSymbols> meshesOf;
  ScalarCopies copies;
};

} // namespace

ScalarCopies copyConditions(func::FuncOp function, const GlobalForm &form, const MeshPlacements &meshes) {
  return ConditionMover(function, form, meshes).run();
}

} // namespace proa
