//! dist-from-process-groups: ops of legacy collective programs become ops of dist on local tensors.
#include "passes/spmd/Passes.h"
#include "passes/spmd/ProcessGroups.h"

#include "dialects/dist/Placements.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/distributed/ProcessGroup.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "lib/base/spmd/Exchange.h"
#include "lib/base/spmd/Refine.h"
#include "passes/spmd/FactorAxes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_FROMPROCESSGROUPS
#include "passes/spmd/Passes.h.inc"

namespace {

/// The program of one rank, and meshes of single ranks for sends.
struct RankProgram {
  dist::MeshOp meshOp;
  spmd::Mesh mesh;
  int64_t rank = 0;
  std::map<int64_t, FlatSymbolRefAttr> meshOfRank;
  /// Numbers of messages between two ranks.
  std::map<std::pair<int64_t, int64_t>, int64_t> channels;

  FlatSymbolRefAttr symbol() { return FlatSymbolRefAttr::get(meshOp.getSymNameAttr()); }

  /// A mesh of one device.
  FlatSymbolRefAttr meshOf(int64_t position) {
    FlatSymbolRefAttr &symbol = meshOfRank[position];
    if (symbol)
      return symbol;
    OpBuilder builder(meshOp);
    builder.setInsertionPointAfter(meshOp);
    std::string name = (meshOp.getSymName() + "_" + Twine(position)).str();
    auto attribute = dist::MeshAttr::get(meshOp.getContext(), ArrayRef<StringAttr>(), ArrayRef<int64_t>(),
                                         ArrayRef<int64_t>(mesh.deviceAt(position)));
    dist::MeshOp::create(builder, meshOp.getLoc(), name, attribute);
    return symbol = FlatSymbolRefAttr::get(meshOp.getContext(), name);
  }
};

/// A process group as axes of a mesh. Over other axes, values are stated as terms of a reduction: then each
/// device may have its own.
class MeshProcessGroup : public pd::ProcessGroupBuilder {
public:
  MeshProcessGroup(OpBuilder &builder, Operation *op, RankProgram &program, ProcessGroupAxes::Axes axes)
      : ProcessGroupBuilder(builder, op), program(program), mesh(program.mesh), axes(std::move(axes)) {}

  int64_t size() const override { return spmd::shardCount(axes); }
  int64_t rank() const override { return mesh.shardOf(axes, program.rank); }

  Value reduce(Value x, pd::ReductionKind kind) override {
    RankedTensorType type = typeOf(x);
    spmd::Reduction reduction = reductionOf({0, pd::FactorKind::Reduction, kind});
    spmd::Placement to = whole(type, reduction), from = withTerms(to, reduction);
    return step(spmd::StepKind::AllReduce, x, type, type, from, to);
  }

  Value reduceScatter(Value x, int64_t dim) override {
    RankedTensorType type = typeOf(x);
    spmd::Placement to = whole(type, spmd::Reduction::Sum), from = withTerms(to, spmd::Reduction::Sum);
    to.dims[static_cast<size_t>(dim)].axes.assign(axes.begin(), axes.end());
    return step(spmd::StepKind::ReduceScatter, x, scaled(type, dim, 1, size()), type, from, to);
  }

  Value gather(Value x, int64_t dim) override {
    RankedTensorType type = typeOf(x), joined = scaled(type, dim, size(), 1);
    spmd::Placement to = whole(type), from = to;
    from.dims[static_cast<size_t>(dim)].axes.assign(axes.begin(), axes.end());
    return step(spmd::StepKind::AllGather, x, joined, joined, from, to);
  }

  Value shard(Value x, int64_t dim) override {
    RankedTensorType type = typeOf(x);
    spmd::Placement from = whole(type), to = from;
    to.dims[static_cast<size_t>(dim)].axes.assign(axes.begin(), axes.end());
    return step(spmd::StepKind::Slice, x, scaled(type, dim, 1, size()), type, from, to);
  }

  Value broadcast(Value x, int64_t root) override {
    if (axes.empty())
      return x;
    return note(dist::BroadcastOp::create(getBuilder(), op()->getLoc(), x.getType(), x, group(),
                                          spmd::coordinatesOf(axes, root)));
  }

  Value exchangeRows(Value x, Value sent, Value received) override {
    if (axes.empty())
      return x;
    RankedTensorType type = typeOf(x);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    return note(dist::ExchangeRowsOp::create(getBuilder(), op()->getLoc(), type.clone(shape), x, sent,
                                             received, group()));
  }

  Value exchange(Value x) override {
    if (axes.empty())
      return x;
    RankedTensorType type = typeOf(x), global = scaled(type, 0, size(), 1);
    spmd::Placement from = whole(type), to = from;
    from.dims[0].axes.assign(axes.begin(), axes.end());
    to.dims[1].axes.assign(axes.begin(), axes.end());
    return step(spmd::StepKind::AllToAll, x, scaled(global, 1, 1, size()), global, from, to);
  }

  Value byRank(ArrayRef<int64_t> values) override {
    OpBuilder &builder = getBuilder();
    auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
    Value all = pd::ConstantOp::create(builder, op()->getLoc(), type, DenseElementsAttr::get(type, values));
    return pd::ReshapeOp::create(builder, op()->getLoc(), shard(all, 0), Value(),
                                 builder.getDenseI64ArrayAttr({}));
  }

  LogicalResult send(Value x, int64_t peer) override {
    auto ends = endsOf(typeOf(x), program.rank, positionOf(peer));
    if (failed(ends))
      return failure();
    note(dist::SendOp::create(getBuilder(), op()->getLoc(), Type(), x, TypeAttr::get(x.getType()), ends->from,
                              ends->to, getBuilder().getI64IntegerAttr(ends->channel)));
    return success();
  }

  FailureOr<Value> receive(RankedTensorType type, int64_t peer) override {
    auto ends = endsOf(type, positionOf(peer), program.rank);
    if (failed(ends))
      return failure();
    return note(dist::RecvOp::create(getBuilder(), op()->getLoc(), type, TypeAttr::get(type), ends->from,
                                     ends->to, getBuilder().getI64IntegerAttr(ends->channel)));
  }

  /// The ops of dist that were created.
  ArrayRef<Operation *> created() const { return ops; }

private:
  struct Ends {
    dist::ShardingAttr from, to;
    int64_t channel = 0;
  };

  static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

  static RankedTensorType scaled(RankedTensorType type, int64_t dim, int64_t factor, int64_t divisor) {
    SmallVector<int64_t> shape(type.getShape());
    if (int64_t &size = shape[static_cast<size_t>(dim)]; !ShapedType::isDynamic(size))
      size = size * factor / divisor;
    return type.clone(shape);
  }

  spmd::Placement whole(RankedTensorType type) const {
    return whole(type, type.getElementType().isInteger(1) ? spmd::Reduction::Any : spmd::Reduction::Sum);
  }
  spmd::Placement whole(RankedTensorType type, spmd::Reduction reduction) const {
    auto placement = spmd::Placement::replicated(type.getRank());
    for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
      if (mesh.axes[axis].size > 1 && !llvm::is_contained(axes, mesh.full(axis)))
        placement.partial.push_back({mesh.full(axis), reduction});
    return placement;
  }
  spmd::Placement withTerms(spmd::Placement placement, spmd::Reduction reduction) const {
    for (const spmd::AxisRef &axis : axes)
      placement.partial.push_back({axis, reduction});
    return placement;
  }

  Value step(spmd::StepKind kind, Value x, RankedTensorType local, RankedTensorType global,
             const spmd::Placement &from, const spmd::Placement &to) {
    if (axes.empty())
      return x;
    auto shardingOf = [&](const spmd::Placement &placement) {
      return dist::shardingOf(spmd::canonical(mesh, placement), program.symbol(), mesh);
    };
    return note(dist::createStep(getBuilder(), op()->getLoc(), kind, x, local, global, shardingOf(from),
                                 shardingOf(to))
                    .getDefiningOp());
  }

  Value note(Operation *created) {
    ops.push_back(created);
    return created->getNumResults() == 0 ? Value() : created->getResult(0);
  }

  /// `from` and `to` are positions of the mesh.
  FailureOr<Ends> endsOf(RankedTensorType type, int64_t from, int64_t to) {
    if (from == to)
      return op()->emitOpError() << "peer is " << rank()
                                 << ", the rank of the program in its process group (option rank)";
    if (!type.hasStaticShape())
      return op()->emitOpError() << "expected static dims, found " << type;
    auto sharding = [&](int64_t position) {
      return dist::shardingOf(spmd::Placement::replicated(type.getRank()), program.meshOf(position), {});
    };
    int64_t channel = program.channels[{from, to}]++;
    return Ends{sharding(from), sharding(to), channel};
  }

  /// The position of a process of the group of this rank.
  int64_t positionOf(int64_t process) const {
    return spmd::rootOf(mesh, axes, spmd::coordinatesOf(axes, process), program.rank);
  }

  dist::GroupAttr group() const {
    auto names = llvm::map_to_vector(axes, [&](const spmd::AxisRef &axis) {
      return dist::AxisAttr::get(op()->getContext(), mesh.axes[axis.axis].name);
    });
    return dist::GroupAttr::get(op()->getContext(), program.symbol(), names);
  }

  RankProgram &program;
  const spmd::Mesh &mesh;
  ProcessGroupAxes::Axes axes;
  SmallVector<Operation *> ops;
};

class FromProcessGroupsPass : public impl::FromProcessGroupsBase<FromProcessGroupsPass> {
public:
  using FromProcessGroupsBase::FromProcessGroupsBase;

  void runOnOperation() override {
    FailureOr<dist::MeshOp> meshOp = singleMesh(getOperation());
    if (failed(meshOp))
      return signalPassFailure();
    RankProgram program{*meshOp, meshOp->getMesh().toMesh(), rank, {}, {}};
    FailureOr<ProcessGroupAxes> parsed = ProcessGroupAxes::parse(
        getOperation(), program.mesh, SmallVector<std::string>(rings.begin(), rings.end()), rank);
    if (failed(parsed))
      return signalPassFailure();
    bool isValid = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      isValid &= succeeded(describeInterface(function, program, *parsed));
    auto isEmbedding = [](Operation *op) {
      return pd::isProcessGroupComposite(op) && !pd::namesProcessGroup(op);
    };
    // Gradients of tables first: they have the process group of the op in the forward function.
    isValid &=
        succeeded(convertAll(program, *parsed, [&](Operation *op) { return expand && isEmbedding(op); }));
    if (isValid)
      isValid &= succeeded(expandGradients(program, *parsed));
    isValid &= succeeded(convertAll(program, *parsed, [&](Operation *op) {
      return pd::isProcessGroupOp(op) || (expand && pd::isProcessGroupComposite(op) && !isEmbedding(op));
    }));
    if (!isValid)
      signalPassFailure();
  }

private:
  LogicalResult convertAll(RankProgram &program, const ProcessGroupAxes &axesOfGroups,
                           function_ref<bool(Operation *)> isSelected) {
    // All process groups before any op changes: the group of a table follows from other ops.
    SmallVector<std::pair<Operation *, std::optional<int64_t>>> ops;
    getOperation().walk([&](Operation *op) {
      if (isSelected(op))
        ops.push_back({op, pd::processGroupOf(op)});
    });
    bool isValid = true;
    for (auto [op, group] : ops) {
      if (!group)
        op->emitOpError()
            << "expected a use by mp_allreduce_sum or c_allreduce_sum, whose process group has the shards "
               "of the table";
      isValid &= group && succeeded(convert(op, *group, program, axesOfGroups));
    }
    return success(isValid);
  }

  /// Replaces each gradient of an op of a process group by ops: the gradient of a collective is another one.
  LogicalResult expandGradients(RankProgram &program, const ProcessGroupAxes &axesOfGroups) {
    SmallVector<pd::VjpOp> gradients;
    getOperation().walk<WalkOrder::PreOrder>([&](pd::VjpOp op) {
      bool isOfGroup = op->walk([&](Operation *inner) {
                           bool hasDerivative = pd::hasProcessGroupDerivative(inner) &&
                                                (expand || !pd::isProcessGroupComposite(inner));
                           return hasDerivative ? WalkResult::interrupt() : WalkResult::advance();
                         }).wasInterrupted();
      if (!isOfGroup)
        return WalkResult::advance();
      gradients.push_back(op);
      return WalkResult::skip();
    });
    for (pd::VjpOp op : gradients) {
      if (failed(nameProcesses(op, program, axesOfGroups)))
        return failure();
      OpBuilder builder(op);
      auto values = cast<pd::DecomposableOpInterface>(op.getOperation()).tryDecompose(builder);
      if (failed(values) || failed(pd::replaceResults(op, *values)))
        return op.emitOpError() << "the gradient of an op of a process group cannot be computed";
      op.erase();
    }
    return success();
  }

  /// States the number of processes and the rank at ops that do not know them.
  LogicalResult nameProcesses(pd::VjpOp gradient, RankProgram &program,
                              const ProcessGroupAxes &axesOfGroups) {
    WalkResult result = gradient->walk([&](Operation *op) {
      auto ranks = op->getAttrOfType<IntegerAttr>("nranks");
      std::optional<int64_t> group = ranks && ranks.getInt() == 0 ? pd::processGroupOf(op) : std::nullopt;
      if (!group)
        return WalkResult::advance();
      FailureOr<ProcessGroupAxes::Axes> axes = axesOfGroups.axesOf(op, *group);
      if (failed(axes))
        return WalkResult::interrupt();
      OpBuilder builder(op);
      MeshProcessGroup onMesh(builder, op, program, *axes);
      op->setAttr("nranks", builder.getI64IntegerAttr(onMesh.size()));
      if (op->hasAttr("rank"))
        op->setAttr("rank", builder.getI64IntegerAttr(onMesh.rank()));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult convert(Operation *op, int64_t group, RankProgram &program,
                               const ProcessGroupAxes &axesOfGroups) {
    FailureOr<ProcessGroupAxes::Axes> axes = axesOfGroups.axesOf(op, group);
    if (failed(axes))
      return failure();
    OpBuilder builder(op);
    MeshProcessGroup onMesh(builder, op, program, *axes);
    FailureOr<SmallVector<Value>> results = pd::createInProcessGroup(onMesh);
    if (failed(results))
      return failure();
    ArrayRef<Operation *> created = onMesh.created();
    if (created.size() == 1 && created[0]->getOperands() == op->getOperands() &&
        created[0]->getNumResults() == op->getNumResults() &&
        (results->empty() || results->front() == created[0]->getResult(0)))
      recordOrigin(created[0], op);
    for (auto [result, value] : llvm::zip(op->getResults(), *results)) {
      if (value.getType() != result.getType())
        value = tensor::CastOp::create(builder, op->getLoc(), result.getType(), value);
      result.replaceAllUsesWith(value);
    }
    op->erase();
    return success();
  }

  static void recordOrigin(Operation *created, Operation *op) {
    NamedAttrList origin(op->getAttrDictionary());
    origin.set("name", StringAttr::get(op->getContext(), op->getName().getStringRef()));
    created->setAttr(legacyOpAttribute, origin.getDictionary(op->getContext()));
  }

  /// Arguments and results that have no sharding are split as the types of their wholes (dist.global) say,
  /// and replicated without; new values of states are as the states.
  LogicalResult describeInterface(func::FuncOp function, RankProgram &program,
                                  const ProcessGroupAxes &axesOfGroups) {
    llvm::StringMap<dist::ShardingAttr> states;
    SmallVector<spmd::AxisRef> modelAxes = axesOfModel(function, program, axesOfGroups);
    bool isValid = true;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      NamedAttrList attributes(function.getArgAttrDict(i));
      auto sharding = attributes.getNamed(dist::shardingAttribute)
                          ? cast<dist::ShardingAttr>(attributes.get(dist::shardingAttribute))
                          : dist::ShardingAttr();
      isValid &= succeeded(
          describe(function, function.getArgumentTypes()[i], sharding, attributes, program, modelAxes));
      if (auto name = dyn_cast_or_null<StringAttr>(attributes.get(pd::parameterAttribute)))
        states[name] = sharding;
      function.setArgAttrs(i, attributes.getDictionary(&getContext()));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      NamedAttrList attributes(function.getResultAttrDict(i));
      auto sharding = dyn_cast_or_null<dist::ShardingAttr>(attributes.get(dist::shardingAttribute));
      if (auto name = dyn_cast_or_null<StringAttr>(attributes.get(pd::stateAttribute)); name && !sharding)
        sharding = states.lookup(name);
      isValid &= succeeded(
          describe(function, function.getResultTypes()[i], sharding, attributes, program, modelAxes));
      function.setResultAttrs(i, attributes.getDictionary(&getContext()));
    }
    return success(isValid);
  }

  /// The axes that may split parameters: the axes of tensor parallelism if the function has such ops, else
  /// all.
  static SmallVector<spmd::AxisRef> axesOfModel(func::FuncOp function, RankProgram &program,
                                                const ProcessGroupAxes &axesOfGroups) {
    SmallVector<spmd::AxisRef> all, modelAxes;
    for (unsigned axis = 0; axis < program.mesh.axes.size(); ++axis)
      if (program.mesh.axes[axis].size > 1)
        all.push_back(program.mesh.full(axis));
    llvm::SmallDenseSet<int64_t> groups;
    function.walk([&](Operation *op) {
      if (std::optional<int64_t> group = pd::isOfModelShards(op) ? pd::processGroupOf(op) : std::nullopt)
        groups.insert(*group);
    });
    for (const spmd::AxisRef &axis : all)
      if (llvm::any_of(groups, [&](int64_t group) { return axesOfGroups.has(group, axis); }))
        modelAxes.push_back(axis);
    return modelAxes.empty() ? all : modelAxes;
  }

  LogicalResult describe(func::FuncOp function, Type type, dist::ShardingAttr &sharding,
                         NamedAttrList &attributes, RankProgram &program, ArrayRef<spmd::AxisRef> modelAxes) {
    auto local = dyn_cast<RankedTensorType>(type);
    if (!local)
      return success();
    auto placement = spmd::Placement::replicated(local.getRank());
    auto emit = [&] { return function.emitError() << "sharding of a local tensor: "; };
    bool isGiven = static_cast<bool>(sharding);
    if (isGiven) {
      if (!sharding.isFinal() || sharding.getMesh() != program.symbol())
        return emit() << "expected a final sharding on " << program.symbol() << ", found " << sharding;
      if (failed(dist::verifySharding(emit, sharding, program.mesh, local)))
        return failure();
      placement = dist::placementOf(sharding, program.mesh);
    } else {
      if (auto global = dyn_cast_or_null<TypeAttr>(attributes.get(dist::globalAttribute))) {
        auto emitGlobal = [&] { return function.emitError() << "type of a whole tensor: "; };
        auto whole = dyn_cast<RankedTensorType>(global.getValue());
        if (!whole)
          return emitGlobal() << "expected a tensor, found " << global;
        auto inferred = placementOfShards(emitGlobal, program.mesh, modelAxes, local, whole);
        if (failed(inferred))
          return failure();
        placement = *inferred;
      }
      sharding = dist::shardingOf(placement, program.symbol(), program.mesh);
    }
    attributes.set(dist::shardingAttribute, sharding);
    SmallVector<int64_t> shape(local.getShape());
    for (auto [size, dim] : llvm::zip(shape, placement.dims))
      size = ShapedType::isDynamic(size) ? size : size * dim.shardCount();
    if (!attributes.get(dist::globalAttribute))
      attributes.set(dist::globalAttribute, TypeAttr::get(local.clone(shape)));
    auto global =
        dyn_cast<RankedTensorType>(cast<TypeAttr>(attributes.get(dist::globalAttribute)).getValue());
    return success(!isGiven || !global ||
                   succeeded(dist::verifySharding(emit, sharding, program.mesh, global)));
  }
};

} // namespace
} // namespace proa
