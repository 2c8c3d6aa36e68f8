//! dist-split-all-reduce: all_reduce becomes reduce_scatter, and all_gather where the whole is needed.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "dialects/pd/sharding/ShardingRule.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

#include <queue>
#include <vector>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_SPLITALLREDUCE
#include "passes/spmd/Passes.h.inc"

namespace {

/// If all users are slices to one sharding that a reduce_scatter can produce, replaces them by it.
bool scatterForSlices(dist::AllReduceOp op, MeshPlacements &meshes) {
  dist::SliceOp first;
  for (Operation *user : op->getUsers()) {
    auto slice = dyn_cast<dist::SliceOp>(user);
    if (!slice || (first && slice.getTo() != first.getTo()))
      return false;
    first = slice;
  }
  if (!first)
    return false;
  const spmd::Mesh &mesh = *meshes.meshOf(op.getFrom().getMesh());
  spmd::Placement from = meshes.placementOf(op.getFrom());
  if (!spmd::mismatch(spmd::StepKind::ReduceScatter, mesh, from, meshes.placementOf(first.getTo())).empty())
    return false;
  OpBuilder builder(op);
  Value scattered = dist::ReduceScatterOp::create(builder, op.getLoc(), first.getResult().getType(),
                                                  op.getX(), op.getGlobal(), op.getFrom(), first.getTo());
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    user->getResult(0).replaceAllUsesWith(scattered);
    user->erase();
  }
  op.erase();
  return true;
}

/// Whether the op's rule is as for an elementwise op: each dimension of the result is shared by all operands,
/// aligned at the end, but for dims of size 1.
bool isElementwise(Operation *op) {
  auto rule = isa_and_present<pd::PdDialect>(op->getDialect()) ? pd::shardingRuleOf(op) : std::nullopt;
  if (!rule || rule->results.size() != 1)
    return false;
  const pd::TensorFactors &result = rule->results[0];
  for (const pd::DimFactors &factors : result)
    if (factors.size() > 1 ||
        (factors.size() == 1 && rule->factors[factors[0]].kind != pd::FactorKind::PassThrough))
      return false;
  return llvm::all_of(rule->operands, [&](const pd::TensorFactors &operand) {
    return operand.size() <= result.size() &&
           llvm::all_of(llvm::zip(operand, ArrayRef(result).take_back(operand.size())), [](auto dims) {
             return std::get<0>(dims).empty() || std::get<0>(dims) == std::get<1>(dims);
           });
  });
}

/// Ops between an all_reduce of sums and slices, which can run before it: each is linear in its only operand.
/// An example is the reshape of the gradient of a bias.
class LinearOps {
public:
  LinearOps(const EvenCollective &reduction, MeshPlacements &meshes)
      : reduction(reduction), op(reduction.op()), mesh(*meshes.meshOf(op.getFrom().getMesh())),
        from(meshes.placementOf(op.getFrom())), to(meshes.placementOf(op.getTo())), global(op.getGlobal()) {}

  /// Finds the ops. False: there are none, no slices follow, or their placement is not known.
  bool find() {
    if (reduction.reduction != spmd::Reduction::Sum && reduction.reduction != spmd::Reduction::Avg)
      return false;
    Value value = op->getResult(0);
    while (Operation *next = nextOp(value)) {
      if (!passPlacement(value, next->getResult(0)))
        return false;
      ops.push_back(next);
      value = next->getResult(0);
    }
    return !ops.empty() && leadsToSlices(value);
  }

  /// Creates the all_reduce after the ops instead of before them.
  dist::AllReduceOp moveBehind() {
    op->getResult(0).replaceAllUsesWith(op.getX());
    Value value = ops.back()->getResult(0);
    OpBuilder builder(ops.back()->getContext());
    builder.setInsertionPointAfter(ops.back());
    FlatSymbolRefAttr symbol = op.getFrom().getMesh();
    auto moved =
        dist::AllReduceOp::create(builder, op.getLoc(), value.getType(), value, global,
                                  dist::shardingOf(from, symbol, mesh), dist::shardingOf(to, symbol, mesh));
    value.replaceAllUsesExcept(moved.getResult(), moved);
    op->erase();
    return moved;
  }

private:
  /// The only user of the value, if it is such an op and its result has not more bytes.
  static Operation *nextOp(Value value) {
    Operation *next = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    auto linear = dyn_cast_if_present<pd::LinearOpInterface>(next);
    if (!linear || next->getNumOperands() != 1 || next->getNumResults() != 1 || !isMovable(next) ||
        !llvm::is_contained(linear.getLinearGroups(), SmallVector<unsigned>{0}))
      return nullptr;
    auto before = cast<RankedTensorType>(value.getType());
    auto after = dyn_cast<RankedTensorType>(next->getResult(0).getType());
    bool isSmall = after && before.hasStaticShape() && after.hasStaticShape() &&
                   after.getElementType() == before.getElementType() &&
                   isa<FloatType>(after.getElementType()) &&
                   after.getNumElements() <= before.getNumElements();
    return isSmall ? next : nullptr;
  }

  /// The placement and the global type of a result. A value that is not split remains so; of one that is
  /// split, dims of size 1 may come and go.
  bool passPlacement(Value operand, Value result) {
    auto before = cast<RankedTensorType>(operand.getType()), after = cast<RankedTensorType>(result.getType());
    spmd::Placement own = to;
    SmallVector<int64_t> dims(after.getShape());
    own.dims.assign(dims.size(), {});
    if (llvm::any_of(to.dims, [](const spmd::DimPlacement &dim) { return dim != spmd::DimPlacement(); })) {
      size_t d = 0;
      for (size_t i = 0; i < to.dims.size(); ++i) {
        if (before.getDimSize(static_cast<int64_t>(i)) == 1 && to.dims[i] == spmd::DimPlacement())
          continue;
        while (d < dims.size() && after.getDimSize(static_cast<int64_t>(d)) == 1)
          ++d;
        if (d == dims.size() || after.getDimSize(static_cast<int64_t>(d)) == 1 ||
            before.getDimSize(static_cast<int64_t>(i)) != after.getDimSize(static_cast<int64_t>(d)))
          return false;
        own.dims[d] = to.dims[i];
        dims[d++] = global.getDimSize(static_cast<int64_t>(i));
      }
    }
    from.dims = to.dims = own.dims;
    global = after.clone(dims);
    return true;
  }

  /// Elementwise ops may be between.
  static bool leadsToSlices(Value value) {
    if (value.use_empty())
      return false;
    if (llvm::all_of(value.getUsers(), llvm::IsaPred<dist::SliceOp>))
      return true;
    Operation *next = value.hasOneUse() ? *value.getUsers().begin() : nullptr;
    return next && isElementwise(next) && leadsToSlices(next->getResult(0));
  }

  EvenCollective reduction;
  dist::StepOpInterface op;
  const spmd::Mesh &mesh;
  spmd::Placement from, to; ///< before and after the all_reduce, if it follows the ops that were found
  RankedTensorType global;
  SmallVector<Operation *> ops;
};

/// Elementwise ops after an all_reduce, as ops on shards.
class PartedOps {
public:
  PartedOps(const EvenCollective &reduction, MeshPlacements &meshes)
      : reduction(reduction), op(reduction.op()), mesh(*meshes.meshOf(op.getFrom().getMesh())),
        placement(meshes.placementOf(op.getTo())), type(op.getX().getType()),
        replicated(meshes, op.getFrom().getMesh(), reduction.axes) {}

  /// Finds the first dimension with equal shards, the ops, and the results that are needed whole.
  bool find() {
    for (size_t d = 0; d < placement.dims.size(); ++d)
      if (splits(d)) {
        collectOps();
        return true;
      }
    return false;
  }

  /// The same with a dimension that all users of the results need in shards only.
  bool findForSlices() {
    for (size_t d = 0; d < placement.dims.size() && !op->use_empty(); ++d)
      if (splits(d)) {
        collectOps();
        if (whole.empty())
          return true;
      }
    return false;
  }

  size_t opCount() const { return ops.size(); }
  ArrayRef<Value> wholeValues() const { return whole; }

  /// Replaces the all_reduce and the ops.
  void replace() {
    OpBuilder builder(op);
    shards[op->getResult(0)] =
        dist::ReduceScatterOp::create(builder, op.getLoc(), localShard(op.getGlobal(), parted), op.getX(),
                                      op.getGlobal(), op.getFrom(), shardingOf(parted));
    finish(builder, op->getResult(0));
    for (Operation *next : ops) {
      builder.setInsertionPoint(next);
      IRMapping mapping;
      for (Value operand : next->getOperands())
        mapping.map(operand, shardOf(builder, operand));
      Operation *clone = builder.clone(*next, mapping);
      auto result = cast<RankedTensorType>(next->getResult(0).getType());
      clone->getResult(0).setType(result.clone(shardShape()));
      pd::setLocalShape(clone, shardShape());
      shards[next->getResult(0)] = clone->getResult(0);
      finish(builder, next->getResult(0));
    }
    for (Operation *next : llvm::reverse(ops.getArrayRef()))
      next->erase();
    op->erase();
  }

private:
  /// Whether a reduce_scatter can split a dimension in equal shards; chooses it.
  bool splits(size_t d) {
    dim = d;
    parted = placement;
    if (!parted.dims[d].blocks.empty())
      return false;
    for (const spmd::AxisRef &axis : reduction.axes)
      parted.dims[d].axes.push_back(axis);
    return spmd::evenLocalSize(parted.dims[d], op.getGlobal().getDimSize(static_cast<int64_t>(d))) &&
           spmd::mismatch(spmd::StepKind::ReduceScatter, mesh, dist::placementOf(op.getFrom(), mesh), parted)
               .empty();
  }

  /// Finds the ops that run on shards of the chosen dimension, and the results that are needed whole.
  void collectOps() {
    ops.clear(), values.clear(), whole.clear();
    auto isLater = [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); };
    std::priority_queue<Operation *, std::vector<Operation *>, decltype(isLater)> users(isLater);
    auto add = [&](Value value) {
      values.insert(value);
      for (Operation *user : value.getUsers())
        if (user->getBlock() == op->getBlock())
          users.push(user);
    };
    add(op->getResult(0));
    while (!users.empty()) {
      Operation *next = users.top();
      users.pop();
      if (runsOnShards(next) && ops.insert(next))
        add(next->getResult(0));
    }
    for (Value value : values)
      if (llvm::any_of(value.getUsers(),
                       [&](Operation *user) { return !ops.contains(user) && !isSlice(user); }))
        whole.push_back(value);
  }

  bool isSlice(Operation *user) {
    auto slice = dyn_cast<dist::SliceOp>(user);
    return slice && dist::placementOf(slice.getTo(), mesh) == parted;
  }

  /// An elementwise op of the shape of the all_reduce, on values that are equal on all devices that reduce.
  bool runsOnShards(Operation *next) {
    if (next->getNumResults() != 1 || !isMovable(next) || !isElementwise(next))
      return false;
    auto result = dyn_cast<RankedTensorType>(next->getResult(0).getType());
    auto isAvailable = [&](Value operand) {
      return values.contains(operand) || (hasShard(operand) && replicated.contains(operand));
    };
    return result && result.getShape() == type.getShape() && llvm::all_of(next->getOperands(), isAvailable) &&
           pd::infersLocalTypes(
               next, llvm::map_to_vector(next->getOperands(), [&](Value x) { return shardType(x); }),
               {result.clone(shardShape())});
  }

  /// The local dims of the shards.
  SmallVector<int64_t> shardShape() {
    return SmallVector<int64_t>(localShard(op.getGlobal(), parted).getShape());
  }

  /// The type of the shard of an operand (see shardOf).
  Type shardType(Value operand) {
    auto own = cast<RankedTensorType>(operand.getType());
    size_t skipped = placement.dims.size() - static_cast<size_t>(own.getRank());
    SmallVector<int64_t> shape(own.getShape());
    if (dim >= skipped && shape[dim - skipped] == type.getDimSize(static_cast<int64_t>(dim)))
      shape[dim - skipped] = shardShape()[dim];
    return own.clone(shape);
  }

  /// Whether each dim of the operand equals the result's dim, or is broadcast.
  bool hasShard(Value operand) const {
    auto own = dyn_cast<RankedTensorType>(operand.getType());
    if (!own || own.getRank() > type.getRank())
      return false;
    ArrayRef<int64_t> aligned = type.getShape().take_back(own.getRank());
    return llvm::all_of(llvm::zip(own.getShape(), aligned), [](auto dims) {
      return std::get<0>(dims) == 1 || std::get<0>(dims) == std::get<1>(dims);
    });
  }

  /// The shard of an operand. One whose dimension is broadcast is needed whole.
  Value shardOf(OpBuilder &builder, Value operand) {
    if (Value shard = shards.lookup(operand))
      return shard;
    auto own = cast<RankedTensorType>(operand.getType());
    size_t skipped = placement.dims.size() - static_cast<size_t>(own.getRank());
    if (dim < skipped || own.getDimSize(static_cast<int64_t>(dim - skipped)) == 1)
      return operand;
    auto from = spmd::Placement::replicated(own.getRank()), to = from;
    SmallVector<int64_t> global(own.getShape());
    for (size_t d = 0; d < global.size(); ++d)
      // A dim of size 1 may be a shard, if the dim of the result is 1 too.
      if (own.getDimSize(static_cast<int64_t>(d)) == type.getDimSize(static_cast<int64_t>(d + skipped))) {
        from.dims[d] = placement.dims[d + skipped];
        to.dims[d] = parted.dims[d + skipped];
        global[d] = op.getGlobal().getDimSize(static_cast<int64_t>(d + skipped));
      }
    RankedTensorType globalType = own.clone(global);
    return shards[operand] = dist::SliceOp::create(builder, op.getLoc(), localShard(globalType, to), operand,
                                                   globalType, shardingOf(from), shardingOf(to));
  }

  /// Replaces the uses of a value: slices by the shard, others by a gather.
  void finish(OpBuilder &builder, Value value) {
    Value shard = shards[value];
    for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
      if (isSlice(user) && !ops.contains(user)) {
        user->getResult(0).replaceAllUsesWith(shard);
        user->erase();
      }
    if (!llvm::is_contained(whole, value))
      return;
    auto own = cast<RankedTensorType>(value.getType());
    Value gathered =
        dist::AllGatherOp::create(builder, op.getLoc(), own, shard,
                                  op.getGlobal().clone(own.getElementType()), shardingOf(parted), op.getTo());
    value.replaceUsesWithIf(gathered, [&](OpOperand &use) { return !ops.contains(use.getOwner()); });
  }

  static RankedTensorType localShard(RankedTensorType global, const spmd::Placement &to) {
    return dist::localType(global, to);
  }

  dist::ShardingAttr shardingOf(const spmd::Placement &own) {
    return dist::shardingOf(own, op.getFrom().getMesh(), mesh);
  }

  EvenCollective reduction;
  dist::StepOpInterface op;
  const spmd::Mesh &mesh;
  spmd::Placement placement, parted; ///< after the all_reduce, and with a dimension split over its axes
  RankedTensorType type;
  ReplicatedValues replicated;
  size_t dim = 0;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> values;
  SmallVector<Value> whole;
  llvm::DenseMap<Value, Value> shards;
};

class SplitAllReducePass : public impl::SplitAllReduceBase<SplitAllReducePass> {
public:
  using SplitAllReduceBase::SplitAllReduceBase;

  void runOnOperation() override {
    MeshPlacements meshes(getOperation());
    SmallVector<dist::AllReduceOp> ops;
    getOperation()->walk([&](dist::AllReduceOp op) {
      if (collectiveOf(op))
        ops.push_back(op);
    });
    for (dist::AllReduceOp op : ops) {
      op = moveBehindLinearOps(op, meshes);
      if (!scatterForSlices(op, meshes))
        splitForOps(op, meshes);
    }
  }

private:
  dist::AllReduceOp moveBehindLinearOps(dist::AllReduceOp op, MeshPlacements &meshes) {
    auto reduction = evenCollectiveOf(cast<dist::StepOpInterface>(op.getOperation()), meshes);
    if (!reduction)
      return op;
    LinearOps linear(*reduction, meshes);
    return linear.find() ? linear.moveBehind() : op;
  }

  void splitForOps(dist::AllReduceOp op, MeshPlacements &meshes) {
    auto reduction = evenCollectiveOf(cast<dist::StepOpInterface>(op.getOperation()), meshes);
    if (!reduction)
      return;
    PartedOps shards(*reduction, meshes);
    if (shards.findForSlices()) {
      remarks.done(op) << "dist.all_reduce becomes reduce_scatter; " << std::to_string(shards.opCount())
                       << " ops run on shards";
      return shards.replace();
    }
    if (reduction->bytes() < minBytes) {
      remarks.missed(op) << "dist.all_reduce stays: it is of " << std::to_string(reduction->bytes())
                         << " bytes, fewer than " << std::to_string(minBytes);
      return;
    }
    if (!shards.find()) {
      remarks.missed(op) << "dist.all_reduce stays: no dimension has equal shards";
      return;
    }
    size_t gathers = shards.wholeValues().size();
    if (gathers != 1 || shards.wholeValues()[0] == op.getResult()) {
      remarks.missed(op) << "dist.all_reduce stays: " << std::to_string(gathers)
                         << " results of the elementwise ops after it are needed whole";
      return;
    }
    remarks.done(op) << "dist.all_reduce becomes reduce_scatter; " << std::to_string(shards.opCount())
                     << " ops run on shards; " << std::to_string(gathers) << " all_gather";
    shards.replace();
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
