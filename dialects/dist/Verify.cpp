//! Verifiers of the ops: the numbered constraints of Ops.td.
#include "dialects/dist/Placements.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace proa::dist {

namespace {

/// Checks shardings of one op.
class Verifier {
public:
  Verifier(Operation *op, SymbolTableCollection &symbols) : op(op), symbols(symbols) {}

  /// The mesh; none, and an error C1, if the symbol does not name one.
  std::optional<spmd::Mesh> meshOf(FlatSymbolRefAttr symbol) {
    if (MeshAttr mesh = lookupMesh(symbols, op, symbol))
      return mesh.toMesh();
    op->emitOpError() << "C1: expected the symbol of a dist.mesh, found " << symbol;
    return std::nullopt;
  }

  /// The mesh of a group; none, and an error C1 or C3, if it does not have the axes.
  std::optional<spmd::Mesh> meshOfGroup(GroupAttr group) {
    std::optional<spmd::Mesh> mesh = meshOf(group.getMesh());
    for (AxisAttr axis : group.getAxes())
      if (mesh && failed(verifyAxis([&] { return op->emitOpError(); }, axis, *mesh)))
        return std::nullopt;
    return mesh;
  }

  /// The placement, if C1 to C6 hold, and C7 of a final sharding.
  std::optional<spmd::Placement> placement(ShardingAttr sharding, RankedTensorType type, bool isFinal) {
    std::optional<spmd::Mesh> mesh = meshOf(sharding.getMesh());
    if (!mesh || failed(verifySharding([&] { return op->emitOpError(); }, sharding, *mesh, type)))
      return std::nullopt;
    if (isFinal && !sharding.isFinal()) {
      op->emitOpError() << "C7: expected closed dimensions, no priorities and no replicated axes, found "
                        << sharding;
      return std::nullopt;
    }
    return placementOf(sharding, *mesh);
  }

  /// C1 to C8.
  LogicalResult local(ShardingAttr sharding, Type local, RankedTensorType global) {
    std::optional<spmd::Placement> localPlacement = placement(sharding, global, /*isFinal=*/true);
    if (!localPlacement)
      return failure();
    if (auto future = dyn_cast<FutureType>(local))
      local = future.getTensor();
    auto tensor = dyn_cast_if_present<RankedTensorType>(local);
    if (!tensor || !isLocalType(tensor, global, *localPlacement)) {
      InFlightDiagnostic error = op->emitOpError() << "C8: expected a local tensor of type "
                                                   << localType(global, *localPlacement) << ", found ";
      if (tensor)
        return error << tensor;
      return error << "a future without a tensor";
    }
    return success();
  }

private:
  Operation *op;
  SymbolTableCollection &symbols;
};

LogicalResult verifyStep(StepOpInterface op, SymbolTableCollection &symbols) {
  Verifier verifier(op, symbols);
  RankedTensorType global = op.getGlobal();
  ShardingAttr from = op.getFrom(), to = op.getTo();
  if (failed(verifier.local(from, op.getX().getType(), global)) ||
      failed(verifier.local(to, op->getResult(0).getType(), global)))
    return failure();
  if (from.getMesh() != to.getMesh())
    return op->emitOpError() << "C9: expected shardings on one mesh, found " << from.getMesh() << " and "
                             << to.getMesh();
  spmd::Mesh mesh = *verifier.meshOf(from.getMesh());
  std::string reason = spmd::mismatch(op.getStepKind(), mesh, placementOf(from, mesh), placementOf(to, mesh));
  if (!reason.empty())
    return op->emitOpError() << "C10: " << reason << ", found " << from << " and " << to;
  return success();
}

/// Calls `visit` with each annotation of `op`: its name in messages, the sharding, and the global type of the
/// value. Malformed annotations, which the dialect reports, are left out.
void visitAnnotations(Operation *op,
                      llvm::function_ref<void(const Twine &what, ShardingAttr, RankedTensorType)> visit) {
  auto visitOne = [&](const Twine &what, Attribute attribute, Attribute global, Type local) {
    auto sharding = dyn_cast_if_present<ShardingAttr>(attribute);
    auto globalType = dyn_cast_if_present<TypeAttr>(global);
    auto type = dyn_cast<RankedTensorType>(globalType ? globalType.getValue() : local);
    if (sharding && type)
      visit(what, sharding, type);
  };
  if (auto all = op->getAttrOfType<ArrayAttr>(shardingsAttribute))
    for (auto [i, entry, result] : llvm::enumerate(all, op->getResults()))
      visitOne("result " + Twine(i), entry, {}, result.getType());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    visitOne("argument " + Twine(i), function.getArgAttr(i, shardingAttribute),
             function.getArgAttr(i, globalAttribute), type);
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    visitOne("result " + Twine(i), function.getResultAttr(i, shardingAttribute),
             function.getResultAttr(i, globalAttribute), type);
}

template <class Op> LogicalResult verifyChannel(Op op) {
  if (op.getChannelAttr().getValue().isNegative())
    return op.emitOpError() << "C10: expected a channel that is not negative, found "
                            << op.getChannelAttr().getValue().getSExtValue();
  return success();
}

} // namespace

LogicalResult MeshOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *table = (*this)->getParentOp();
  auto meshes = (*this)->getBlock()->getOps<MeshOp>();
  bool isFirst = *meshes.begin() == *this, isValid = true;
  spmd::Mesh mesh = getMesh().toMesh();
  llvm::DenseSet<std::pair<Attribute, Type>> valid; // most values of a program have one of a few shardings
  table->walk([&](Operation *op) {
    visitAnnotations(op, [&](const Twine &what, ShardingAttr sharding, RankedTensorType type) {
      auto emitError = [&] { return op->emitOpError() << "sharding of " << what << ": "; };
      bool isOwn = sharding.getMesh().getAttr() == getSymNameAttr();
      if ((!isOwn && !isFirst) || valid.contains({sharding, type}))
        return;
      LogicalResult result = success();
      if (isOwn)
        result = verifySharding(emitError, sharding, mesh, type);
      else if (!lookupMesh(symbols, op, sharding.getMesh()))
        result = emitError() << "C1: expected the symbol of a dist.mesh, found " << sharding.getMesh();
      if (succeeded(result))
        valid.insert({sharding, type});
      isValid &= succeeded(result);
    });
  });
  return success(isValid);
}

LogicalResult ConstrainOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return success(
      Verifier(*this, symbols).placement(getSharding(), getX().getType(), /*isFinal=*/false).has_value());
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Verifier verifier(*this, symbols);
  return success(verifier.placement(getFrom(), getX().getType(), /*isFinal=*/true) &&
                 verifier.placement(getTo(), getX().getType(), /*isFinal=*/true));
}

LogicalResult ToLocalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return Verifier(*this, symbols).local(getSharding(), getResult().getType(), getX().getType());
}

LogicalResult ToGlobalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return Verifier(*this, symbols).local(getSharding(), getX().getType(), getResult().getType());
}

LogicalResult SliceOp::verifySymbolUses(SymbolTableCollection &symbols) { return verifyStep(*this, symbols); }
LogicalResult ToPartialOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}
LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}
LogicalResult PermuteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}
LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStep(*this, symbols);
}

LogicalResult BroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<spmd::Mesh> mesh = Verifier(*this, symbols).meshOfGroup(getGroup());
  if (!mesh)
    return failure();
  ArrayRef<AxisAttr> axes = getGroup().getAxes();
  if (getRoot().size() != axes.size())
    return emitOpError() << "C2: expected " << axes.size() << " coordinates of the root, found "
                         << getRoot().size();
  for (auto [axis, coordinate] : llvm::zip(axes, getRoot())) {
    int64_t size = axisRefOf(axis, *mesh).size;
    if (coordinate < 0 || coordinate >= size)
      return emitOpError() << "C2: expected a coordinate from 0 to " << size - 1 << " on \"" << axis.getName()
                           << "\", found " << coordinate;
  }
  Type result = getResult().getType();
  if (auto future = dyn_cast<FutureType>(result))
    result = future.getTensor();
  if (result != getX().getType())
    return emitOpError() << "C4: expected a result of type " << getX().getType()
                         << " or a future of it, found " << getResult().getType();
  return success();
}

LogicalResult ExchangeRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<spmd::Mesh> mesh = Verifier(*this, symbols).meshOfGroup(getGroup());
  if (!mesh)
    return failure();
  int64_t devices = 1;
  for (AxisAttr axis : getGroup().getAxes())
    devices *= axisRefOf(axis, *mesh).size;
  for (Value counts : {getSendCounts(), getRecvCounts()}) {
    auto type = cast<RankedTensorType>(counts.getType());
    if (type.getRank() != 1 || !type.getElementType().isInteger(64) ||
        (!type.isDynamicDim(0) && type.getDimSize(0) != devices))
      return emitOpError() << "C2: expected counts of type tensor<" << devices << "xi64>, found " << type;
  }
  auto x = cast<RankedTensorType>(getX().getType()), result = cast<RankedTensorType>(getResult().getType());
  if (x.getRank() == 0 || result.getRank() != x.getRank() || result.getElementType() != x.getElementType() ||
      failed(verifyCompatibleShape(x.getShape().drop_front(), result.getShape().drop_front())))
    return emitOpError() << "C4: expected rows of " << x << ", found " << result;
  return success();
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Verifier verifier(*this, symbols);
  if (failed(verifier.local(getFrom(), getX().getType(), getGlobal())) ||
      !verifier.placement(getTo(), getGlobal(), /*isFinal=*/true))
    return failure();
  return verifyChannel(*this);
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Verifier verifier(*this, symbols);
  if (!verifier.placement(getFrom(), getGlobal(), /*isFinal=*/true) ||
      failed(verifier.local(getTo(), getResult().getType(), getGlobal())))
    return failure();
  return verifyChannel(*this);
}

LogicalResult WaitOp::verify() {
  RankedTensorType tensor = getFuture().getType().getTensor();
  Type result = getResult() ? getResult().getType() : Type();
  if (tensor == result)
    return success();
  InFlightDiagnostic error = emitOpError() << "C1: expected ";
  if (tensor)
    error << "a result of type " << tensor;
  else
    error << "no result";
  return result ? error << ", found " << result : error << ", found none";
}

} // namespace proa::dist
