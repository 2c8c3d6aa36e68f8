#include "dialects/pd/ops/distributed/ProcessGroup.h"

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/distributed/Distributed.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;

namespace proa::pd {
namespace {

using GroupResults = FailureOr<SmallVector<Value>>;

int64_t lastDim(Value x) { return tensorType(x).getRank() - 1; }

/// The value of an attribute for each process: rank times `size`.
SmallVector<int64_t> multiples(int64_t count, int64_t size) {
  return llvm::map_to_vector(llvm::seq(count), [&](int64_t i) { return i * size; });
}

GroupResults reduceByKind(ProcessGroupBuilder &group, Value x, int64_t kind) {
  std::optional<GroupReduction> reduction = reductionOfKind(kind);
  if (!reduction)
    return group.op()->emitOpError() << "reduce_type must be from 0 to 4, found " << kind;
  Value combined = group.reduce(x, reduction->kind);
  if (!reduction->isMean)
    return SmallVector<Value>{combined};
  TensorBuilder e(group.getBuilder(), group.op());
  return SmallVector<Value>{e.wrap(combined) / static_cast<double>(group.size())};
}

/// Slices along dimension 0 for each process, as dimension 1 of [1, n, k, ...].
GroupResults exchange(ProcessGroupBuilder &group, Value x) {
  TensorBuilder e(group.getBuilder(), group.op());
  RankedTensorType type = tensorType(x);
  if (!type.hasStaticShape() || type.getRank() == 0 || type.getDimSize(0) % group.size() != 0)
    return group.op()->emitOpError() << "expected static dims and a first dim that the " << group.size()
                                     << " processes of the group divide, found " << type;
  SmallVector<int64_t> split{1, group.size(), type.getDimSize(0) / group.size()};
  llvm::append_range(split, type.getShape().drop_front());
  Value received = group.exchange(e.reshape(e.wrap(x), split));
  return SmallVector<Value>{e.reshape(e.wrap(received), SmallVector<int64_t>(type.getShape()))};
}

/// Each process has one of equal shards of the elements, in row-major order: a row of x as [n, size / n].
GroupResults completeShards(ProcessGroupBuilder &group, Value x) {
  TensorBuilder e(group.getBuilder(), group.op());
  RankedTensorType type = tensorType(x);
  if (!type.hasStaticShape() || type.getNumElements() % group.size() != 0)
    return group.op()->emitOpError() << "expected static dims and a number of elements that the "
                                     << group.size() << " processes of the group divide, found " << type;
  Value rows = e.reshape(e.wrap(x), {group.size(), type.getNumElements() / group.size()});
  Value index = e.reshape(e.wrap(group.byRank(multiples(group.size(), 1))), {1});
  Value own = e.create<GatherOp>(rows, index, Value(), 0);
  return SmallVector<Value>{e.reshape(e.wrap(group.gather(own, 0)), SmallVector<int64_t>(type.getShape()))};
}

/// Tokens for experts, of which each process has `experts`: numbers of rows by process and expert.
class ExpertRows {
public:
  ExpertRows(TensorBuilder &e, Value counts, int64_t processes, int64_t experts)
      : e(e), processes(processes), experts(experts),
        counts(e.reshape(e.cast(e.wrap(counts), IntegerType::get(counts.getContext(), 64)),
                         {processes, experts})) {}

  /// The number of rows of each process.
  Value ofProcesses() { return e.sum(counts, {1}, /*keepdim=*/false); }

  /// Rows in the order of processes and then experts become rows in the order of experts and then processes.
  Value byExpert(Value x) {
    return reordered(x, transposed(startsOf(counts, processes, experts)), transposed(counts));
  }
  /// The reverse.
  Value byProcess(Value x) {
    return reordered(x, transposed(startsOf(transposed(counts), experts, processes)), counts);
  }

private:
  Expression transposed(Expression x) { return e.transpose(x, {1, 0}); }
  Expression flat(Expression x) { return e.reshape(x, {processes * experts}); }

  /// Where the rows of each number begin.
  Expression startsOf(Expression values, int64_t rows, int64_t columns) {
    Value starts = e.create<CumsumOp>(flat(values), Value(), int64_t(0), false, /*exclusive=*/true, false);
    return e.reshape(e.wrap(starts), {rows, columns});
  }

  Value reordered(Value x, Expression starts, Expression lengths) {
    Value rows = e.create<RangesOp>(flat(starts), flat(lengths));
    return e.create<GatherOp>(x, rows, Value(), 0);
  }

  TensorBuilder &e;
  int64_t processes, experts;
  Expression counts;
};

/// Rows to or back from the experts of all processes.
template <class Op> GroupResults exchangeWithExperts(ProcessGroupBuilder &group, Op op) {
  int64_t count = tensorType(op.getLocalCount()).getDimSize(0);
  for (Value counts : {op.getLocalCount(), op.getGlobalCount()})
    if (tensorType(counts).getDimSize(0) != count || ShapedType::isDynamic(count) ||
        count % group.size() != 0)
      return op.emitOpError() << "expected counts whose static size " << group.size()
                              << ", the number of processes of the group, divides; found "
                              << op.getLocalCount().getType() << " and " << op.getGlobalCount().getType();
  TensorBuilder e(group.getBuilder(), op);
  ExpertRows local(e, op.getLocalCount(), group.size(), count / group.size());
  ExpertRows global(e, op.getGlobalCount(), group.size(), count / group.size());
  if constexpr (std::is_same_v<Op, GlobalScatterOp>)
    return SmallVector<Value>{
        global.byExpert(group.exchangeRows(op.getX(), local.ofProcesses(), global.ofProcesses()))};
  else
    return SmallVector<Value>{
        group.exchangeRows(global.byProcess(op.getX()), global.ofProcesses(), local.ofProcesses())};
}

/// Elements of one of `num` equal shards in row-major order.
template <class Op> FailureOr<int64_t> shardSize(Op op, RankedTensorType whole) {
  auto num = static_cast<int64_t>(op.getNum());
  if (!whole.hasStaticShape() || whole.getNumElements() % num != 0)
    return op.emitOpError() << "expected static dims and a number of elements that num = " << num
                            << " divides, found " << whole;
  return whole.getNumElements() / num;
}

GroupResults sendShard(ProcessGroupBuilder &group, PartialSendOp op) {
  RankedTensorType whole = tensorType(op.getX());
  FailureOr<int64_t> size = shardSize(op, whole);
  if (failed(size))
    return failure();
  TensorBuilder e(group.getBuilder(), op);
  Expression flat = e.reshape(e.wrap(op.getX()), {whole.getNumElements()});
  int64_t begin = static_cast<int64_t>(op.getId()) * *size;
  if (failed(group.send(slice(flat, 0, begin, begin + *size), static_cast<int64_t>(op.getPeer()))))
    return failure();
  return SmallVector<Value>();
}

/// The other shards are zero: a partial_allgather completes the tensor.
GroupResults receiveShard(ProcessGroupBuilder &group, PartialRecvOp op) {
  RankedTensorType whole = tensorType(op.getOut());
  FailureOr<int64_t> size = shardSize(op, whole);
  if (failed(size))
    return failure();
  auto type = RankedTensorType::get({*size}, whole.getElementType());
  FailureOr<Value> shard = group.receive(type, static_cast<int64_t>(op.getPeer()));
  if (failed(shard))
    return failure();
  TensorBuilder e(group.getBuilder(), op);
  int64_t begin = static_cast<int64_t>(op.getId()) * *size;
  Value flat = e.create<PadOp>(*shard, SmallVector<int64_t>{begin, whole.getNumElements() - begin - *size},
                               llvm::APFloat(0.0));
  return SmallVector<Value>{e.reshape(e.wrap(flat), SmallVector<int64_t>(whole.getShape()))};
}

/// Indices relative to the process's first one, which is its rank times `size`.
Expression indicesOnProcess(ProcessGroupBuilder &group, TensorBuilder &e, Value indices, int64_t size) {
  Expression start = e.wrap(group.byRank(multiples(group.size(), size)));
  return e.wrap(indices) - e.cast(start, tensorType(indices).getElementType());
}

/// The op on indices that begin at 0.
GroupResults embed(ProcessGroupBuilder &group, CEmbeddingOp op) {
  int64_t rows = tensorType(op.getWeight()).getDimSize(0), start = static_cast<int64_t>(op.getStartIndex());
  if (ShapedType::isDynamic(rows))
    return op.emitOpError() << "expected a static number of rows of the weight";
  if (start != group.rank() * rows)
    return op.emitOpError() << "expected the start_index " << group.rank() * rows << " on process "
                            << group.rank() << " of the process group, for " << rows << " rows; found "
                            << start;
  TensorBuilder e(group.getBuilder(), op);
  Value ids = indicesOnProcess(group, e, op.getX(), rows);
  auto moved = cast<CEmbeddingOp>(group.getBuilder().clone(*op));
  moved->setOperand(1, ids);
  moved.setStartIndex(0);
  return SmallVector<Value>{moved.getOut()};
}

/// softmax = exp(x - max) / sum(exp(x - max)) and loss = log(sum) - (x[label] - max), where max, sum and
/// x[label] are over all processes; 0 where the label is ignore_index.
GroupResults crossEntropy(ProcessGroupBuilder &group, CSoftmaxWithCrossEntropyOp op) {
  int64_t axis = lastDim(op.getLogits()), classes = tensorType(op.getLogits()).getDimSize(axis);
  if (ShapedType::isDynamic(classes))
    return op.emitOpError() << "expected a static number of classes";
  TensorBuilder e(group.getBuilder(), op);
  Expression logits = e.wrap(op.getLogits());
  auto reduce = [&](Expression x, ReductionKind kind) { return e.wrap(group.reduce(x, kind)); };
  Expression moved = logits - reduce(e.max(logits, {axis}), ReductionKind::Maximum);
  Expression exps = e.exp(moved);
  Expression sum = reduce(e.sum(exps, {axis}), ReductionKind::Sum);
  Expression index = indicesOnProcess(group, e, op.getLabel(), classes);
  Expression isLabel = iota(e, DimSize(classes), index.type().getElementType()) == index;
  Expression atLabel = reduce(e.sum(e.select(isLabel, moved, 0.0), {axis}), ReductionKind::Sum);
  Expression isIgnored =
      e.equal(e.wrap(op.getLabel()), static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex())));
  return e.results({exps / sum, e.select(isIgnored, 0.0, e.log(sum) - atLabel)});
}

/// The process group in which the results of the processes are added.
std::optional<int64_t> groupOfSum(Operation *op) {
  for (Operation *user : op->getUsers())
    if (isa<CAllreduceSumOp, MpAllreduceSumOp, AllReduceOp>(user))
      return user->getAttrOfType<IntegerAttr>("ring_id").getInt();
  return std::nullopt;
}

/// The value outside of a gradient that is its argument inside.
Value outside(Value x) {
  auto argument = dyn_cast<BlockArgument>(x);
  auto gradient = argument ? dyn_cast<VjpOp>(argument.getOwner()->getParentOp()) : VjpOp();
  return gradient ? outside(gradient.getInputs()[argument.getArgNumber()]) : x;
}

LogicalResult checkProcesses(ProcessGroupBuilder &group) {
  Operation *op = group.op();
  auto ranks = op->getAttrOfType<IntegerAttr>("nranks");
  bool isUnknown = ranks && ranks.getInt() == 0; // then the rank is unknown too
  if (ranks && !isUnknown && ranks.getInt() != group.size())
    return op->emitOpError() << "nranks is " << ranks.getInt() << ", expected " << group.size()
                             << ", the size of the axes of its process group";
  for (StringRef name : {"root", "peer"})
    if (auto process = op->getAttrOfType<IntegerAttr>(name); process && process.getInt() >= group.size())
      return op->emitOpError() << name << " is " << process.getInt() << ", expected less than "
                               << group.size() << ", the size of the axes of its process group";
  auto rank = op->getAttrOfType<IntegerAttr>("rank");
  if (rank && !isUnknown && rank.getInt() != group.rank())
    return op->emitOpError() << "rank is " << rank.getInt() << ", expected " << group.rank()
                             << ", the rank of the program in its process group (option rank)";
  return success();
}

} // namespace

std::optional<GroupReduction> reductionOfKind(int64_t index) {
  constexpr std::array kinds{ReductionKind::Sum, ReductionKind::Maximum, ReductionKind::Minimum,
                             ReductionKind::Product, ReductionKind::Sum};
  constexpr int64_t mean = 4;
  if (index < 0 || index >= static_cast<int64_t>(kinds.size()))
    return std::nullopt;
  return GroupReduction{kinds[static_cast<size_t>(index)], index == mean};
}

bool isProcessGroupComposite(Operation *op) { return isa<CEmbeddingOp, CSoftmaxWithCrossEntropyOp>(op); }

bool isProcessGroupOp(Operation *op) {
  return isa<CAllreduceSumOp, CAllreduceMaxOp, CAllreduceMinOp, CAllreduceProdOp, MpAllreduceSumOp,
             CReduceSumOp, CReduceMaxOp, CReduceMinOp, CReduceProdOp, AllReduceOp, ReduceOp, BroadcastOp,
             AllGatherOp, CConcatOp, ReduceScatterOp, CScatterOp, AllToAllOp, PartialAllgatherOp, CSplitOp,
             SendV2Op, RecvV2Op, PartialSendOp, PartialRecvOp, GlobalScatterOp, GlobalGatherOp>(op);
}

bool namesProcessGroup(Operation *op) { return op->hasAttr("ring_id"); }

bool isOfModelShards(Operation *op) {
  return isa<CIdentityOp, MpAllreduceSumOp, CSplitOp, CConcatOp, CEmbeddingOp, CSoftmaxWithCrossEntropyOp>(
      op);
}

bool hasProcessGroupDerivative(Operation *op) {
  return isProcessGroupOp(op) || isa<CIdentityOp, CSoftmaxWithCrossEntropyOp>(op);
}

std::optional<int64_t> processGroupOf(Operation *op) {
  if (auto group = op->getAttrOfType<IntegerAttr>("ring_id"))
    return group.getInt();
  if (std::optional<int64_t> group = groupOfSum(op))
    return group;
  auto gradient = dyn_cast<CEmbeddingOp>(op);
  if (!gradient)
    return std::nullopt;
  for (Operation *user : outside(gradient.getWeight()).getUsers())
    if (auto other = dyn_cast<CEmbeddingOp>(user); other && other.getStartIndex() == gradient.getStartIndex())
      if (std::optional<int64_t> group = groupOfSum(other))
        return group;
  return std::nullopt;
}

GroupResults createInProcessGroup(ProcessGroupBuilder &group) {
  using R = GroupResults;
  if (failed(checkProcesses(group)))
    return failure();
  auto reduce = [&](Value x, ReductionKind kind) -> R { return SmallVector<Value>{group.reduce(x, kind)}; };
  return llvm::TypeSwitch<Operation *, R>(group.op())
      .Case<CAllreduceSumOp, MpAllreduceSumOp, CReduceSumOp>(
          [&](auto op) { return reduce(op.getX(), ReductionKind::Sum); })
      .Case<CAllreduceMaxOp, CReduceMaxOp>([&](auto op) { return reduce(op.getX(), ReductionKind::Maximum); })
      .Case<CAllreduceMinOp, CReduceMinOp>([&](auto op) { return reduce(op.getX(), ReductionKind::Minimum); })
      .Case<CAllreduceProdOp, CReduceProdOp>(
          [&](auto op) { return reduce(op.getX(), ReductionKind::Product); })
      .Case<AllReduceOp, ReduceOp>(
          [&](auto op) { return reduceByKind(group, op.getX(), static_cast<int64_t>(op.getReduceType())); })
      .Case([&](BroadcastOp op) -> R {
        return SmallVector<Value>{group.broadcast(op.getX(), static_cast<int64_t>(op.getRoot()))};
      })
      .Case([&](AllGatherOp op) -> R { return SmallVector<Value>{group.gather(op.getX(), 0)}; })
      .Case(
          [&](CConcatOp op) -> R { return SmallVector<Value>{group.gather(op.getX(), lastDim(op.getX()))}; })
      .Case([&](ReduceScatterOp op) -> R { return SmallVector<Value>{group.reduceScatter(op.getX(), 0)}; })
      .Case([&](CScatterOp op) -> R {
        return SmallVector<Value>{
            group.shard(group.broadcast(op.getX(), static_cast<int64_t>(op.getRoot())), 0)};
      })
      .Case([&](AllToAllOp op) { return exchange(group, op.getX()); })
      .Case([&](PartialAllgatherOp op) { return completeShards(group, op.getX()); })
      .Case([&](CSplitOp op) -> R { return SmallVector<Value>{group.shard(op.getX(), lastDim(op.getX()))}; })
      .Case([&](SendV2Op op) -> R {
        if (failed(group.send(op.getX(), static_cast<int64_t>(op.getPeer()))))
          return failure();
        return SmallVector<Value>();
      })
      .Case([&](RecvV2Op op) -> R {
        FailureOr<Value> value = group.receive(tensorType(op.getOut()), static_cast<int64_t>(op.getPeer()));
        if (failed(value))
          return failure();
        return SmallVector<Value>{*value};
      })
      .Case([&](PartialSendOp op) { return sendShard(group, op); })
      .Case([&](PartialRecvOp op) { return receiveShard(group, op); })
      .Case<GlobalScatterOp, GlobalGatherOp>([&](auto op) { return exchangeWithExperts(group, op); })
      .Case([&](CEmbeddingOp op) { return embed(group, op); })
      .Case([&](CSoftmaxWithCrossEntropyOp op) { return crossEntropy(group, op); })
      .Default([](Operation *op) -> R { return op->emitOpError() << "is not an op of a process group"; });
}

Value createAllReduce(OpBuilder &builder, Location location, Value x, ReductionKind kind, int64_t group) {
  switch (kind) {
  case ReductionKind::Maximum:
    return CAllreduceMaxOp::create(builder, location, x, group);
  case ReductionKind::Minimum:
    return CAllreduceMinOp::create(builder, location, x, group);
  case ReductionKind::Product:
    return CAllreduceProdOp::create(builder, location, x, group);
  default:
    return CAllreduceSumOp::create(builder, location, x, group);
  }
}

} // namespace proa::pd
