#include "lib/compiler/plan/RankTime.h"

#include "lib/runtime/ranks/Collective.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace proa {
namespace {

using runtime::Step;
using runtime::ValueId;

/// Messages between the stages of a pipeline, by channel.
class Messages {
public:
  explicit Messages(const plan::Cluster &cluster) : cluster(cluster) {}

  /// A send that will happen.
  void expect(int64_t channel) { ++channels[channel].missing; }
  void send(int64_t channel, int64_t rank, double seconds, double bytes) {
    Channel &own = channels[channel];
    --own.missing;
    own.sent.push_back({rank, seconds, bytes});
  }
  /// Nobody waits any more: the senders are not simulated.
  void stopWaiting() { isStopped = true; }

  /// When a rank has the messages of a channel; nothing: they are not sent yet.
  std::optional<double> arrival(int64_t channel, int64_t rank) const {
    auto found = channels.find(channel);
    if (found == channels.end() || isStopped)
      return 0;
    if (found->second.missing > 0)
      return std::nullopt;
    double last = 0;
    for (const Message &message : found->second.sent) {
      plan::DeviceGroup pair{std::max<int64_t>(std::abs(message.rank - rank), 1), 2};
      last =
          std::max(last, message.seconds + cluster.seconds(plan::Collective::Permute, pair, message.bytes));
    }
    return last;
  }

private:
  struct Message {
    int64_t rank;
    double seconds, bytes;
  };
  struct Channel {
    int64_t missing = 0;
    std::vector<Message> sent;
  };
  const plan::Cluster &cluster;
  std::map<int64_t, Channel> channels;
  bool isStopped = false;
};

class Clock {
public:
  Clock(const runtime::Plan &plan, const plan::Cluster &cluster, int64_t rank, int64_t trips)
      : plan(plan), cluster(cluster), rank(rank), trips(static_cast<double>(trips)) {}

  void expectSends(Messages &messages) const {
    for (const Step &step : plan.steps)
      if (step.symbol == sendSymbol)
        messages.expect(channelOf(step));
  }

  /// Runs steps until one waits for a message that is not sent yet. Whether it ran any.
  bool advance(Messages &messages) {
    size_t first = next;
    while (!hasEnded() && runAtTop(plan.steps[next], messages))
      ++next;
    return next > first;
  }

  bool hasEnded() const { return next == plan.steps.size(); }
  const RankTime &now() const { return time; }

private:
  /// Seconds of a collective, and of one without bytes.
  struct LinkTime {
    double latency = 0, total = 0;
  };

  static constexpr std::string_view sendSymbol = "dist_send", receiveSymbol = "dist_recv";

  static int64_t channelOf(const Step &step) { return step.attributes.value("channel", int64_t{-1}); }

  /// False: the step waits for a message.
  bool runAtTop(const Step &step, Messages &messages) {
    if (step.symbol == receiveSymbol && step.isStart) {
      time.computation += cluster.stepSeconds;
      receives[step.outputs.front()] = channelOf(step);
      return true;
    }
    std::optional<int64_t> channel;
    if (step.symbol == receiveSymbol)
      channel = channelOf(step);
    else if (auto started = step.isWait() ? receives.find(step.inputs.front()) : receives.end();
             started != receives.end())
      channel = started->second;
    if (channel) {
      std::optional<double> arrival = messages.arrival(*channel, rank);
      if (!arrival)
        return false;
      time.waiting += std::max(0.0, *arrival - time.total());
    }
    run(step);
    if (step.symbol == sendSymbol)
      messages.send(channelOf(step), rank, time.total(), bytesOf(step.inputs.front()));
    return true;
  }

  void runAll(const std::vector<Step> &steps) {
    for (const Step &step : steps)
      run(step);
  }

  void run(const Step &step) {
    if (step.kind == runtime::StepKind::If)
      return runBranch(step);
    if (step.kind == runtime::StepKind::While)
      return runLoop(step);
    if (step.isWait())
      return waitFor(step.inputs.front());
    std::optional<LinkTime> message = collectiveTime(step);
    if (!message)
      time.computation += secondsOf(step);
    else if (step.isStart)
      start(step, *message);
    else
      time.collectives += message->total;
  }

  void runBranch(const Step &step) {
    RankTime before = time, longest = time;
    for (const runtime::Body &body : step.bodies) {
      time = before;
      runAll(body.steps);
      if (time.total() > longest.total())
        longest = time;
    }
    time = longest;
  }

  /// All iterations take the time of one.
  void runLoop(const Step &step) {
    RankTime before = time;
    for (const runtime::Body &body : step.bodies)
      runAll(body.steps);
    time.computation = before.computation + trips * (time.computation - before.computation);
    time.collectives = before.collectives + trips * (time.collectives - before.collectives);
  }

  /// Messages between CPUs are on the way at once, and share the bandwidth. Collectives of one stream of GPUs
  /// follow each other.
  void start(const Step &step, const LinkTime &message) {
    time.computation += cluster.stepSeconds;
    double latency = cluster.sendsDirectly ? message.latency : 0;
    linkIsFree = std::max(linkIsFree, time.total() + latency) + message.total - latency;
    ends[step.outputs.front()] = linkIsFree;
  }
  void waitFor(ValueId value) {
    if (auto end = ends.find(value); end != ends.end())
      time.collectives += std::max(0.0, end->second - time.total());
  }

  double bytesOf(ValueId id) const {
    if (id == runtime::none)
      return 0;
    const runtime::Value &value = plan.values[static_cast<size_t>(id)];
    auto bytes = static_cast<double>(sizeOf(value.dtype));
    for (int64_t dim : value.dims)
      bytes *= static_cast<double>(std::max<int64_t>(dim, 1));
    return bytes;
  }

  bool is16Bit(const Step &step) const {
    for (ValueId id : step.inputs)
      if (id != runtime::none) {
        DType dtype = plan.values[static_cast<size_t>(id)].dtype;
        return dtype == DType::Float16 || dtype == DType::BFloat16;
      }
    return false;
  }

  double secondsOf(const Step &step) const {
    double written = 0, bytes = 0;
    bool isAlias = false;
    for (ValueId id : step.outputs) {
      isAlias |=
          id != runtime::none && plan.values[static_cast<size_t>(id)].storage == runtime::Storage::Alias;
      written += bytesOf(id);
    }
    if (isAlias)
      return cluster.stepSeconds;
    for (ValueId id : step.inputs)
      bytes += step.flops > 0 ? bytesOf(id) : std::min(bytesOf(id), written);
    double rate = is16Bit(step) ? cluster.flops16 : cluster.flops32;
    return std::max(step.flops / rate, (bytes + written) / cluster.memoryBandwidth) + cluster.stepSeconds;
  }

  /// Of a step between placements; nothing: the step is another one, or moves nothing.
  std::optional<LinkTime> collectiveTime(const Step &step) const {
    if (!step.symbol.starts_with("dist_") || step.inputs.empty() || step.outputs.empty())
      return std::nullopt;
    runtime::OperandType types[] = {typeOf(step.inputs.front()), typeOf(step.outputs.front())};
    auto placed = runtime::placementStepOf(step.symbol, step.attributes,
                                           {std::span(types).first(1), std::span(types).last(1)});
    if (!placed)
      return std::nullopt;
    completeDims(*placed, types[0].dims);
    auto position = runtime::positionOfRank(placed->mesh, rank);
    std::optional<plan::Collective> kind = plan::collectiveOf(placed->kind);
    if (!position || !kind)
      return std::nullopt;
    plan::DeviceGroup group = groupOf(*placed, *position);
    bool isGather = *kind == plan::Collective::AllGather;
    double bytes = bytesOf(isGather ? step.outputs.front() : step.inputs.front());
    return LinkTime{cluster.seconds(*kind, group, 0), cluster.seconds(*kind, group, bytes)};
  }

  /// Sets dims of the whole value that the step does not need, or that are not known, by the local ones.
  static void completeDims(runtime::PlacementStep &step, const std::vector<int64_t> &local) {
    for (size_t dim = 0; dim < step.dims.size(); ++dim)
      if (step.dims[dim] == runtime::dynamicDim)
        step.dims[dim] = std::max<int64_t>(local[dim], 1) * step.from.dims[dim].shardCount();
  }

  runtime::OperandType typeOf(ValueId id) const {
    const runtime::Value &value = plan.values[static_cast<size_t>(id)];
    return {.present = true, .dtype = value.dtype, .dims = value.dims};
  }

  /// The ranks that exchange elements with this one, and itself, as an even group.
  plan::DeviceGroup groupOf(const runtime::PlacementStep &step, int64_t position) const {
    spmd::Exchange exchange =
        spmd::planExchange(step.kind, step.mesh, step.from, step.to, step.dims, position);
    std::vector<int64_t> members{rank};
    auto add = [&](int64_t other) { members.push_back(step.mesh.deviceAt(other)); };
    std::ranges::for_each(exchange.group, add);
    for (const auto *list : {&exchange.sends, &exchange.receives})
      for (const spmd::Transfer &transfer : *list)
        add(transfer.position);
    std::ranges::sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    plan::DeviceGroup group{1, static_cast<int64_t>(members.size())};
    for (size_t i = 1; i < members.size(); ++i)
      group.stride = i == 1 ? members[1] - members[0] : std::min(group.stride, members[i] - members[i - 1]);
    return group;
  }

  const runtime::Plan &plan;
  const plan::Cluster &cluster;
  const int64_t rank;
  const double trips;
  RankTime time;
  double linkIsFree = 0;
  std::map<ValueId, double> ends;      ///< of started collectives, by their output
  std::map<ValueId, int64_t> receives; ///< channels of started receives, by their output
  size_t next = 0;                     ///< step
};

} // namespace

RankTime timeOfRank(const runtime::Plan &plan, const plan::Cluster &cluster, int64_t rank, int64_t trips) {
  Messages messages(cluster);
  messages.stopWaiting();
  Clock clock(plan, cluster, rank, trips);
  clock.advance(messages);
  return clock.now();
}

std::vector<RankTime> timesOfRanks(std::span<const runtime::Plan *const> plans, const plan::Cluster &cluster,
                                   int64_t trips) {
  Messages messages(cluster);
  std::vector<Clock> clocks;
  for (const runtime::Plan *plan : plans) {
    clocks.emplace_back(*plan, cluster, static_cast<int64_t>(clocks.size()), trips);
    clocks.back().expectSends(messages);
  }
  for (bool isRunning = true; isRunning;) {
    bool hasAdvanced = false;
    isRunning = false;
    for (Clock &clock : clocks) {
      hasAdvanced |= clock.advance(messages);
      isRunning |= !clock.hasEnded();
    }
    if (!hasAdvanced) // messages that a branch sends
      messages.stopWaiting();
  }
  std::vector<RankTime> times;
  for (const Clock &clock : clocks)
    times.push_back(clock.now());
  return times;
}

} // namespace proa
