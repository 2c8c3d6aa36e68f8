//! The communication of dist: steps between placements, broadcast, send and receive.
#include "lib/base/spmd/Validity.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/ranks/Collective.h"

#include "dialects/rt/Rt.kernels.inc"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

//===-- Attributes --------------------------------------------------------------------------------------===//

Result<spmd::Mesh> meshOf(const MeshAttribute &attribute) {
  if (attribute.names.size() != attribute.sizes.size())
    return failure("the mesh has {} names and {} sizes", attribute.names.size(), attribute.sizes.size());
  spmd::Mesh mesh;
  for (size_t i = 0; i < attribute.names.size(); ++i)
    mesh.axes.push_back({attribute.names[i], attribute.sizes[i]});
  mesh.devices = attribute.devices;
  if (std::string reason = invalidity(mesh); !reason.empty())
    return failure("{}", reason);
  return mesh;
}

Result<spmd::AxisRef> axisOf(const AxisAttribute &attribute, const spmd::Mesh &mesh) {
  std::optional<unsigned> index = mesh.indexOf(attribute.name);
  if (!index)
    return failure("the mesh has no axis '{}'", attribute.name);
  bool isFull = attribute.size == 0;
  spmd::AxisRef axis = isFull ? mesh.full(*index) : spmd::AxisRef{*index, attribute.pre, attribute.size};
  if (std::string reason = invalidity(mesh, axis); !reason.empty())
    return failure("{}", reason);
  return axis;
}

/// The value of spmd with the keyword of the attribute's enum.
spmd::Reduction reductionOf(Reduction reduction) { return static_cast<spmd::Reduction>(reduction); }
static_assert(static_cast<int>(Reduction::Avg) == static_cast<int>(spmd::Reduction::Avg) &&
              static_cast<int>(Reduction::All) == static_cast<int>(spmd::Reduction::All));

Result<spmd::Placement> placementOf(const ShardingAttribute &attribute, const spmd::Mesh &mesh,
                                    std::span<const int64_t> dims) {
  spmd::Placement placement;
  auto axes = [&](const std::vector<AxisAttribute> &list,
                  const std::function<void(spmd::AxisRef)> &use) -> Result<void> {
    for (const AxisAttribute &item : list) {
      Result<spmd::AxisRef> axis = axisOf(item, mesh);
      if (!axis)
        return axis.diagnostics();
      use(*axis);
    }
    return {};
  };
  for (const DimShardingAttribute &dim : attribute.dims) {
    spmd::DimPlacement &target = placement.dims.emplace_back();
    if (auto done = axes(dim.axes, [&](spmd::AxisRef axis) { target.axes.push_back(axis); }); !done)
      return done.diagnostics();
    if (!target.axes.empty())
      target.blocks = dim.blocks;
  }
  for (const PartialAttribute &partial : attribute.partial) {
    auto add = [&](spmd::AxisRef axis) {
      placement.partial.push_back({axis, reductionOf(partial.reduction)});
    };
    if (auto done = axes(partial.axes, add); !done)
      return done.diagnostics();
  }
  std::ranges::sort(placement.partial, {},
                    [](const spmd::PartialAxis &p) { return std::pair(p.axis.axis, p.axis.pre); });
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < dynamicDim; }))
    return failure("the value has a negative dim");
  if (std::string reason = invalidity(mesh, placement, dims); !reason.empty())
    return failure("{}", reason);
  return placement;
}

std::vector<int64_t> ranksOf(const spmd::Mesh &mesh) {
  std::vector<int64_t> ranks;
  for (int64_t position = 0; position < mesh.size(); ++position)
    ranks.push_back(mesh.deviceAt(position));
  return ranks;
}

/// Error: the devices of a mesh are more than this run has.
Result<void> checkSize(const Communicator *communicator, const spmd::Mesh &mesh) {
  int64_t size = communicator ? communicator->size() : 1, largest = std::ranges::max(ranksOf(mesh));
  return largest < size ? Result<void>()
                        : failure("the mesh has a device {}, but this run has {} rank{}", largest, size,
                                  size == 1 ? "" : "s");
}

/// Leaves the work to the step that waits for the output.
Result<void> keep(Call &call, Result<std::unique_ptr<StartedWork>> work) {
  if (!work)
    return work.diagnostics();
  call.setStarted(std::move(*work));
  return {};
}

//===-- Steps -------------------------------------------------------------------------------------------===//

class StepKernel final : public LibraryKernel {
public:
  StepKernel(PlacementStep step, DType dtype) : step(std::move(step)), dtype(dtype) {}

  Result<void> run(Call &call) const override {
    Communicator *communicator = call.communicator();
    State *state = static_cast<State *>(call.state().get());
    if (!state) {
      if (Result<void> fits = checkSize(communicator, step.mesh); !fits)
        return fits;
      call.state() = std::make_unique<State>(StepExecution(step, dtype));
      state = static_cast<State *>(call.state().get());
    }
    const View &x = call.input(0);
    Result<std::span<const int64_t>> dims = state->execution.plan(communicator, x.dims);
    if (!dims)
      return dims.diagnostics();
    Result<View> out = call.output(0, *dims);
    if (!out)
      return out.diagnostics();
    if (!call.isStart() || !communicator)
      return state->execution.run(communicator, x.data, out->data);
    return keep(call, state->execution.start(*communicator, x.data, out->data));
  }

  std::optional<Agreement> agreement() const override {
    // A pass may remove a local step on one rank only.
    if (step.kind == spmd::StepKind::Slice || step.kind == spmd::StepKind::ToPartial)
      return std::nullopt;
    return Agreement{ranksOf(step.mesh), StepExecution(step, dtype).operation().text, step.index};
  }

private:
  struct State final : KernelState {
    explicit State(StepExecution execution) : execution(std::move(execution)) {}
    StepExecution execution;
  };

  PlacementStep step;
  DType dtype;
};

template <class Attributes>
Result<PlacementStep> stepOf(spmd::StepKind kind, const Attributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  Result<spmd::Mesh> mesh = meshOf(op.mesh);
  if (!mesh)
    return mesh.diagnostics();
  Result<spmd::Placement> from = placementOf(op.from, *mesh, op.global),
                          to = placementOf(op.to, *mesh, op.global);
  if (!from || !to)
    return (from ? to : from).diagnostics();
  if (std::string reason = mismatch(kind, *mesh, *from, *to); !reason.empty())
    return failure("{} from {} to {}: {}", nameOf(kind), toText(*mesh, *from), toText(*mesh, *to), reason);
  return PlacementStep{kind, *mesh, *from, *to, op.global, op.number};
}

template <class Attributes>
Result<std::unique_ptr<LibraryKernel>> makeStep(spmd::StepKind kind, const Attributes &op,
                                                const KernelRequest &request) {
  Result<PlacementStep> step = stepOf(kind, op, request);
  if (!step)
    return step.diagnostics();
  return std::unique_ptr<LibraryKernel>(
      std::make_unique<StepKernel>(std::move(*step), request.inputs[0].dtype));
}

template <class Attributes>
Result<PlacementStep> storedStep(spmd::StepKind kind, const nlohmann::json &stored,
                                 const KernelRequest &request) {
  Result<Attributes> attributes = readStored<Attributes>(stored);
  return attributes ? stepOf(kind, *attributes, request) : Result<PlacementStep>(attributes.diagnostics());
}

//===-- Groups ------------------------------------------------------------------------------------------===//

/// The ranks that differ on axes of a mesh only.
struct Group {
  spmd::Mesh mesh;
  std::vector<spmd::AxisRef> axes;

  int64_t size() const { return spmd::shardCount(axes); }

  /// The positions in the group of a position, in row-major order of their coordinates on the axes.
  std::vector<int64_t> ranksOf(int64_t position) const {
    std::vector<int64_t> ranks, coordinates(axes.size());
    for (int64_t index = 0; index < size(); ++index) {
      int64_t rest = index;
      for (size_t i = axes.size(); i-- > 0; rest /= axes[i].size)
        coordinates[i] = rest % axes[i].size;
      ranks.push_back(mesh.deviceAt(rootOf(mesh, axes, coordinates, position)));
    }
    return ranks;
  }
};

Result<Group> groupOf(const MeshAttribute &mesh, const GroupAttribute &attribute) {
  Result<spmd::Mesh> checked = meshOf(mesh);
  if (!checked)
    return checked.diagnostics();
  Group group{*checked, {}};
  for (const AxisAttribute &item : attribute.axes) {
    Result<spmd::AxisRef> axis = axisOf(item, group.mesh);
    if (!axis)
      return axis.diagnostics();
    group.axes.push_back(*axis);
  }
  return group;
}

//===-- Broadcast ---------------------------------------------------------------------------------------===//

/// All elements, from one position to another.
spmd::Transfer wholeTransfer(int64_t position, std::span<const int64_t> dims) {
  spmd::Transfer transfer{position, {}};
  for (int64_t dim : dims)
    transfer.dims.push_back({{0, 0, dim}});
  return transfer;
}

/// The transfers of this rank in a broadcast of a tensor of these dims.
Result<RankExchange> planBroadcast(const Communicator &communicator, const Group &group,
                                   std::span<const int64_t> root, std::span<const int64_t> dims) {
  const spmd::Mesh &mesh = group.mesh;
  Result<int64_t> own = positionOfRank(mesh, communicator.rank());
  if (!own)
    return own.diagnostics();
  spmd::Exchange exchange;
  exchange.sourceDims.assign(dims.begin(), dims.end());
  exchange.targetDims = exchange.sourceDims;
  int64_t source = rootOf(mesh, group.axes, root, *own);
  exchange.receives.push_back(wholeTransfer(source, dims));
  for (int64_t other = 0; other < mesh.size() && source == *own; ++other)
    if (other != *own && rootOf(mesh, group.axes, root, other) == *own)
      exchange.sends.push_back(wholeTransfer(other, dims));
  return RankExchange(exchange, [&](int64_t position) { return mesh.deviceAt(position); });
}

//===-- Exchange of rows --------------------------------------------------------------------------------===//

/// The rows for or from each of `ranks`. Error: there are not as many counts, or one is negative.
Result<std::vector<int64_t>> rowsOf(const View &counts, size_t ranks, const char *name) {
  auto *data = static_cast<const int64_t *>(counts.data);
  std::vector<int64_t> rows(data, data + counts.size());
  if (rows.size() != ranks)
    return failure("{} has {} numbers, expected {}, the size of the group", name, rows.size(), ranks);
  for (int64_t count : rows)
    if (count < 0)
      return failure("{} has the number {}, expected one that is not negative", name, count);
  return rows;
}

int64_t sumOf(std::span<const int64_t> values) {
  return std::accumulate(values.begin(), values.end(), int64_t(0));
}

/// Sends sent[i] rows of `source` to the i-th rank, and receives received[i] rows from it.
Result<void> sendRows(Communicator &communicator, const Operation &operation, std::span<const int64_t> ranks,
                      std::span<const int64_t> sent, std::span<const int64_t> received, size_t rowBytes,
                      const std::byte *source, std::byte *target) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (size_t i = 0; i < ranks.size(); ++i) {
    size_t bytes = static_cast<size_t>(sent[i]) * rowBytes;
    outgoing.push_back({ranks[i], communicator.takeBuffer(bytes)});
    std::copy_n(source, bytes, outgoing.back().buffer.data());
    source += bytes;
    incoming.push_back({ranks[i], static_cast<size_t>(received[i]) * rowBytes});
  }
  if (auto done = communicator.exchange(operation, std::move(outgoing), incoming); !done)
    return done;
  for (Incoming &message : incoming) {
    target = std::copy_n(message.buffer.data(), message.bytes, target);
    communicator.recycle(std::move(message.buffer));
  }
  return {};
}

/// Operands: rows, and for each rank of the group the numbers of rows to send and to receive.
Result<void> exchangeRows(Call &call, const Group &group, DType dtype, int64_t index) {
  Communicator *communicator = call.communicator();
  if (Result<void> fits = checkSize(communicator, group.mesh); !fits)
    return fits;
  Result<int64_t> position = positionOfRank(group.mesh, communicator ? communicator->rank() : 0);
  if (!position)
    return position.diagnostics();
  std::vector<int64_t> ranks = group.ranksOf(*position);
  Result<std::vector<int64_t>> sent = rowsOf(call.input(1), ranks.size(), "send_counts"),
                               received = rowsOf(call.input(2), ranks.size(), "recv_counts");
  if (!sent || !received)
    return (sent ? received : sent).diagnostics();
  const View &x = call.input(0);
  if (sumOf(*sent) != x.dims[0])
    return failure("send_counts add up to {}, but the tensor has {} rows", sumOf(*sent), x.dims[0]);
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  dims[0] = sumOf(*received);
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  size_t rowBytes = sizeOf(dtype);
  for (int64_t dim : std::span(dims).subspan(1))
    rowBytes *= static_cast<size_t>(dim);
  auto *source = static_cast<const std::byte *>(x.data);
  auto *target = static_cast<std::byte *>(out->data);
  if (!communicator) {
    if (*sent != *received)
      return failure("a rank alone sends {} rows to itself, but expects {}", sumOf(*sent), sumOf(*received));
    std::copy_n(source, static_cast<size_t>(x.dims[0]) * rowBytes, target);
    return {};
  }
  Operation operation{fmt::format("exchange of rows of {}, collective {}",
                                  describe(dtype, std::span(dims).subspan(1)), index)};
  return sendRows(*communicator, operation, ranks, *sent, *received, rowBytes, source, target);
}

//===-- Transfers between meshes ------------------------------------------------------------------------===//

struct TransferPlan {
  spmd::Mesh source, target;
  spmd::Placement from, to;
  std::vector<int64_t> global;
  int64_t channel = 0;
  DType dtype = DType::Float32;

  Operation operation() const {
    std::vector<int64_t> dims = global;
    return {fmt::format("the transfer of {} from {} to {} on channel {}", describe(dtype, dims),
                        toText(source, from), toText(target, to), channel)};
  }
  bool isDynamic() const { return std::ranges::find(global, dynamicDim) != global.end(); }
};

template <class Attributes>
Result<TransferPlan> readTransfer(const Attributes &op, const OperandType &operand) {
  Result<spmd::Mesh> source = meshOf(op.source), target = meshOf(op.target);
  if (!source || !target)
    return (source ? target : source).diagnostics();
  TransferPlan plan{*source, *target, {}, {}, op.global, op.channel, operand.dtype};
  Result<spmd::Placement> from = placementOf(op.from, plan.source, op.global),
                          to = placementOf(op.to, plan.target, op.global);
  if (!from || !to)
    return (from ? to : from).diagnostics();
  if (!from->partial.empty() || !to->partial.empty())
    return failure("a partial value cannot move to another mesh");
  // A dim that is not known before the run would have to be sent first.
  if (plan.isDynamic())
    return failure("a value with a dynamic dim, {}, cannot move to another mesh",
                   describe(plan.dtype, op.global));
  if (op.channel < 0 || op.channel >= transferChannels)
    return failure("expected a channel from 0 to {}, found {}", transferChannels - 1, op.channel);
  plan.from = *from;
  plan.to = *to;
  return plan;
}

/// The transfers of this rank. Error: it is not a rank of `mesh`, or the mesh has more than this run.
Result<RankExchange> planTransfer(const Communicator *communicator, const TransferPlan &plan,
                                  const spmd::Mesh &mesh) {
  for (const spmd::Mesh *used : {&plan.source, &plan.target})
    if (Result<void> fits = checkSize(communicator, *used); !fits)
      return fits.diagnostics();
  int64_t rank = communicator ? communicator->rank() : 0;
  if (Result<int64_t> position = positionOfRank(mesh, rank); !position)
    return position.diagnostics();
  if (!communicator)
    return failure("a value cannot move to another mesh in a run of one rank");
  spmd::Exchange exchange = planMove(plan.source, plan.from, plan.target, plan.to, plan.global, rank);
  return RankExchange(exchange, [](int64_t device) { return device; });
}

/// The transfers of this rank, computed in the first run of a session, or in each run for other dims.
template <class Compute>
Result<const RankExchange *> keptExchange(Call &call, std::span<const int64_t> dims, const Compute &compute) {
  struct State final : KernelState {
    State(RankExchange exchange, std::span<const int64_t> dims)
        : exchange(std::move(exchange)), dims(dims.begin(), dims.end()) {}
    RankExchange exchange;
    std::vector<int64_t> dims;
  };
  auto *state = static_cast<State *>(call.state().get());
  if (!state || !std::ranges::equal(state->dims, dims)) {
    Result<RankExchange> exchange = compute();
    if (!exchange)
      return exchange.diagnostics();
    call.state() = std::make_unique<State>(std::move(*exchange), dims);
  }
  return &static_cast<State *>(call.state().get())->exchange;
}

/// Communicates now, or starts to.
Result<void> runOrStart(Call &call, const Operation &operation, const RankExchange &exchange,
                        const ExchangeBuffers &buffers, int64_t channel, int64_t startedChannel) {
  if (!call.isStart() || !call.communicator())
    return runExchange(call.communicator(), operation, exchange, buffers, channel);
  return keep(call, startExchange(*call.communicator(), operation, exchange, buffers, startedChannel));
}

} // namespace

Result<PlacementStep> placementStepOf(const std::string &kernel, const nlohmann::json &attributes,
                                      const KernelRequest &request) {
  using spmd::StepKind;
  struct Row {
    const char *kernel;
    StepKind kind;
    Result<PlacementStep> (*read)(StepKind, const nlohmann::json &, const KernelRequest &);
  };
  static constexpr Row rows[] = {
      {"dist_slice", StepKind::Slice, storedStep<DistSliceAttributes>},
      {"dist_to_partial", StepKind::ToPartial, storedStep<DistToPartialAttributes>},
      {"dist_all_gather", StepKind::AllGather, storedStep<DistAllGatherAttributes>},
      {"dist_all_to_all", StepKind::AllToAll, storedStep<DistAllToAllAttributes>},
      {"dist_permute", StepKind::Permute, storedStep<DistPermuteAttributes>},
      {"dist_reduce_scatter", StepKind::ReduceScatter, storedStep<DistReduceScatterAttributes>},
      {"dist_all_reduce", StepKind::AllReduce, storedStep<DistAllReduceAttributes>}};
  for (const Row &row : rows)
    if (kernel == row.kernel)
      return row.read(row.kind, attributes, request);
  return failure("'{}' is not a step between placements", kernel);
}

Result<std::unique_ptr<LibraryKernel>> makeDistSlice(const DistSliceAttributes &op,
                                                     const KernelRequest &request) {
  return makeStep(spmd::StepKind::Slice, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistToPartial(const DistToPartialAttributes &op,
                                                         const KernelRequest &request) {
  return makeStep(spmd::StepKind::ToPartial, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistAllGather(const DistAllGatherAttributes &op,
                                                         const KernelRequest &request) {
  return makeStep(spmd::StepKind::AllGather, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistAllToAll(const DistAllToAllAttributes &op,
                                                        const KernelRequest &request) {
  return makeStep(spmd::StepKind::AllToAll, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistPermute(const DistPermuteAttributes &op,
                                                       const KernelRequest &request) {
  return makeStep(spmd::StepKind::Permute, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistReduceScatter(const DistReduceScatterAttributes &op,
                                                             const KernelRequest &request) {
  return makeStep(spmd::StepKind::ReduceScatter, op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeDistAllReduce(const DistAllReduceAttributes &op,
                                                         const KernelRequest &request) {
  return makeStep(spmd::StepKind::AllReduce, op, request);
}

Result<std::unique_ptr<LibraryKernel>> makeDistBroadcast(const DistBroadcastAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  Result<Group> group = groupOf(op.mesh, op.group);
  if (!group)
    return group.diagnostics();
  if (group->axes.size() != op.root.size())
    return failure("the group has {} axes, the root {} coordinates", group->axes.size(), op.root.size());
  for (size_t i = 0; i < op.root.size(); ++i)
    if (op.root[i] < 0 || op.root[i] >= group->axes[i].size)
      return failure("the root has the coordinate {} on an axis of size {}", op.root[i], group->axes[i].size);
  DType dtype = request.inputs[0].dtype;
  return makeKernel([group = *group, dtype, root = op.root, number = op.number](Call &call) -> Result<void> {
    const View &x = call.input(0);
    Result<View> out = call.output(0, x.dims);
    if (Result<void> fits = checkSize(call.communicator(), group.mesh); !out || !fits)
      return out ? fits : out.diagnostics();
    if (!call.communicator()) {
      std::memcpy(out->data, x.data, static_cast<size_t>(x.size()) * sizeOf(dtype));
      return {};
    }
    auto exchange =
        keptExchange(call, x.dims, [&] { return planBroadcast(*call.communicator(), group, root, x.dims); });
    if (!exchange)
      return exchange.diagnostics();
    Operation operation{fmt::format("broadcast of {}, collective {}", describe(dtype, x.dims), number)};
    return runOrStart(call, operation, **exchange, {dtype, x.data, out->data}, 0, channelOfStarted(number));
  });
}

Result<std::unique_ptr<LibraryKernel>> makeDistExchangeRows(const DistExchangeRowsAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(3, 1);
  if (!checks.ok())
    return checks.diagnostics();
  Result<Group> group = groupOf(op.mesh, op.group);
  if (!group)
    return group.diagnostics();
  for (size_t counts : {1, 2})
    if (request.inputs[counts].dtype != DType::Int64 || request.inputs[counts].dims.size() != 1)
      return failure("counts are vectors of int64");
  if (request.inputs[0].dims.empty())
    return failure("the tensor has no rows");
  DType dtype = request.inputs[0].dtype;
  return makeKernel([group = *group, dtype, number = op.number](Call &call) {
    return exchangeRows(call, group, dtype, number);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeDistSend(const DistSendAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  Result<TransferPlan> plan = readTransfer(op, request.inputs[0]);
  if (!plan)
    return plan.diagnostics();
  return makeKernel([plan = *plan](Call &call) -> Result<void> {
    auto exchange = keptExchange(call, {}, [&]() -> Result<RankExchange> {
      Result<RankExchange> planned = planTransfer(call.communicator(), plan, plan.source);
      if (planned)
        planned->receives.clear();
      return planned;
    });
    if (!exchange)
      return exchange.diagnostics();
    std::span<const int64_t> dims = (*exchange)->sourceDims;
    if (!std::ranges::equal(dims, call.input(0).dims))
      return failure("the operand has the type {}, expected {}", describe(plan.dtype, call.input(0).dims),
                     describe(plan.dtype, dims));
    return runExchange(call.communicator(), plan.operation(), **exchange,
                       {plan.dtype, call.input(0).data, nullptr}, channelOfTransfer(plan.channel));
  });
}

Result<std::unique_ptr<LibraryKernel>> makeDistRecv(const DistRecvAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(0, 1);
  if (!checks.ok())
    return checks.diagnostics();
  Result<TransferPlan> plan = readTransfer(op, request.outputs[0]);
  if (!plan)
    return plan.diagnostics();
  return makeKernel([plan = *plan](Call &call) -> Result<void> {
    auto exchange = keptExchange(call, {}, [&]() -> Result<RankExchange> {
      Result<RankExchange> planned = planTransfer(call.communicator(), plan, plan.target);
      if (planned)
        planned->sends.clear();
      return planned;
    });
    if (!exchange)
      return exchange.diagnostics();
    Result<View> out = call.output(0, (*exchange)->targetDims);
    if (!out)
      return out.diagnostics();
    int64_t channel = channelOfTransfer(plan.channel);
    return runOrStart(call, plan.operation(), **exchange, {plan.dtype, nullptr, out->data}, channel, channel);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeDistWait(const DistWaitAttributes &,
                                                    const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1); // a second input is the operand of the step that was started
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([](Call &call) -> Result<void> {
    if (std::unique_ptr<StartedWork> work = call.takeStarted())
      if (Result<void> done = work->wait(); !done)
        return done;
    Result<View> out = call.output(0, call.input(0).dims);
    return out ? Result<void>() : Result<void>(out.diagnostics());
  });
}

} // namespace proa::runtime
