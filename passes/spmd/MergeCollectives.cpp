//! dist-merge-collectives: merges small collectives into buckets.
#include "passes/spmd/Passes.h"

#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "lib/base/spmd/Refine.h"
#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_MERGECOLLECTIVES
#include "passes/spmd/Passes.h.inc"

namespace {

using Members = SmallVector<EvenCollective>;

/// Whether dist-gather-at-uses places the op.
bool gathersArgument(Operation *op) {
  auto gather = dyn_cast<dist::AllGatherOp>(op);
  return gather && isa<BlockArgument>(gather.getX());
}

/// Creates the collective of a bucket. Local tensors are packed as [rows, elements]: a reduce_scatter and an
/// all_gather have one row for each shard, an all_reduce has one row.
class Bucket {
public:
  Bucket(OpBuilder &builder, const Members &members, const spmd::Mesh &mesh)
      : builder(builder), members(members), first(members.front()), mesh(mesh),
        location(first.op().getLoc()) {}

  /// Replaces the members. Ops are created at the builder's insertion point.
  void create() {
    bool gathers = first.op().getStepKind() == spmd::StepKind::AllGather;
    int64_t rowsBefore = gathers ? 1 : rowCount(), rowsAfter = gathers ? rowCount() : 1;
    SmallVector<Value> packed;
    for (const EvenCollective &member : members)
      packed.push_back(pack(member, rowsBefore));
    Value joined = pd::ConcatOp::create(builder, location, packed, Value(), builder.getI64IntegerAttr(1));
    Value moved = createStep(joined, rowsAfter);
    int64_t begin = 0;
    for (auto [member, shard] : llvm::zip_equal(members, packed)) {
      int64_t end = begin + cast<RankedTensorType>(shard.getType()).getDimSize(1);
      OpBuilder::InsertionGuard guard(builder);
      // Gathered arguments wait for their uses in the bucket. Other values are the last ones to be computed.
      if (Operation *user = gathersArgument(member.op()) ? firstUser(member.op()) : nullptr)
        builder.setInsertionPoint(user);
      auto list = [&](ArrayRef<int64_t> values) { return builder.getDenseI64ArrayAttr(values); };
      Value piece = pd::SliceOp::create(builder, location, moved, Value(), Value(), Value(), list({1}),
                                        list({begin}), list({end}), list({}));
      member.op()->getResult(0).replaceAllUsesWith(unpack(member, piece, rowsAfter));
      begin = end;
    }
    for (const EvenCollective &member : members)
      member.op()->erase();
  }

private:
  /// The first op of the block that uses a result; null: none.
  static Operation *firstUser(Operation *op) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (Operation *own = op->getBlock()->findAncestorOpInBlock(*user);
          own && (!first || own->isBeforeInBlock(first)))
        first = own;
    return first;
  }

  bool reducesOnly() const { return first.op().getStepKind() == spmd::StepKind::AllReduce; }
  int64_t rowCount() const { return reducesOnly() ? 1 : first.shards; }

  Value reshape(Value x, ArrayRef<int64_t> shape) {
    return pd::ReshapeOp::create(builder, location, x, Value(), builder.getDenseI64ArrayAttr(shape));
  }

  /// The number of elements before dimension `dim`.
  static int64_t outerCount(ArrayRef<int64_t> dims, size_t dim) {
    int64_t count = 1;
    for (int64_t size : dims.take_front(dim))
      count *= size;
    return count;
  }

  /// [outer, middle, inner] to [middle, outer, inner].
  Value exchange(Value x, int64_t outer, int64_t middle, int64_t inner) {
    if (outer == 1 || middle == 1)
      return x;
    Value cut = reshape(x, {outer, middle, inner});
    return pd::TransposeOp::create(builder, location, cut, builder.getDenseI64ArrayAttr({1, 0, 2}));
  }

  Value pack(const EvenCollective &member, int64_t rows) {
    RankedTensorType type = member.op().getX().getType();
    int64_t count = type.getNumElements();
    Value x = member.op().getX();
    if (rows > 1) {
      int64_t outer = outerCount(type.getShape(), member.dim);
      x = exchange(x, outer, rows, count / outer / rows);
    }
    return reshape(x, {rows, count / rows});
  }

  Value unpack(const EvenCollective &member, Value piece, int64_t rows) {
    auto type = cast<RankedTensorType>(member.op()->getResult(0).getType());
    if (rows > 1) {
      int64_t outer = outerCount(type.getShape(), member.dim);
      piece = exchange(piece, rows, outer, type.getNumElements() / outer / rows);
    }
    return reshape(piece, type.getShape());
  }

  /// Each device has its own elements: they are shards over the other axes of a larger tensor.
  Value createStep(Value x, int64_t rowsAfter) {
    SmallVector<unsigned> others;
    for (const EvenCollective &member : members)
      llvm::append_range(others, member.otherAxes);
    llvm::sort(others);
    others.erase(llvm::unique(others), others.end());
    auto from = spmd::Placement::replicated(2);
    int64_t elements = cast<RankedTensorType>(x.getType()).getDimSize(1), columns = elements;
    for (unsigned axis : others) {
      from.dims[1].axes.push_back(mesh.full(axis));
      columns *= mesh.axes[axis].size;
    }
    spmd::Placement to = from;
    spmd::StepKind kind = first.op().getStepKind();
    if (kind == spmd::StepKind::AllGather)
      from.dims[0].axes.assign(first.axes.begin(), first.axes.end());
    else
      for (const spmd::AxisRef &axis : first.axes)
        from.partial.push_back({axis, first.reduction});
    if (kind == spmd::StepKind::ReduceScatter)
      to.dims[0].axes.assign(first.axes.begin(), first.axes.end());
    RankedTensorType global = first.op().getGlobal().clone({rowCount(), columns});
    FlatSymbolRefAttr symbol = first.op().getFrom().getMesh();
    return dist::createStep(builder, location, kind, x, global.clone({rowsAfter, elements}), global,
                            dist::shardingOf(canonical(mesh, from), symbol, mesh),
                            dist::shardingOf(canonical(mesh, to), symbol, mesh));
  }

  OpBuilder &builder;
  const Members &members;
  const EvenCollective &first;
  const spmd::Mesh &mesh;
  Location location;
};

class MergeCollectivesPass : public impl::MergeCollectivesBase<MergeCollectivesPass> {
public:
  using MergeCollectivesBase::MergeCollectivesBase;

  void runOnOperation() override {
    if (bucketBytes < 1) {
      getOperation().emitError() << getArgumentName() << ": expected a bucket-bytes of at least 1, found "
                                 << int64_t(bucketBytes);
      return signalPassFailure();
    }
    MeshPlacements meshes(getOperation());
    SmallVector<Block *> blocks;
    getOperation()->walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      for (const Members &members : bucketsOf(*block, meshes))
        merge(members, meshes);
  }

private:
  /// Collectives of one kind, group and element type, in program order, up to the size of a bucket.
  std::vector<Members> bucketsOf(Block &block, MeshPlacements &meshes) {
    llvm::MapVector<Attribute, std::vector<Members>> byKey;
    llvm::DenseMap<Attribute, int64_t> bytes;
    for (Operation &op : block) {
      dist::StepOpInterface step = collectiveOf(&op);
      auto collective = step ? evenCollectiveOf(step, meshes) : std::nullopt;
      if (!collective) {
        if (step)
          remarks.missed(&op) << "is not merged: its shards differ in size, or it is not an all_reduce, "
                                 "reduce_scatter or all_gather over full axes of one dimension";
        continue;
      }
      if (collective->bytes() >= bucketBytes)
        continue;
      Attribute key = keyOf(*collective);
      std::vector<Members> &buckets = byKey[key];
      int64_t &size = bytes[key];
      if (buckets.empty() || size + collective->bytes() > bucketBytes) {
        buckets.emplace_back();
        size = 0;
      }
      buckets.back().push_back(*collective);
      size += collective->bytes();
    }
    std::vector<Members> all;
    for (auto &[key, buckets] : byKey)
      llvm::append_range(all, buckets);
    return all;
  }

  Attribute keyOf(const EvenCollective &collective) {
    Builder builder(&getContext());
    SmallVector<Attribute> key{collective.op()->getName().getIdentifier(),
                               collective.op().getFrom().getMesh(),
                               TypeAttr::get(collective.op().getGlobal().getElementType()),
                               builder.getI64IntegerAttr(static_cast<int64_t>(collective.reduction)),
                               builder.getBoolAttr(gathersArgument(collective.op()))};
    for (const spmd::AxisRef &axis : collective.axes)
      key.push_back(builder.getI64IntegerAttr(axis.axis));
    return builder.getArrayAttr(key);
  }

  /// Merges members that do not depend on each other; the others form further buckets.
  void merge(Members members, MeshPlacements &meshes) {
    llvm::sort(members, [](const EvenCollective &a, const EvenCollective &b) {
      return a.op()->isBeforeInBlock(b.op());
    });
    while (members.size() > 1) {
      size_t count = independentPrefix(members);
      Members bucket(members.begin(), members.begin() + count);
      members.erase(members.begin(), members.begin() + count);
      if (bucket.size() > 1)
        replace(bucket, meshes);
    }
  }

  /// The number of members, from the first on, until one depends on another, or until an op that depends on
  /// one cannot move after the next. Users of gathered arguments do not move: they would be used at another
  /// time.
  static size_t independentPrefix(const Members &members) {
    llvm::SmallPtrSet<Operation *, 16> dependents;
    size_t count = 0;
    bool mayFollow = true, isOfUses = gathersArgument(members[0].op());
    for (Operation *op = members[0].op(); count < members.size(); op = op->getNextNode()) {
      bool depends = dependsOn(op, dependents), isMember = op == members[count].op().getOperation();
      if (isMember && (depends || !mayFollow))
        break;
      count += isMember;
      if (isMember || depends)
        dependents.insert(op);
      mayFollow &= isMember || !depends || (isMovable(op) && !isOfUses);
    }
    return count;
  }

  void replace(const Members &bucket, MeshPlacements &meshes) {
    Operation *first = bucket.front().op(), *last = bucket.back().op();
    llvm::SmallPtrSet<Operation *, 16> dependents{first};
    SmallVector<Operation *> users;
    for (Operation *op = first->getNextNode(); op != last->getNextNode(); op = op->getNextNode()) {
      bool isMember = llvm::any_of(bucket, [&](const EvenCollective &member) { return member.op() == op; });
      if (!isMember && !dependsOn(op, dependents))
        continue;
      dependents.insert(op);
      if (!isMember)
        users.push_back(op);
    }
    int64_t bytes = 0;
    for (const EvenCollective &member : bucket)
      bytes += member.bytes();
    remarks.done(first) << "merges " << std::to_string(bucket.size()) << " "
                        << first->getName().getStringRef() << " into one bucket of " << std::to_string(bytes)
                        << " bytes, at most " << std::to_string(bucketBytes);
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(last);
    Operation *next = last->getNextNode();
    for (Operation *user : users)
      user->moveBefore(next);
    builder.setInsertionPointAfter(last);
    Bucket(builder, bucket, *meshes.meshOf(bucket.front().op().getFrom().getMesh())).create();
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
