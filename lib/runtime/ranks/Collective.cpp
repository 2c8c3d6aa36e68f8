#include "lib/runtime/ranks/Collective.h"

#include "lib/base/spmd/Reshard.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"
#include "lib/runtime/ranks/Reduce.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

int64_t productOf(std::span<const int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies());
}

std::vector<int64_t> stridesOf(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;)
    strides[d - 1] = strides[d] * dims[d];
  return strides;
}

/// Copies the elements of a transfer between tensors of these dims.
void copyTransfer(const spmd::Transfer &transfer, size_t elementBytes, std::span<const int64_t> sourceDims,
                  const void *source, std::span<const int64_t> targetDims, void *target) {
  if (transfer.count() == 0)
    return;
  std::vector<int64_t> from = stridesOf(sourceDims), to = stridesOf(targetDims);
  size_t rank = transfer.dims.size();
  // One copy for each choice of a segment in each dimension.
  std::vector<size_t> choice(rank, 0);
  while (true) {
    std::vector<CopyAxis> axes;
    int64_t sourceOffset = 0, targetOffset = 0;
    for (size_t d = 0; d < rank; ++d) {
      const spmd::Segment &segment = transfer.dims[d][choice[d]];
      axes.push_back({segment.size, from[d], to[d]});
      sourceOffset += segment.source * from[d];
      targetOffset += segment.target * to[d];
    }
    stridedCopy(elementBytes, std::move(axes),
                static_cast<const std::byte *>(source) + sourceOffset * static_cast<int64_t>(elementBytes),
                static_cast<std::byte *>(target) + targetOffset * static_cast<int64_t>(elementBytes));
    size_t d = rank;
    while (d > 0 && ++choice[d - 1] == transfer.dims[d - 1].size())
      choice[--d] = 0;
    if (d == 0)
      return;
  }
}

Move moveOf(const spmd::Transfer &transfer, int64_t rank) {
  Move move{rank, transfer, transfer, transfer.count(), {}};
  for (size_t d = 0; d < transfer.dims.size(); ++d) {
    int64_t offset = 0;
    for (size_t i = 0; i < transfer.dims[d].size(); ++i) {
      move.pack.dims[d][i].target = move.unpack.dims[d][i].source = offset;
      offset += transfer.dims[d][i].size;
    }
    move.dims.push_back(offset);
  }
  return move;
}

/// One exchange between this rank and others: one round, or two of an all_reduce.
class ExchangeRounds final : public Rounds {
public:
  /// `communicator` may be null.
  ExchangeRounds(Communicator *communicator, const RankExchange &exchange, const ExchangeBuffers &buffers,
                 int64_t channel)
      : communicator(communicator), exchange(exchange), dtype(buffers.dtype), source(buffers.source),
        target(buffers.target), bytes(sizeOf(dtype)), self(communicator ? communicator->rank() : -1),
        channel(channel) {}

  Result<std::optional<Round>> next(std::span<Incoming> received) override {
    switch (stage++) {
    case 0:
      if (exchange.fill)
        if (Result<void> done = fillNeutral(*exchange.fill, dtype, productOf(exchange.targetDims), target);
            !done)
          return done.diagnostics();
      if (exchange.group.empty())
        return someOrLast(firstRound());
      if (exchange.group.size() > 1)
        return std::optional(firstRoundOfSum());
      std::memcpy(target, source, static_cast<size_t>(productOf(exchange.sourceDims)) * bytes);
      return std::optional<Round>();
    case 1:
      if (exchange.group.empty())
        return last(exchange.reduction ? combine(received) : place(received), received);
      if (Result<void> done = combineOwnShard(received); !done || isWhole)
        return last(done, received);
      recycle(received);
      return std::optional(secondRoundOfSum());
    default:
      placeShards(received);
      return last({}, received);
    }
  }

private:
  /// Whether the elements are copied from the source. A receive has none: its rank sends to itself before.
  /// (The source of an empty tensor may be null too.)
  bool isOwn(const Move &move) const {
    return (source || move.count == 0) && (!communicator || move.rank == self);
  }

  /// The end, after the last messages.
  Result<std::optional<Round>> last(const Result<void> &done, std::span<Incoming> received) const {
    recycle(received);
    return done ? Result<std::optional<Round>>(std::optional<Round>()) : done.diagnostics();
  }
  /// A round; the end, if it has no messages.
  Result<std::optional<Round>> someOrLast(Round round) {
    if (!round.outgoing.empty() || !round.incoming.empty())
      return std::optional(std::move(round));
    return next({});
  }

  Round firstRound() const {
    Round round;
    for (const Move &move : exchange.sends)
      if (move.rank != self || move.count > 0)
        round.outgoing.push_back({move.rank, packed(move), channel});
    for (const Move &move : exchange.receives)
      if (!isOwn(move))
        round.incoming.push_back({move.rank, static_cast<size_t>(move.count) * bytes, channel});
    return round;
  }

  MessageBuffer newBuffer(size_t size) const {
    return communicator ? communicator->takeBuffer(size) : MessageBuffer(size);
  }
  void recycle(std::span<Incoming> messages) const {
    for (Incoming &message : messages)
      communicator->recycle(std::move(message.buffer));
  }

  MessageBuffer packed(const Move &move) const {
    MessageBuffer buffer = newBuffer(static_cast<size_t>(move.count) * bytes);
    copyTransfer(move.pack, bytes, exchange.sourceDims, source, move.dims, buffer.data());
    return buffer;
  }

  Result<void> place(std::span<Incoming> incoming) const {
    size_t next = 0;
    for (const Move &move : exchange.receives)
      if (!isOwn(move)) {
        copyTransfer(move.unpack, bytes, move.dims, incoming[next++].buffer.data(), exchange.targetDims,
                     target);
      } else {
        spmd::Transfer direct = move.pack;
        for (size_t d = 0; d < direct.dims.size(); ++d)
          for (size_t i = 0; i < direct.dims[d].size(); ++i)
            direct.dims[d][i].target = move.unpack.dims[d][i].target;
        copyTransfer(direct, bytes, exchange.sourceDims, source, exchange.targetDims, target);
      }
    return {};
  }

  Result<void> combine(std::span<Incoming> incoming) const {
    std::vector<const void *> terms;
    MessageBuffer own;
    size_t next = 0;
    for (const Move &move : exchange.receives)
      if (isOwn(move)) {
        own = packed(move);
        terms.push_back(own.data());
      } else {
        terms.push_back(incoming[next++].buffer.data());
      }
    return reduceTerms(*exchange.reduction, dtype, terms, productOf(exchange.targetDims), target);
  }

  /// The bytes of shard `i` of a tensor, as a message.
  MessageBuffer shardOf(const void *data, size_t i) const {
    spmd::Range range = shardRange(i);
    MessageBuffer buffer = newBuffer(static_cast<size_t>(range.size()) * bytes);
    std::memcpy(buffer.data(), static_cast<const std::byte *>(data) + range.begin * int64_t(bytes),
                buffer.size());
    return buffer;
  }
  spmd::Range shardRange(size_t i) const {
    return spmd::shardRange(productOf(exchange.sourceDims), static_cast<int64_t>(shards),
                            static_cast<int64_t>(i));
  }
  std::byte *addressOf(const spmd::Range &range) const {
    return static_cast<std::byte *>(target) + range.begin * int64_t(bytes);
  }

  /// Each rank combines one shard in the order of the ranks and sends it to the others: all get the same
  /// bits.
  Round firstRoundOfSum() {
    size_t members = exchange.group.size();
    isWhole = spmd::sumsInOneRound(int64_t(members), productOf(exchange.sourceDims) * int64_t(bytes));
    own = static_cast<size_t>(std::ranges::find(exchange.group, self) - exchange.group.begin());
    shards = isWhole ? 1 : members;
    Round round;
    for (size_t i = 0; i < members; ++i) {
      if (i == own)
        continue;
      round.outgoing.push_back({exchange.group[i], shardOf(source, isWhole ? 0 : i), channel});
      round.incoming.push_back({exchange.group[i], static_cast<size_t>(ownRange().size()) * bytes, channel});
    }
    return round;
  }
  spmd::Range ownRange() const { return shardRange(isWhole ? 0 : own); }

  Result<void> combineOwnShard(std::span<Incoming> incoming) const {
    spmd::Range range = ownRange();
    std::vector<const void *> terms;
    for (size_t i = 0; i < exchange.group.size(); ++i)
      terms.push_back(i == own ? static_cast<const std::byte *>(source) + range.begin * int64_t(bytes)
                               : incoming[i - (i > own)].buffer.data());
    return reduceTerms(*exchange.reduction, dtype, terms, range.size(), addressOf(range));
  }

  Round secondRoundOfSum() const {
    Round round;
    for (size_t i = 0; i < shards; ++i) {
      if (i == own)
        continue;
      round.outgoing.push_back({exchange.group[i], shardOf(target, own), channel});
      round.incoming.push_back(
          {exchange.group[i], static_cast<size_t>(shardRange(i).size()) * bytes, channel});
    }
    return round;
  }

  void placeShards(std::span<Incoming> incoming) const {
    for (size_t i = 0; i < shards; ++i)
      if (i != own)
        std::memcpy(addressOf(shardRange(i)), incoming[i - (i > own)].buffer.data(),
                    incoming[i - (i > own)].buffer.size());
  }

  Communicator *communicator;
  const RankExchange &exchange;
  DType dtype;
  const void *source;
  void *target;
  size_t bytes;
  int64_t self, channel;
  int stage = 0; ///< the number of rounds that are done
  // Of an all_reduce: the number of shards of the tensor, and the index of this rank in the group.
  bool isWhole = false;
  size_t shards = 1, own = 0;
};

/// "all_reduce of float32[8, ?], [{x}] to [{}], collective 3".
std::string textOf(const PlacementStep &step, DType dtype) {
  std::string dims;
  for (int64_t dim : step.dims)
    dims += (dims.empty() ? "" : ", ") + (dim == dynamicDim ? "?" : std::to_string(dim));
  return fmt::format("{} of {}[{}], {} to {}, collective {}", nameOf(step.kind), nameOf(dtype), dims,
                     toText(step.mesh, step.from), toText(step.mesh, step.to), step.index);
}

} // namespace

RankExchange::RankExchange(const spmd::Exchange &exchange, const std::function<int64_t(int64_t)> &rankOf)
    : sourceDims(exchange.sourceDims), targetDims(exchange.targetDims), reduction(exchange.reduction),
      fill(exchange.fill), isEven(exchange.isEven) {
  for (const spmd::Transfer &transfer : exchange.sends)
    sends.push_back(moveOf(transfer, rankOf(transfer.position)));
  for (const spmd::Transfer &transfer : exchange.receives)
    receives.push_back(moveOf(transfer, rankOf(transfer.position)));
  for (int64_t position : exchange.group)
    group.push_back(rankOf(position));
}

Result<void> runExchange(Communicator *communicator, const Operation &operation, const RankExchange &exchange,
                         const ExchangeBuffers &buffers, int64_t channel) {
  ExchangeRounds rounds(communicator, exchange, buffers, channel);
  if (communicator)
    return communicator->run(operation, rounds);
  Result<std::optional<Rounds::Round>> end = rounds.next({});
  return end ? Result<void>() : Result<void>(end.diagnostics());
}

Result<std::unique_ptr<StartedWork>> startExchange(Communicator &communicator, const Operation &operation,
                                                   const RankExchange &exchange,
                                                   const ExchangeBuffers &buffers, int64_t channel) {
  /// Without a wait the run has failed: Communicator::fail has ended the operation.
  class Work final : public StartedWork {
  public:
    Work(Communicator &communicator, int64_t channel) : communicator(communicator), channel(channel) {}
    Result<void> wait() override { return communicator.wait(channel); }

  private:
    Communicator &communicator;
    int64_t channel;
  };
  auto rounds = std::make_unique<ExchangeRounds>(&communicator, exchange, buffers, channel);
  if (Result<void> done = communicator.start(operation, channel, std::move(rounds)); !done)
    return done.diagnostics();
  return std::unique_ptr<StartedWork>(std::make_unique<Work>(communicator, channel));
}

int64_t channelOfTransfer(int64_t channel) { return channel + 1; } // 0 is for collectives
int64_t channelOfStarted(int64_t index) { return transferChannels + 1 + index; }

Result<int64_t> positionOfRank(const spmd::Mesh &mesh, int64_t rank) {
  if (std::optional<int64_t> position = spmd::positionOf(mesh, rank))
    return *position;
  return errorAt("",
                 fmt::format("rank {} is not a device of the mesh, which has {} devices", rank, mesh.size()));
}

StepExecution::StepExecution(const PlacementStep &step, DType dtype)
    : step(step), dtype(dtype), what{textOf(step, dtype)} {
  for (size_t d = 0; d < step.dims.size(); ++d)
    exchangesSizes |= step.dims[d] == dynamicDim && step.from.dims[d].shardCount() > 1;
}

/// Sizes that are not known before the run follow from the sizes of the local tensors.
Result<std::vector<int64_t>> StepExecution::globalDims(Communicator *communicator, int64_t position,
                                                       std::span<const int64_t> localDims) const {
  std::vector<int64_t> dims = step.dims;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] == dynamicDim)
      dims[d] = localDims[d];
  if (!exchangesSizes)
    return dims;
  std::vector<std::vector<int64_t>> sizes(static_cast<size_t>(step.mesh.size()));
  sizes[static_cast<size_t>(position)].assign(localDims.begin(), localDims.end());
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int64_t other = 0; other < step.mesh.size(); ++other) {
    if (other == position)
      continue;
    MessageBuffer buffer(localDims.size_bytes());
    std::memcpy(buffer.data(), localDims.data(), localDims.size_bytes());
    outgoing.push_back({step.mesh.deviceAt(other), std::move(buffer)});
    incoming.push_back({step.mesh.deviceAt(other), localDims.size_bytes()});
  }
  if (Result<void> done = communicator->exchange(what, std::move(outgoing), incoming); !done)
    return done.diagnostics();
  for (size_t i = 0, other = 0; i < incoming.size(); ++i, ++other) {
    other += static_cast<int64_t>(other) == position;
    sizes[other].resize(localDims.size());
    std::memcpy(sizes[other].data(), incoming[i].buffer.data(), localDims.size_bytes());
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const spmd::DimPlacement &dim = step.from.dims[d];
    if (step.dims[d] != dynamicDim || dim.shardCount() == 1)
      continue;
    std::vector<int64_t> sizeOfShard(static_cast<size_t>(dim.shardCount()));
    for (int64_t other = 0; other < step.mesh.size(); ++other)
      sizeOfShard[static_cast<size_t>(step.mesh.shardOf(dim.axes, other))] =
          sizes[static_cast<size_t>(other)][d];
    dims[d] = std::accumulate(sizeOfShard.begin(), sizeOfShard.end(), int64_t(0));
  }
  return dims;
}

Result<std::span<const int64_t>> StepExecution::plan(Communicator *communicator,
                                                     std::span<const int64_t> localDims) {
  if (!communicator && step.mesh.size() > 1)
    return errorAt("", fmt::format("the program is for {} ranks, but this run has one", step.mesh.size()));
  Result<int64_t> position = communicator ? positionOfRank(step.mesh, communicator->rank()) : int64_t(0);
  if (!position)
    return position.diagnostics();
  if (localDims.size() != step.dims.size())
    return errorAt("",
                   fmt::format("the operand has rank {}, expected {}", localDims.size(), step.dims.size()));
  Result<std::vector<int64_t>> dims = globalDims(communicator, *position, localDims);
  if (!dims)
    return dims.diagnostics();
  if (!isPlanned || *dims != plannedDims) {
    spmd::Exchange planned = planExchange(step.kind, step.mesh, step.from, step.to, *dims, *position);
    exchange = RankExchange(planned, [&](int64_t other) { return step.mesh.deviceAt(other); });
    plannedDims = std::move(*dims);
    isPlanned = true;
  }
  if (!std::ranges::equal(exchange.sourceDims, localDims))
    return errorAt("", fmt::format("the operand has the dims [{}]; the shard of [{}] at {} has [{}]",
                                   fmt::join(localDims, ", "), fmt::join(plannedDims, ", "),
                                   toText(step.mesh, step.from), fmt::join(exchange.sourceDims, ", ")));
  return std::span<const int64_t>(exchange.targetDims);
}

Result<void> StepExecution::run(Communicator *communicator, const void *source, void *target) const {
  return runExchange(communicator, what, exchange, {dtype, source, target});
}

Result<std::unique_ptr<StartedWork>> StepExecution::start(Communicator &communicator, const void *source,
                                                          void *target) const {
  return startExchange(communicator, what, exchange, {dtype, source, target}, channelOfStarted(step.index));
}

Result<Tensor> applyStep(Communicator *communicator, const PlacementStep &step, const Tensor &local) {
  StepExecution execution(step, local.dtype());
  Result<std::span<const int64_t>> dims = execution.plan(communicator, local.dims());
  if (!dims)
    return dims.diagnostics();
  Tensor result(local.dtype(), {dims->begin(), dims->end()});
  if (Result<void> done = execution.run(communicator, local.data(), result.data()); !done)
    return done.diagnostics();
  return result;
}

Result<Tensor> localShard(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
                          int64_t rank) {
  Result<int64_t> position = positionOfRank(mesh, rank);
  if (!position)
    return position.diagnostics();
  if (!placement.partial.empty())
    return errorAt("", fmt::format("the placement {} is partial", toText(mesh, placement)));
  auto replicated = spmd::Placement::replicated(static_cast<int64_t>(whole.dims().size()));
  spmd::Exchange exchange =
      planExchange(spmd::StepKind::Slice, mesh, replicated, placement, whole.dims(), *position);
  Tensor local(whole.dtype(), exchange.targetDims);
  Result<void> done = runExchange(nullptr, {}, RankExchange(exchange, [](int64_t p) { return p; }),
                                  {whole.dtype(), whole.data(), local.data()});
  if (!done)
    return done.diagnostics();
  return local;
}

/// The devices of the mesh send their shards to all ranks.
static Result<Tensor> sendToAll(Communicator &communicator, const spmd::Mesh &mesh,
                                const spmd::Placement &placement, std::span<const int64_t> dims,
                                const Tensor &local, const std::string &name) {
  spmd::Mesh all{{{"ranks", communicator.size()}}};
  auto replicated = spmd::Placement::replicated(static_cast<int64_t>(dims.size()));
  RankExchange exchange(planMove(mesh, placement, all, replicated, dims, communicator.rank()),
                        [](int64_t device) { return device; });
  Tensor whole(local.dtype(), {dims.begin(), dims.end()});
  // The rank's own shard needs no message.
  bool isHolder = spmd::positionOf(mesh, communicator.rank()).has_value();
  auto isOwn = [&](const Move &move) { return move.rank == communicator.rank(); };
  std::erase_if(exchange.sends, isOwn);
  Operation operation{"the gather of " + name};
  Result<void> done = runExchange(&communicator, operation, exchange,
                                  {local.dtype(), isHolder ? local.data() : nullptr, whole.data()});
  if (!done)
    return done.diagnostics();
  return whole;
}

Result<Tensor> gatherWhole(Communicator *communicator, const spmd::Mesh &mesh,
                           const spmd::Placement &placement, std::span<const int64_t> dims,
                           const Tensor &local, const std::string &name) {
  if (communicator && mesh.size() < communicator->size())
    return sendToAll(*communicator, mesh, placement, dims, local, name);
  auto replicated = spmd::Placement::replicated(static_cast<int64_t>(dims.size()));
  Result<spmd::ReshardPlan> plan = planReshard(mesh, placement, replicated, dims);
  if (!plan)
    return plan.diagnostics();
  Tensor tensor = local;
  PlacementStep step{spmd::StepKind::Slice, mesh, placement, placement, {dims.begin(), dims.end()}};
  for (const spmd::ReshardStep &next : plan->steps) {
    step.kind = next.kind;
    step.from = std::exchange(step.to, next.to);
    Result<Tensor> result = applyStep(communicator, step, tensor);
    if (!result) {
      Diagnostics named;
      for (const Diagnostic &p : result.diagnostics())
        named.add(name, p.message);
      return named;
    }
    tensor = std::move(*result);
  }
  return tensor;
}

} // namespace proa::runtime
