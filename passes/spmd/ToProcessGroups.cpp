//! dist-to-process-groups: ops of dist on local tensors become ops of legacy collective programs.
#include "passes/spmd/Passes.h"
#include "passes/spmd/ProcessGroups.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ops/distributed/Distributed.h"
#include "dialects/pd/ops/distributed/ProcessGroup.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_TOPROCESSGROUPS
#include "passes/spmd/Passes.h.inc"

namespace {

/// The legacy op of one step for the program of a rank.
class StepConverter {
public:
  StepConverter(dist::StepOpInterface op, const spmd::Mesh &mesh, const ProcessGroupAxes &groups,
                int64_t position)
      : op(op), builder(op), mesh(mesh), groups(groups), position(position),
        from(dist::placementOf(op.getFrom(), mesh)), to(dist::placementOf(op.getTo(), mesh)) {}

  FailureOr<Value> convert() {
    switch (op.getStepKind()) {
    case spmd::StepKind::AllReduce:
      return allReduce();
    case spmd::StepKind::AllGather:
      return allGather();
    case spmd::StepKind::ReduceScatter:
      return reduceScatter();
    case spmd::StepKind::AllToAll:
      return allToAll();
    case spmd::StepKind::Slice:
      return slice();
    default:
      return unsupported("expected a step that legacy programs have");
    }
  }

private:
  FailureOr<Value> unsupported(const Twine &why) { return op->emitOpError() << "has no legacy op: " << why; }
  Location location() { return op.getLoc(); }
  Value x() { return op.getX(); }

  /// The reduced axes and their process group.
  FailureOr<int64_t> groupOfTerms(spmd::Reduction &reduction) {
    SmallVector<spmd::AxisRef> axes;
    for (const spmd::PartialAxis &term : from.partial)
      if (!llvm::is_contained(to.partial, term)) {
        axes.push_back(term.axis);
        reduction = term.reduction;
      }
    return groups.groupOf(op, axes);
  }

  /// The only dimension that is split in one of the placements, with its axes.
  std::optional<std::pair<int64_t, ArrayRef<spmd::AxisRef>>> splitDim(const spmd::Placement &split,
                                                                      const spmd::Placement &whole) {
    std::optional<std::pair<int64_t, ArrayRef<spmd::AxisRef>>> found;
    for (auto [dim, own, other] : llvm::enumerate(split.dims, whole.dims)) {
      if (own == other)
        continue;
      if (found || !other.axes.empty() || !own.blocks.empty())
        return std::nullopt;
      found = {static_cast<int64_t>(dim), ArrayRef(own.axes)};
    }
    return found;
  }

  int64_t lastDim() { return static_cast<int64_t>(from.dims.size()) - 1; }

  FailureOr<Value> allReduce() {
    spmd::Reduction reduction{};
    FailureOr<int64_t> group = groupOfTerms(reduction);
    if (failed(group))
      return failure();
    switch (reduction) {
    case spmd::Reduction::Sum:
      return pd::createAllReduce(builder, location(), x(), pd::ReductionKind::Sum, *group);
    case spmd::Reduction::Max:
      return pd::createAllReduce(builder, location(), x(), pd::ReductionKind::Maximum, *group);
    case spmd::Reduction::Min:
      return pd::createAllReduce(builder, location(), x(), pd::ReductionKind::Minimum, *group);
    case spmd::Reduction::Prod:
      return pd::createAllReduce(builder, location(), x(), pd::ReductionKind::Product, *group);
    default:
      return unsupported("expected a sum, maximum, minimum or product");
    }
  }

  FailureOr<Value> allGather() {
    auto split = splitDim(from, to);
    if (!split || (split->first != 0 && split->first != lastDim()))
      return unsupported("expected that it joins the shards of the first or of the last dimension");
    FailureOr<int64_t> group = groups.groupOf(op, split->second);
    if (failed(group))
      return failure();
    int64_t ranks = spmd::shardCount(split->second);
    Type type = op->getResult(0).getType();
    if (split->first == 0)
      return Value(pd::AllGatherOp::create(builder, location(), type, x(), *group, ranks));
    return Value(pd::CConcatOp::create(builder, location(), type, x(), mesh.shardOf(split->second, position),
                                       ranks, *group));
  }

  FailureOr<Value> reduceScatter() {
    spmd::Reduction reduction{};
    auto split = splitDim(to, from);
    if (!split || split->first != 0)
      return unsupported("expected that it splits the first dimension");
    FailureOr<int64_t> group = groupOfTerms(reduction);
    if (failed(group))
      return failure();
    if (reduction != spmd::Reduction::Sum)
      return unsupported("expected a sum");
    return Value(pd::ReduceScatterOp::create(builder, location(), op->getResult(0).getType(), x(), *group,
                                             spmd::shardCount(split->second)));
  }

  /// From the first to the second dimension, of which the first has one element for each process.
  FailureOr<Value> allToAll() {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    auto own = cast<RankedTensorType>(x().getType());
    bool isExchange = type && type.hasStaticShape() && own.hasStaticShape() && from.dims.size() >= 2 &&
                      own.getDimSize(0) == 1 && !from.dims[0].axes.empty() && from.dims[1].axes.empty() &&
                      to.dims[0].axes.empty() && to.dims[1] == from.dims[0] &&
                      op.getGlobal().getDimSize(0) == from.dims[0].shardCount();
    if (!isExchange)
      return unsupported(
          "expected an exchange of the first with the second dimension, with one element of the "
          "first on each device");
    FailureOr<int64_t> group = groups.groupOf(op, from.dims[0].axes);
    if (failed(group))
      return failure();
    pd::TensorBuilder e(builder, op);
    pd::Expression flat = e.reshape(e.wrap(x()), SmallVector<int64_t>(own.getShape().drop_front()));
    Value sent = pd::AllToAllOp::create(builder, location(), flat.type(), flat, *group);
    return Value(e.reshape(e.wrap(sent), SmallVector<int64_t>(type.getShape())));
  }

  FailureOr<Value> slice() {
    auto split = splitDim(to, from);
    if (!split)
      return unsupported("expected that it splits one dimension");
    auto [dim, axes] = *split;
    int64_t size = op.getGlobal().getDimSize(static_cast<unsigned>(dim));
    if (dim == lastDim() && !ShapedType::isDynamic(size) && size % spmd::shardCount(axes) == 0) {
      FailureOr<int64_t> group = groups.groupOf(op, axes);
      if (failed(group))
        return failure();
      return Value(pd::CSplitOp::create(builder, location(), op->getResult(0).getType(), x(),
                                        mesh.shardOf(axes, position), spmd::shardCount(axes), *group));
    }
    if (ShapedType::isDynamic(size))
      return unsupported("expected a static size of the dimension that it splits");
    spmd::Range range = spmd::shardRange(size, spmd::shardCount(axes), mesh.shardOf(axes, position));
    pd::TensorBuilder e(builder, op);
    return Value(pd::slice(e.wrap(x()), dim, range.begin, range.end));
  }

  dist::StepOpInterface op;
  OpBuilder builder;
  const spmd::Mesh &mesh;
  const ProcessGroupAxes &groups;
  int64_t position;
  spmd::Placement from, to;
};

class ToProcessGroupsPass : public impl::ToProcessGroupsBase<ToProcessGroupsPass> {
public:
  using ToProcessGroupsBase::ToProcessGroupsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa_and_nonnull<dist::DistDialect>(op->getDialect()) && !isa<dist::MeshOp>(op))
        ops.push_back(op);
    });
    // Only sends have meshes of one device.
    SmallVector<dist::MeshOp> all(module.getOps<dist::MeshOp>()), meshes = all;
    if (meshes.size() > 1)
      llvm::erase_if(meshes, [](dist::MeshOp mesh) { return mesh.getMesh().getNames().empty(); });
    if (meshes.size() != 1) {
      module.emitError() << "expected one dist.mesh with axes, found " << meshes.size();
      return signalPassFailure();
    }
    spmd::Mesh mesh = meshes.front().getMesh().toMesh();
    FailureOr<ProcessGroupAxes> parsed =
        ProcessGroupAxes::parse(module, mesh, SmallVector<std::string>(rings.begin(), rings.end()), rank);
    if (failed(parsed))
      return signalPassFailure();
    bool isValid = true;
    for (Operation *op : ops)
      isValid &= succeeded(convert(op, mesh, *parsed));
    if (!isValid)
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      removeShardings(function);
    for (dist::MeshOp op : all)
      op.erase();
  }

private:
  LogicalResult convert(Operation *op, const spmd::Mesh &mesh, const ProcessGroupAxes &axes) {
    FailureOr<Value> result = Value();
    if (auto origin = op->getAttrOfType<DictionaryAttr>(legacyOpAttribute))
      result = restore(op, origin);
    else if (auto step = dyn_cast<dist::StepOpInterface>(op);
             step && isa<RankedTensorType>(op->getResult(0).getType()))
      result = StepConverter(step, mesh, axes, rank).convert();
    else if (auto broadcast = dyn_cast<dist::BroadcastOp>(op);
             broadcast && isa<RankedTensorType>(broadcast.getResult().getType()))
      result = convertBroadcast(broadcast, mesh, axes);
    else
      return op->emitOpError()
             << "has no legacy op: expected a collective on local tensors that is not started "
                "asynchronously";
    if (failed(result))
      return failure();
    if (op->getNumResults() == 1)
      op->getResult(0).replaceAllUsesWith(*result);
    op->erase();
    return success();
  }

  /// The op from which `op` was created.
  FailureOr<Value> restore(Operation *op, DictionaryAttr origin) {
    auto name = origin.getAs<StringAttr>("name");
    if (!name || !RegisteredOperationName::lookup(name.getValue(), &getContext()))
      return op->emitOpError() << "expected the name of an op in " << legacyOpAttribute << ", found "
                               << origin;
    OperationState state(op->getLoc(), name.getValue(), op->getOperands(), op->getResultTypes());
    for (NamedAttribute attribute : origin)
      if (attribute.getName() != "name")
        state.addAttribute(attribute.getName(), attribute.getValue());
    OpBuilder builder(op);
    Operation *created = builder.create(state);
    return created->getNumResults() == 0 ? Value() : created->getResult(0);
  }

  static FailureOr<Value> convertBroadcast(dist::BroadcastOp op, const spmd::Mesh &mesh,
                                           const ProcessGroupAxes &groups) {
    SmallVector<spmd::AxisRef> axes;
    int64_t root = 0;
    for (auto [axis, coordinate] : llvm::zip(op.getGroup().getAxes(), op.getRoot())) {
      spmd::AxisRef full = mesh.full(*mesh.indexOf(std::string_view(axis.getName())));
      axes.push_back(axis.isFull() ? full : spmd::AxisRef{full.axis, axis.getPre(), axis.getSize()});
      root = root * axes.back().size + coordinate;
    }
    FailureOr<int64_t> group = groups.groupOf(op, axes);
    if (failed(group))
      return failure();
    OpBuilder builder(op);
    return Value(
        pd::BroadcastOp::create(builder, op.getLoc(), op.getX().getType(), op.getX(), *group, root, 0, 0));
  }

  static void removeShardings(func::FuncOp function) {
    for (StringRef name : {dist::shardingAttribute, dist::globalAttribute}) {
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        function.removeArgAttr(i, StringAttr::get(function.getContext(), name));
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        function.removeResultAttr(i, StringAttr::get(function.getContext(), name));
    }
  }
};

} // namespace
} // namespace proa
