#include "lib/runtime/Collective.h"

#include "lib/runtime/Reduce.h"
#include "lib/runtime/kernels/StridedCopy.h"
#include "lib/spmd/Reshard.h"

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

/// One exchange between this rank and others.
class Run {
public:
  Run(Communicator *communicator, const Operation &operation, const RankExchange &exchange, DType dtype,
      int64_t channel)
      : communicator(communicator), operation(operation), exchange(exchange), dtype(dtype),
        bytes(sizeOf(dtype)), self(communicator ? communicator->rank() : -1), channel(channel) {}

  Result<void> run(const void *source, void *target) {
    if (exchange.fill)
      if (Result<void> done = fillNeutral(*exchange.fill, dtype, productOf(exchange.targetDims), target);
          !done)
        return done;
    if (exchange.group.size() > 1)
      return allReduce(source, target);
    if (!exchange.group.empty()) {
      std::memcpy(target, source, static_cast<size_t>(productOf(exchange.sourceDims)) * bytes);
      return {};
    }
    std::vector<Outgoing> outgoing;
    for (const Move &move : exchange.sends)
      outgoing.push_back({move.rank, packed(move, source), channel});
    std::vector<Incoming> incoming;
    for (const Move &move : exchange.receives)
      if (!isOwn(move))
        incoming.push_back({move.rank, static_cast<size_t>(move.count) * bytes, channel});
    if (Result<void> done = communicate(std::move(outgoing), incoming); !done)
      return done;
    Result<void> done =
        exchange.reduction ? combine(source, target, incoming) : place(source, target, incoming);
    recycle(incoming);
    return done;
  }

private:
  bool isOwn(const Move &move) const { return !communicator || move.rank == self; }

  Result<void> communicate(std::vector<Outgoing> outgoing, std::span<Incoming> incoming) {
    if (outgoing.empty() && incoming.empty())
      return {};
    return communicator->exchange(operation, std::move(outgoing), incoming);
  }

  MessageBuffer newBuffer(size_t size) const {
    return communicator ? communicator->takeBuffer(size) : MessageBuffer(size);
  }
  void recycle(std::span<Incoming> messages) const {
    for (Incoming &message : messages)
      communicator->recycle(std::move(message.buffer));
  }

  MessageBuffer packed(const Move &move, const void *source) const {
    MessageBuffer buffer = newBuffer(static_cast<size_t>(move.count) * bytes);
    copyTransfer(move.pack, bytes, exchange.sourceDims, source, move.dims, buffer.data());
    return buffer;
  }

  Result<void> place(const void *source, void *target, std::span<Incoming> incoming) const {
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

  Result<void> combine(const void *source, void *target, std::span<Incoming> incoming) const {
    std::vector<const void *> terms;
    MessageBuffer own;
    size_t next = 0;
    for (const Move &move : exchange.receives)
      if (isOwn(move)) {
        own = packed(move, source);
        terms.push_back(own.data());
      } else {
        terms.push_back(incoming[next++].buffer.data());
      }
    return reduceTerms(*exchange.reduction, dtype, terms, productOf(exchange.targetDims), target);
  }

  /// The bytes of part `i` of a tensor of `count` elements, as a message.
  MessageBuffer partOf(const void *data, int64_t count, size_t i) const {
    spmd::Range range = partRange(count, i);
    MessageBuffer buffer = newBuffer(static_cast<size_t>(range.size()) * bytes);
    std::memcpy(buffer.data(), static_cast<const std::byte *>(data) + range.begin * int64_t(bytes),
                buffer.size());
    return buffer;
  }
  spmd::Range partRange(int64_t count, size_t i) const {
    return spmd::partOf(count, static_cast<int64_t>(parts), static_cast<int64_t>(i));
  }

  /// Each rank combines one part in the order of the ranks and sends it to the others: all get the same bits.
  /// Small tensors are sent whole, which takes one round instead of two.
  Result<void> allReduce(const void *source, void *target) {
    constexpr int64_t smallBytes = 4096;
    int64_t count = productOf(exchange.sourceDims);
    bool isSmall = count * int64_t(bytes) <= smallBytes;
    size_t members = exchange.group.size();
    auto own = static_cast<size_t>(std::ranges::find(exchange.group, self) - exchange.group.begin());
    parts = isSmall ? 1 : members;
    size_t ownPart = isSmall ? 0 : own;
    spmd::Range range = partRange(count, ownPart);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (size_t i = 0; i < members; ++i) {
      if (i == own)
        continue;
      outgoing.push_back({exchange.group[i], partOf(source, count, isSmall ? 0 : i)});
      incoming.push_back({exchange.group[i], static_cast<size_t>(range.size()) * bytes});
    }
    if (Result<void> done = communicate(std::move(outgoing), incoming); !done)
      return done;
    std::vector<const void *> terms;
    for (size_t i = 0; i < members; ++i)
      terms.push_back(i == own ? static_cast<const std::byte *>(source) + range.begin * int64_t(bytes)
                               : incoming[i - (i > own)].buffer.data());
    std::byte *place = static_cast<std::byte *>(target) + range.begin * int64_t(bytes);
    Result<void> reduced = reduceTerms(*exchange.reduction, dtype, terms, range.size(), place);
    recycle(incoming);
    return !reduced || isSmall ? reduced : gatherParts(target, count, own);
  }

  Result<void> gatherParts(void *target, int64_t count, size_t own) {
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (size_t i = 0; i < parts; ++i) {
      if (i == own)
        continue;
      outgoing.push_back({exchange.group[i], partOf(target, count, own)});
      incoming.push_back({exchange.group[i], static_cast<size_t>(partRange(count, i).size()) * bytes});
    }
    if (Result<void> done = communicate(std::move(outgoing), incoming); !done)
      return done;
    for (size_t i = 0; i < parts; ++i)
      if (i != own)
        std::memcpy(static_cast<std::byte *>(target) + partRange(count, i).begin * int64_t(bytes),
                    incoming[i - (i > own)].buffer.data(), incoming[i - (i > own)].buffer.size());
    recycle(incoming);
    return {};
  }

  Communicator *communicator;
  const Operation &operation;
  const RankExchange &exchange;
  DType dtype;
  size_t bytes;
  int64_t self, channel;
  size_t parts = 1; ///< of an all_reduce
};

/// "all_reduce of float32[8, ?], [{x}] to [{}], collective 3".
std::string textOf(const PlacementStep &step, DType dtype) {
  std::string dims;
  for (int64_t dim : step.dims)
    dims += (dims.empty() ? "" : ", ") + (dim == dynamicDim ? "?" : std::to_string(dim));
  return fmt::format("{} of {}[{}], {} to {}, collective {}", nameOf(step.kind), nameOf(dtype), dims,
                     toText(step.mesh, step.from), toText(step.mesh, step.to), step.number);
}

} // namespace

RankExchange::RankExchange(const spmd::Exchange &exchange, const std::function<int64_t(int64_t)> &rankOf)
    : sourceDims(exchange.sourceDims), targetDims(exchange.targetDims), reduction(exchange.reduction),
      fill(exchange.fill) {
  for (const spmd::Transfer &transfer : exchange.sends)
    sends.push_back(moveOf(transfer, rankOf(transfer.position)));
  for (const spmd::Transfer &transfer : exchange.receives)
    receives.push_back(moveOf(transfer, rankOf(transfer.position)));
  for (int64_t position : exchange.group)
    group.push_back(rankOf(position));
}

Result<void> runExchange(Communicator *communicator, const Operation &operation, const RankExchange &exchange,
                         DType dtype, const void *source, void *target, int64_t channel) {
  return Run(communicator, operation, exchange, dtype, channel).run(source, target);
}

Result<int64_t> positionOfRank(const spmd::Mesh &mesh, int64_t rank) {
  if (std::optional<int64_t> position = spmd::positionOf(mesh, rank))
    return *position;
  return errorAt("",
                 fmt::format("rank {} is not a device of the mesh, which has {} devices", rank, mesh.size()));
}

StepExecution::StepExecution(const PlacementStep &step, DType dtype)
    : step(step), dtype(dtype), what{textOf(step, dtype)} {
  for (size_t d = 0; d < step.dims.size(); ++d)
    exchangesSizes |= step.dims[d] == dynamicDim && step.from.dims[d].parts() > 1;
}

/// Sizes that are not known before the run follow from those of the local tensors.
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
    if (step.dims[d] != dynamicDim || dim.parts() == 1)
      continue;
    std::vector<int64_t> sizeOfPart(static_cast<size_t>(dim.parts()));
    for (int64_t other = 0; other < step.mesh.size(); ++other) {
      int64_t part = 0;
      for (const spmd::AxisRef &axis : dim.axes)
        part = part * axis.size + step.mesh.coordinate(axis, other);
      sizeOfPart[static_cast<size_t>(part)] = sizes[static_cast<size_t>(other)][d];
    }
    dims[d] = std::accumulate(sizeOfPart.begin(), sizeOfPart.end(), int64_t(0));
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
    return errorAt("", fmt::format("the operand has the dims [{}]; the part of [{}] at {} has [{}]",
                                   fmt::join(localDims, ", "), fmt::join(plannedDims, ", "),
                                   toText(step.mesh, step.from), fmt::join(exchange.sourceDims, ", ")));
  return std::span<const int64_t>(exchange.targetDims);
}

Result<void> StepExecution::run(Communicator *communicator, const void *source, void *target) const {
  return runExchange(communicator, what, exchange, dtype, source, target);
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

Result<Tensor> localPart(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
                         int64_t rank) {
  Result<int64_t> position = positionOfRank(mesh, rank);
  if (!position)
    return position.diagnostics();
  if (!placement.partial.empty())
    return errorAt("", fmt::format("the placement {} is partial", toText(mesh, placement)));
  spmd::Placement replicated{std::vector<spmd::DimPlacement>(whole.dims().size())};
  spmd::Exchange exchange =
      planExchange(spmd::StepKind::Slice, mesh, replicated, placement, whole.dims(), *position);
  Tensor local(whole.dtype(), exchange.targetDims);
  Result<void> done = runExchange(nullptr, {}, RankExchange(exchange, [](int64_t p) { return p; }),
                                  whole.dtype(), whole.data(), local.data());
  if (!done)
    return done.diagnostics();
  return local;
}

Result<Tensor> gatherWhole(Communicator *communicator, const spmd::Mesh &mesh,
                           const spmd::Placement &placement, std::span<const int64_t> dims,
                           const Tensor &local, const std::string &name) {
  spmd::Placement replicated{std::vector<spmd::DimPlacement>(dims.size())};
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
