#include "dialects/pd/ops/distributed/Ring.h"

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

using RingResults = FailureOr<SmallVector<Value>>;

int64_t lastDim(Value x) { return tensorType(x).getRank() - 1; }

/// The value of an attribute for each process: rank times `size`.
SmallVector<int64_t> multiples(int64_t count, int64_t size) {
  return llvm::map_to_vector(llvm::seq(count), [&](int64_t i) { return i * size; });
}

RingResults reduceByKind(RingBuilder &ring, Value x, int64_t kind) {
  std::optional<RingReduction> reduction = reductionOfKind(kind);
  if (!reduction)
    return ring.op()->emitOpError() << "reduce_type must be from 0 to 4, found " << kind;
  Value combined = ring.reduce(x, reduction->kind);
  if (!reduction->isMean)
    return SmallVector<Value>{combined};
  TensorBuilder e(ring.getBuilder(), ring.op());
  return SmallVector<Value>{e.wrap(combined) / static_cast<double>(ring.size())};
}

/// Slices along dimension 0 for each process, as dimension 1 of [1, n, k, ...].
RingResults exchange(RingBuilder &ring, Value x) {
  TensorBuilder e(ring.getBuilder(), ring.op());
  RankedTensorType type = tensorType(x);
  if (!type.hasStaticShape() || type.getRank() == 0 || type.getDimSize(0) % ring.size() != 0)
    return ring.op()->emitOpError() << "expected static dims and a first dim that the " << ring.size()
                                    << " processes of the ring divide, found " << type;
  SmallVector<int64_t> split{1, ring.size(), type.getDimSize(0) / ring.size()};
  llvm::append_range(split, type.getShape().drop_front());
  Value received = ring.exchange(e.reshape(e.wrap(x), split));
  return SmallVector<Value>{e.reshape(e.wrap(received), SmallVector<int64_t>(type.getShape()))};
}

/// Each process has one of equal shards of the elements, in row-major order: a row of x as [n, size / n].
RingResults completeShards(RingBuilder &ring, Value x) {
  TensorBuilder e(ring.getBuilder(), ring.op());
  RankedTensorType type = tensorType(x);
  if (!type.hasStaticShape() || type.getNumElements() % ring.size() != 0)
    return ring.op()->emitOpError() << "expected static dims and a number of elements that the "
                                    << ring.size() << " processes of the ring divide, found " << type;
  Value rows = e.reshape(e.wrap(x), {ring.size(), type.getNumElements() / ring.size()});
  Value index = e.reshape(e.wrap(ring.byRank(multiples(ring.size(), 1))), {1});
  Value own = e.create<GatherOp>(rows, index, Value(), 0);
  return SmallVector<Value>{e.reshape(e.wrap(ring.gather(own, 0)), SmallVector<int64_t>(type.getShape()))};
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
template <class Op> RingResults exchangeWithExperts(RingBuilder &ring, Op op) {
  int64_t count = tensorType(op.getLocalCount()).getDimSize(0);
  for (Value counts : {op.getLocalCount(), op.getGlobalCount()})
    if (tensorType(counts).getDimSize(0) != count || ShapedType::isDynamic(count) || count % ring.size() != 0)
      return op.emitOpError() << "expected counts whose static size " << ring.size()
                              << ", the number of processes of the ring, divides; found "
                              << op.getLocalCount().getType() << " and " << op.getGlobalCount().getType();
  TensorBuilder e(ring.getBuilder(), op);
  ExpertRows local(e, op.getLocalCount(), ring.size(), count / ring.size());
  ExpertRows global(e, op.getGlobalCount(), ring.size(), count / ring.size());
  if constexpr (std::is_same_v<Op, GlobalScatterOp>)
    return SmallVector<Value>{
        global.byExpert(ring.exchangeRows(op.getX(), local.ofProcesses(), global.ofProcesses()))};
  else
    return SmallVector<Value>{
        ring.exchangeRows(global.byProcess(op.getX()), global.ofProcesses(), local.ofProcesses())};
}

/// Elements of one of `num` equal shards in row-major order.
template <class Op> FailureOr<int64_t> shardSize(Op op, RankedTensorType whole) {
  auto num = static_cast<int64_t>(op.getNum());
  if (!whole.hasStaticShape() || whole.getNumElements() % num != 0)
    return op.emitOpError() << "expected static dims and a number of elements that num = " << num
                            << " divides, found " << whole;
  return whole.getNumElements() / num;
}

RingResults sendShard(RingBuilder &ring, PartialSendOp op) {
  RankedTensorType whole = tensorType(op.getX());
  FailureOr<int64_t> size = shardSize(op, whole);
  if (failed(size))
    return failure();
  TensorBuilder e(ring.getBuilder(), op);
  Expression flat = e.reshape(e.wrap(op.getX()), {whole.getNumElements()});
  int64_t begin = static_cast<int64_t>(op.getId()) * *size;
  if (failed(ring.send(slice(flat, 0, begin, begin + *size), static_cast<int64_t>(op.getPeer()))))
    return failure();
  return SmallVector<Value>();
}

/// The other shards are zero: a partial_allgather completes the tensor.
RingResults receiveShard(RingBuilder &ring, PartialRecvOp op) {
  RankedTensorType whole = tensorType(op.getOut());
  FailureOr<int64_t> size = shardSize(op, whole);
  if (failed(size))
    return failure();
  auto type = RankedTensorType::get({*size}, whole.getElementType());
  FailureOr<Value> shard = ring.receive(type, static_cast<int64_t>(op.getPeer()));
  if (failed(shard))
    return failure();
  TensorBuilder e(ring.getBuilder(), op);
  int64_t begin = static_cast<int64_t>(op.getId()) * *size;
  Value flat = e.create<PadOp>(*shard, SmallVector<int64_t>{begin, whole.getNumElements() - begin - *size},
                               llvm::APFloat(0.0));
  return SmallVector<Value>{e.reshape(e.wrap(flat), SmallVector<int64_t>(whole.getShape()))};
}

/// Indices relative to those that the process has, which begin at its rank times `size`.
Expression indicesOnProcess(RingBuilder &ring, TensorBuilder &e, Value indices, int64_t size) {
  Expression start = e.wrap(ring.byRank(multiples(ring.size(), size)));
  return e.wrap(indices) - e.cast(start, tensorType(indices).getElementType());
}

/// The op on indices that begin at 0.
RingResults embed(RingBuilder &ring, CEmbeddingOp op) {
  int64_t rows = tensorType(op.getWeight()).getDimSize(0), start = static_cast<int64_t>(op.getStartIndex());
  if (ShapedType::isDynamic(rows))
    return op.emitOpError() << "expected a static number of rows of the weight";
  if (start != ring.rank() * rows)
    return op.emitOpError() << "expected the start_index " << ring.rank() * rows << " on process "
                            << ring.rank() << " of the ring, for " << rows << " rows; found " << start;
  TensorBuilder e(ring.getBuilder(), op);
  Value ids = indicesOnProcess(ring, e, op.getX(), rows);
  auto moved = cast<CEmbeddingOp>(ring.getBuilder().clone(*op));
  moved->setOperand(1, ids);
  moved.setStartIndex(0);
  return SmallVector<Value>{moved.getOut()};
}

/// softmax = exp(x - max) / sum(exp(x - max)) and loss = log(sum) - (x[label] - max), where max, sum and
/// x[label] are over all processes; 0 where the label is ignore_index.
RingResults crossEntropy(RingBuilder &ring, CSoftmaxWithCrossEntropyOp op) {
  int64_t axis = lastDim(op.getLogits()), classes = tensorType(op.getLogits()).getDimSize(axis);
  if (ShapedType::isDynamic(classes))
    return op.emitOpError() << "expected a static number of classes";
  TensorBuilder e(ring.getBuilder(), op);
  Expression logits = e.wrap(op.getLogits());
  auto reduce = [&](Expression x, ReductionKind kind) { return e.wrap(ring.reduce(x, kind)); };
  Expression moved = logits - reduce(e.max(logits, {axis}), ReductionKind::Maximum);
  Expression exps = e.exp(moved);
  Expression sum = reduce(e.sum(exps, {axis}), ReductionKind::Sum);
  Expression index = indicesOnProcess(ring, e, op.getLabel(), classes);
  Expression isLabel = iota(e, DimSize(classes), index.type().getElementType()) == index;
  Expression atLabel = reduce(e.sum(e.select(isLabel, moved, 0.0), {axis}), ReductionKind::Sum);
  Expression isIgnored =
      e.equal(e.wrap(op.getLabel()), static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex())));
  return e.results({exps / sum, e.select(isIgnored, 0.0, e.log(sum) - atLabel)});
}

/// The ring in which the results of the processes are added.
std::optional<int64_t> ringOfSum(Operation *op) {
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

LogicalResult checkProcesses(RingBuilder &ring) {
  Operation *op = ring.op();
  auto ranks = op->getAttrOfType<IntegerAttr>("nranks");
  bool isUnknown = ranks && ranks.getInt() == 0; // then the rank is unknown too
  if (ranks && !isUnknown && ranks.getInt() != ring.size())
    return op->emitOpError() << "nranks is " << ranks.getInt() << ", expected " << ring.size()
                             << ", the size of the axes of its ring";
  for (StringRef name : {"root", "peer"})
    if (auto process = op->getAttrOfType<IntegerAttr>(name); process && process.getInt() >= ring.size())
      return op->emitOpError() << name << " is " << process.getInt() << ", expected less than " << ring.size()
                               << ", the size of the axes of its ring";
  auto rank = op->getAttrOfType<IntegerAttr>("rank");
  if (rank && !isUnknown && rank.getInt() != ring.rank())
    return op->emitOpError() << "rank is " << rank.getInt() << ", expected " << ring.rank()
                             << ", that of the program in its ring (option rank)";
  return success();
}

} // namespace

std::optional<RingReduction> reductionOfKind(int64_t index) {
  constexpr std::array kinds{ReductionKind::Sum, ReductionKind::Maximum, ReductionKind::Minimum,
                             ReductionKind::Product, ReductionKind::Sum};
  constexpr int64_t mean = 4;
  if (index < 0 || index >= static_cast<int64_t>(kinds.size()))
    return std::nullopt;
  return RingReduction{kinds[static_cast<size_t>(index)], index == mean};
}

bool isRingComposite(Operation *op) { return isa<CEmbeddingOp, CSoftmaxWithCrossEntropyOp>(op); }

bool isRingOp(Operation *op) {
  return isa<CAllreduceSumOp, CAllreduceMaxOp, CAllreduceMinOp, CAllreduceProdOp, MpAllreduceSumOp,
             CReduceSumOp, CReduceMaxOp, CReduceMinOp, CReduceProdOp, AllReduceOp, ReduceOp, BroadcastOp,
             AllGatherOp, CConcatOp, ReduceScatterOp, CScatterOp, AllToAllOp, PartialAllgatherOp, CSplitOp,
             SendV2Op, RecvV2Op, PartialSendOp, PartialRecvOp, GlobalScatterOp, GlobalGatherOp>(op);
}

bool isInRing(Operation *op) { return op->hasAttr("ring_id"); }

bool isOfModelShards(Operation *op) {
  return isa<CIdentityOp, MpAllreduceSumOp, CSplitOp, CConcatOp, CEmbeddingOp, CSoftmaxWithCrossEntropyOp>(
      op);
}

bool hasRingDerivative(Operation *op) {
  return isRingOp(op) || isa<CIdentityOp, CSoftmaxWithCrossEntropyOp>(op);
}

std::optional<int64_t> ringOf(Operation *op) {
  if (auto ring = op->getAttrOfType<IntegerAttr>("ring_id"))
    return ring.getInt();
  if (std::optional<int64_t> ring = ringOfSum(op))
    return ring;
  auto gradient = dyn_cast<CEmbeddingOp>(op);
  if (!gradient)
    return std::nullopt;
  for (Operation *user : outside(gradient.getWeight()).getUsers())
    if (auto other = dyn_cast<CEmbeddingOp>(user); other && other.getStartIndex() == gradient.getStartIndex())
      if (std::optional<int64_t> ring = ringOfSum(other))
        return ring;
  return std::nullopt;
}

RingResults createOnRing(RingBuilder &ring) {
  using R = RingResults;
  if (failed(checkProcesses(ring)))
    return failure();
  auto reduce = [&](Value x, ReductionKind kind) -> R { return SmallVector<Value>{ring.reduce(x, kind)}; };
  return llvm::TypeSwitch<Operation *, R>(ring.op())
      .Case<CAllreduceSumOp, MpAllreduceSumOp, CReduceSumOp>(
          [&](auto op) { return reduce(op.getX(), ReductionKind::Sum); })
      .Case<CAllreduceMaxOp, CReduceMaxOp>([&](auto op) { return reduce(op.getX(), ReductionKind::Maximum); })
      .Case<CAllreduceMinOp, CReduceMinOp>([&](auto op) { return reduce(op.getX(), ReductionKind::Minimum); })
      .Case<CAllreduceProdOp, CReduceProdOp>(
          [&](auto op) { return reduce(op.getX(), ReductionKind::Product); })
      .Case<AllReduceOp, ReduceOp>(
          [&](auto op) { return reduceByKind(ring, op.getX(), static_cast<int64_t>(op.getReduceType())); })
      .Case([&](BroadcastOp op) -> R {
        return SmallVector<Value>{ring.broadcast(op.getX(), static_cast<int64_t>(op.getRoot()))};
      })
      .Case([&](AllGatherOp op) -> R { return SmallVector<Value>{ring.gather(op.getX(), 0)}; })
      .Case([&](CConcatOp op) -> R { return SmallVector<Value>{ring.gather(op.getX(), lastDim(op.getX()))}; })
      .Case([&](ReduceScatterOp op) -> R { return SmallVector<Value>{ring.reduceScatter(op.getX(), 0)}; })
      .Case([&](CScatterOp op) -> R {
        return SmallVector<Value>{
            ring.shard(ring.broadcast(op.getX(), static_cast<int64_t>(op.getRoot())), 0)};
      })
      .Case([&](AllToAllOp op) { return exchange(ring, op.getX()); })
      .Case([&](PartialAllgatherOp op) { return completeShards(ring, op.getX()); })
      .Case([&](CSplitOp op) -> R { return SmallVector<Value>{ring.shard(op.getX(), lastDim(op.getX()))}; })
      .Case([&](SendV2Op op) -> R {
        if (failed(ring.send(op.getX(), static_cast<int64_t>(op.getPeer()))))
          return failure();
        return SmallVector<Value>();
      })
      .Case([&](RecvV2Op op) -> R {
        FailureOr<Value> value = ring.receive(tensorType(op.getOut()), static_cast<int64_t>(op.getPeer()));
        if (failed(value))
          return failure();
        return SmallVector<Value>{*value};
      })
      .Case([&](PartialSendOp op) { return sendShard(ring, op); })
      .Case([&](PartialRecvOp op) { return receiveShard(ring, op); })
      .Case<GlobalScatterOp, GlobalGatherOp>([&](auto op) { return exchangeWithExperts(ring, op); })
      .Case([&](CEmbeddingOp op) { return embed(ring, op); })
      .Case([&](CSoftmaxWithCrossEntropyOp op) { return crossEntropy(ring, op); })
      .Default([](Operation *op) -> R { return op->emitOpError() << "is not an op of a ring"; });
}

Value createAllReduce(OpBuilder &builder, Location location, Value x, ReductionKind kind, int64_t ring) {
  switch (kind) {
  case ReductionKind::Maximum:
    return CAllreduceMaxOp::create(builder, location, x, ring);
  case ReductionKind::Minimum:
    return CAllreduceMinOp::create(builder, location, x, ring);
  case ReductionKind::Product:
    return CAllreduceProdOp::create(builder, location, x, ring);
  default:
    return CAllreduceSumOp::create(builder, location, x, ring);
  }
}

} // namespace proa::pd
