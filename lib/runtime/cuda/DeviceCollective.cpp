#include "lib/runtime/cuda/DeviceCollective.h"

#include "lib/runtime/cuda/CudaQueue.h"
#include "lib/runtime/cuda/Extents.h"
#include "lib/runtime/ranks/Collective.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace proa::cuda {
namespace {

using runtime::Communicator;
using runtime::failure;
using runtime::Move;
using runtime::RankExchange;
using runtime::View;
using Dims = std::vector<int64_t>;

Dims stridesOf(std::span<const int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

/// An axis of a copy, in bytes.
struct Axis {
  int64_t size, from, to;
};

/// Copies elements between two tensors in device memory, as rows.
class StridedCopies {
public:
  StridedCopies(CudaQueue &queue, size_t elementBytes) : queue(queue), elementBytes(int64_t(elementBytes)) {}

  /// The elements of a transfer between tensors of these dims.
  Result<void> copy(const spmd::Transfer &transfer, std::span<const int64_t> fromDims, DeviceAddress from,
                    std::span<const int64_t> toDims, DeviceAddress to) {
    if (transfer.count() == 0)
      return {};
    Dims fromStrides = stridesOf(fromDims), toStrides = stridesOf(toDims);
    std::vector<size_t> choice(transfer.dims.size(), 0);
    while (true) {
      std::vector<Axis> axes;
      int64_t fromOffset = 0, toOffset = 0;
      for (size_t d = 0; d < choice.size(); ++d) {
        const spmd::Segment &segment = transfer.dims[d][choice[d]];
        axes.push_back({segment.size, fromStrides[d] * elementBytes, toStrides[d] * elementBytes});
        fromOffset += segment.source * fromStrides[d];
        toOffset += segment.target * toStrides[d];
      }
      axes.push_back({elementBytes, 1, 1});
      if (Result<void> done =
              copyBox(merged(axes), from + static_cast<DeviceAddress>(fromOffset * elementBytes),
                      to + static_cast<DeviceAddress>(toOffset * elementBytes));
          !done)
        return done;
      size_t d = choice.size();
      while (d > 0 && ++choice[d - 1] == transfer.dims[d - 1].size())
        choice[--d] = 0;
      if (d == 0)
        return {};
    }
  }

private:
  CudaQueue &queue;
  int64_t elementBytes;

  /// Fewer axes of the same elements; the last one is dense.
  static std::vector<Axis> merged(const std::vector<Axis> &axes) {
    std::vector<Axis> result; // from the last to the first
    for (size_t i = axes.size(); i-- > 0;) {
      Axis axis = axes[i];
      Axis *inner = result.empty() ? nullptr : &result.back();
      if (inner && axis.from == inner->from * inner->size && axis.to == inner->to * inner->size)
        inner->size *= axis.size;
      else if (!inner || axis.size != 1)
        result.push_back(axis);
    }
    std::ranges::reverse(result);
    return result;
  }

  Result<void> copyBox(std::span<const Axis> axes, DeviceAddress from, DeviceAddress to) {
    if (axes.size() > 2) {
      for (int64_t i = 0; i < axes[0].size; ++i)
        if (Result<void> done = copyBox(axes.subspan(1), from + static_cast<DeviceAddress>(i * axes[0].from),
                                        to + static_cast<DeviceAddress>(i * axes[0].to));
            !done)
          return done;
      return {};
    }
    auto bytes = static_cast<size_t>(axes.back().size);
    if (axes.size() == 1)
      return queue.copyOnDevice(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    return queue.api().copyRowsOnDevice({.to = to,
                                         .from = from,
                                         .toPitch = static_cast<size_t>(axes[0].to),
                                         .fromPitch = static_cast<size_t>(axes[0].from),
                                         .rowBytes = bytes,
                                         .rows = static_cast<size_t>(axes[0].size)},
                                        queue.use("copy"));
  }
};

/// One call: the requests in their order.
class Execution {
public:
  /// `mesh` are the ranks of all devices of the mesh, ascending, or none for a step without communication.
  Execution(const runtime::DeviceCall &call, const RankExchange &exchange, const std::vector<int64_t> &mesh,
            DType dtype, std::string what)
      : call(call), exchange(exchange), mesh(mesh), queue(static_cast<CudaQueue &>(call.queue)), dtype(dtype),
        bytes(sizeOf(dtype)), self(call.communicator ? call.communicator->rank() : -1), what(std::move(what)),
        copies(queue, bytes) {}

  Result<void> run() {
    if (exchange.fill)
      if (Result<void> done = queue.fillZero(call.outputs[0].data, outBytes()); !done)
        return done;
    if (!exchange.group.empty())
      return allReduce();
    if (exchange.reduction)
      return exchange.isEven ? reduceScatter() : reduceShards();
    return exchange.isEven ? allGather() : exchangeShards();
  }

private:
  const runtime::DeviceCall &call;
  const RankExchange &exchange;
  const std::vector<int64_t> &mesh;
  CudaQueue &queue;
  DType dtype;
  size_t bytes;
  int64_t self;
  std::string what;
  StridedCopies copies;

  DeviceAddress source() const { return reinterpret_cast<DeviceAddress>(call.inputs[0].data); }
  DeviceAddress target() const { return reinterpret_cast<DeviceAddress>(call.outputs[0].data); }
  size_t outBytes() const { return static_cast<size_t>(productOf(exchange.targetDims)) * bytes; }
  bool isOwn(const Move &move) const { return !call.communicator || move.rank == self; }

  Result<std::shared_ptr<CollectiveGroup>> join(const std::vector<int64_t> &ranks) {
    auto group = queue.libraries().groupOf(*call.communicator, ranks, what);
    if (group)
      if (Result<void> entered = queue.enterGroup(*group, call.communicator); !entered)
        return entered.diagnostics();
    return group;
  }

  Result<void> allReduce() {
    int64_t count = productOf(exchange.sourceDims);
    if (exchange.group.size() == 1)
      return queue.copyOnDevice(call.outputs[0].data, call.inputs[0].data,
                                static_cast<size_t>(count) * bytes);
    Result<std::shared_ptr<CollectiveGroup>> group = join(exchange.group);
    if (!group)
      return group.diagnostics();
    return (*group)->allReduce(*exchange.reduction, dtype, source(), target(), count,
                               queue.use("all_reduce"));
  }

  /// The elements of this rank for each rank of the group, dense, one after the other.
  struct Message {
    const Move *move;
    size_t offset;
  };
  std::vector<Message> messagesOf(const std::vector<Move> &moves, size_t &end, size_t alignment = 256) const {
    std::vector<Message> messages;
    for (const Move &move : moves) {
      messages.push_back({&move, end});
      end += (static_cast<size_t>(move.count) * bytes + alignment - 1) / alignment * alignment;
    }
    return messages;
  }

  Result<void> pack(const std::vector<Message> &messages, DeviceAddress memory) {
    for (const Message &message : messages)
      if (Result<void> done = copies.copy(message.move->pack, exchange.sourceDims, source(),
                                          message.move->dims, memory + message.offset);
          !done)
        return done;
    return {};
  }

  std::vector<int64_t> ranks() const {
    std::set<int64_t> all{self};
    for (const auto *moves : {&exchange.sends, &exchange.receives})
      for (const Move &move : *moves)
        all.insert(move.rank);
    return {all.begin(), all.end()};
  }

  /// Each rank combines the shards that the others have for it. The shards have one size.
  Result<void> reduceScatter() {
    std::vector<Move> moves = exchange.sends;
    std::ranges::copy_if(exchange.receives, std::back_inserter(moves),
                         [&](const Move &move) { return isOwn(move); });
    std::ranges::sort(moves, {}, &Move::rank);
    size_t end = 0;
    std::vector<Message> messages = messagesOf(moves, end, /*alignment=*/1);
    Result<DeviceAddress> memory = queue.workspace(end);
    if (!memory)
      return memory.diagnostics();
    if (Result<void> done = pack(messages, *memory); !done)
      return done;
    if (moves.size() == 1)
      return queue.copyOnDevice(call.outputs[0].data, reinterpret_cast<const void *>(*memory), end);
    Result<std::shared_ptr<CollectiveGroup>> group = join(ranks());
    if (!group)
      return group.diagnostics();
    return (*group)->reduceScatter(*exchange.reduction, dtype, *memory, target(), moves.front().count,
                                   queue.use("reduce_scatter"));
  }

  /// Each rank gets the tensors of all ranks, which have one size; in place if they are adjacent there.
  Result<void> allGather() {
    std::vector<Move> moves = exchange.receives;
    std::ranges::sort(moves, {}, &Move::rank);
    size_t end = 0;
    std::vector<Message> messages = messagesOf(moves, end, /*alignment=*/1);
    if (moves.size() == 1)
      return queue.copyOnDevice(call.outputs[0].data, call.inputs[0].data, end);
    Result<std::shared_ptr<CollectiveGroup>> group = join(ranks());
    if (!group)
      return group.diagnostics();
    bool isInPlace = true;
    for (int64_t index = 0; const Move &move : moves)
      isInPlace &= isSlice(move, index++);
    Result<DeviceAddress> memory = isInPlace ? Result<DeviceAddress>(target()) : queue.workspace(end);
    if (!memory)
      return memory.diagnostics();
    if (Result<void> done =
            (*group)->allGather(source(), *memory, end / moves.size(), queue.use("all_gather"));
        !done || isInPlace)
      return done;
    for (const Message &message : messages)
      if (Result<void> done = copies.copy(message.move->unpack, message.move->dims, *memory + message.offset,
                                          exchange.targetDims, target());
          !done)
        return done;
    return {};
  }

  /// Whether a message is slice `index` of the first dimension of the target.
  bool isSlice(const Move &move, int64_t index) const {
    if (move.dims.empty() ||
        !std::ranges::equal(std::span(move.dims).subspan(1), std::span(exchange.targetDims).subspan(1)))
      return false;
    const std::vector<spmd::Segment> &segments = move.unpack.dims[0];
    return segments.size() == 1 && segments[0].target == index * move.dims[0];
  }

  /// The same for shards of different sizes: a reduction to each rank.
  Result<void> reduceShards() {
    size_t end = 0;
    std::vector<Message> messages = messagesOf(exchange.sends, end);
    for (const Move &move : exchange.receives)
      if (isOwn(move)) {
        messages.push_back({&move, end});
        end += (static_cast<size_t>(move.count) * bytes + 255) / 256 * 256;
      }
    // All members make the same reductions in the same order.
    std::ranges::sort(messages, {}, [](const Message &message) { return message.move->rank; });
    Result<DeviceAddress> memory = queue.workspace(std::max<size_t>(end, 1));
    if (!memory)
      return memory.diagnostics();
    if (Result<void> done = pack(messages, *memory); !done)
      return done;
    std::vector<int64_t> members = ranks();
    if (members.size() == 1)
      return queue.copyOnDevice(call.outputs[0].data, reinterpret_cast<const void *>(*memory), outBytes());
    Result<std::shared_ptr<CollectiveGroup>> group = join(members);
    if (!group)
      return group.diagnostics();
    for (const Message &message : messages) {
      auto root = static_cast<int>(std::ranges::find(members, message.move->rank) - members.begin());
      if (message.move->count == 0)
        continue;
      if (Result<void> done = (*group)->reduce(*exchange.reduction, dtype, *memory + message.offset, target(),
                                               message.move->count, root, queue.use("reduce"));
          !done)
        return done;
    }
    return {};
  }

  Result<void> exchangeShards() {
    size_t end = 0;
    std::vector<Message> sends = messagesOf(exchange.sends, end),
                         receives = messagesOf(exchange.receives, end);
    Result<DeviceAddress> memory = queue.workspace(std::max<size_t>(end, 1));
    if (!memory)
      return memory.diagnostics();
    if (Result<void> done = pack(sends, *memory); !done)
      return done;
    if (mesh.size() > 1)
      if (Result<void> done = transfer(sends, receives, *memory); !done)
        return done;
    for (const Message &message : receives)
      if (Result<void> done = place(message, *memory); !done)
        return done;
    return {};
  }

  Result<void> transfer(const std::vector<Message> &sends, const std::vector<Message> &receives,
                        DeviceAddress memory) {
    // Each rank has other partners: the group has all ranks, also ranks without any.
    Result<std::shared_ptr<CollectiveGroup>> joined = join(mesh);
    if (!joined)
      return joined.diagnostics();
    CollectiveGroup &group = **joined;
    auto memberOf = [&](int64_t rank) {
      return static_cast<int>(std::ranges::find(mesh, rank) - mesh.begin());
    };
    Result<void> done = group.begin();
    for (const Message &message : sends)
      if (done && message.move->count > 0)
        done = group.send(memory + message.offset, static_cast<size_t>(message.move->count) * bytes,
                          memberOf(message.move->rank), queue.use("send"));
    for (const Message &message : receives)
      if (done && message.move->count > 0 && !isOwn(*message.move))
        done = group.receive(memory + message.offset, static_cast<size_t>(message.move->count) * bytes,
                             memberOf(message.move->rank), queue.use("receive"));
    Result<void> ended = group.end();
    return done ? ended : done;
  }

  Result<void> place(const Message &message, DeviceAddress memory) {
    const Move &move = *message.move;
    if (!isOwn(move))
      return copies.copy(move.unpack, move.dims, memory + message.offset, exchange.targetDims, target());
    spmd::Transfer direct = move.pack;
    for (size_t d = 0; d < direct.dims.size(); ++d)
      for (size_t i = 0; i < direct.dims[d].size(); ++i)
        direct.dims[d][i].target = move.unpack.dims[d][i].target;
    return copies.copy(direct, exchange.sourceDims, source(), exchange.targetDims, target());
  }
};

class DeviceCollective final : public runtime::DeviceLibraryKernel {
public:
  DeviceCollective(runtime::PlacementStep step, DType dtype) : step(std::move(step)), dtype(dtype) {}

  Result<std::vector<Dims>> outputDims(std::span<const View> inputs,
                                       Communicator *communicator) const override {
    Result<const RankExchange *> exchange = exchangeOf(inputs[0], communicator);
    if (!exchange)
      return exchange.diagnostics();
    return std::vector<Dims>{(*exchange)->targetDims};
  }

  Result<void> run(const runtime::DeviceCall &call) const override {
    Result<const RankExchange *> exchange = exchangeOf(call.inputs[0], call.communicator);
    if (!exchange)
      return exchange.diagnostics();
    bool isLocal = step.kind == spmd::StepKind::Slice || step.kind == spmd::StepKind::ToPartial;
    std::vector<int64_t> mesh = isLocal ? std::vector<int64_t>() : ranksOfMesh();
    std::ranges::sort(mesh);
    Execution execution(call, **exchange, mesh, dtype, runtime::StepExecution(step, dtype).operation().text);
    return call.started ? start(execution, call) : execution.run();
  }

  bool isRecordable() const override { return false; }

  std::optional<runtime::Agreement> agreement() const override {
    if (step.kind == spmd::StepKind::Slice || step.kind == spmd::StepKind::ToPartial)
      return std::nullopt; // a pass may remove a local step on one rank only
    return runtime::Agreement{ranksOfMesh(), runtime::StepExecution(step, dtype).operation().text};
  }

private:
  runtime::PlacementStep step;
  DType dtype;
  std::vector<int64_t> ranksOfMesh() const {
    std::vector<int64_t> ranks;
    for (int64_t position = 0; position < step.mesh.size(); ++position)
      ranks.push_back(step.mesh.deviceAt(position));
    return ranks;
  }

  static Result<void> start(Execution &execution, const runtime::DeviceCall &call) {
    auto &queue = static_cast<CudaQueue &>(call.queue);
    if (Result<void> begun = queue.beginStarted(); !begun)
      return begun;
    Result<void> done = execution.run();
    Result<std::unique_ptr<runtime::StartedWork>> work = queue.endStarted();
    if (!done || !work)
      return done ? work.diagnostics() : done.diagnostics();
    *call.started = std::move(*work);
    return {};
  }

  mutable std::mutex mutex;
  /// By rank; the dims are static.
  mutable std::map<int64_t, RankExchange> exchanges;

  Result<const RankExchange *> exchangeOf(const View &x, Communicator *communicator) const {
    std::lock_guard lock(mutex);
    int64_t rank = communicator ? communicator->rank() : 0;
    if (auto found = exchanges.find(rank); found != exchanges.end())
      return &found->second;
    runtime::StepExecution execution(step, dtype);
    if (auto planned = execution.plan(communicator, x.dims); !planned)
      return planned.diagnostics();
    return &exchanges.emplace(rank, execution.transfers()).first->second;
  }
};

} // namespace

Result<std::shared_ptr<runtime::DeviceLibraryKernel>>
createDeviceCollective(const runtime::Step &step, const runtime::KernelRequest &request) {
  Result<runtime::PlacementStep> placed = runtime::placementStepOf(step.symbol, step.attributes, request);
  if (!placed)
    return placed.diagnostics();
  return createDeviceCollective(std::move(*placed), request.inputs[0].dtype);
}

Result<std::shared_ptr<runtime::DeviceLibraryKernel>> createDeviceCollective(runtime::PlacementStep placed,
                                                                             DType dtype) {
  if (std::ranges::find(placed.dims, runtime::dynamicDim) != placed.dims.end())
    return failure("NCCL exchanges no values of dynamic dims");
  bool combines = placed.kind == spmd::StepKind::AllReduce || placed.kind == spmd::StepKind::ReduceScatter;
  for (const spmd::PartialAxis &axis : placed.from.partial)
    if (combines && !hasReduction(axis.reduction, dtype))
      return failure("NCCL has no {} of {}", spmd::keywordOf(axis.reduction), nameOf(dtype));
  // Only neutral elements whose bytes are zeros.
  for (const spmd::PartialAxis &axis : placed.to.partial)
    if (placed.kind == spmd::StepKind::ToPartial && axis.reduction != spmd::Reduction::Sum &&
        axis.reduction != spmd::Reduction::Avg && axis.reduction != spmd::Reduction::Any)
      return failure("the device has no neutral elements of {}", spmd::keywordOf(axis.reduction));
  return std::shared_ptr<runtime::DeviceLibraryKernel>(
      std::make_shared<DeviceCollective>(std::move(placed), dtype));
}

} // namespace proa::cuda
