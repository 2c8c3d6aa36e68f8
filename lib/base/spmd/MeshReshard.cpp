#include "lib/base/spmd/MeshReshard.h"

#include "lib/base/spmd/Exchange.h"
#include "lib/base/spmd/View.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace proa::spmd {

namespace {

/// Pairs of devices up to which the traffic is counted exactly.
constexpr int64_t mostPairs = 1 << 14;

int64_t mostOf(const std::map<int64_t, int64_t> &counts) {
  int64_t most = 0;
  for (const auto &[device, count] : counts)
    most = std::max(most, count);
  return most;
}

MoveTraffic exactTraffic(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                         Dims dims) {
  std::map<int64_t, int64_t> received, sent, messagesIn, messagesOut;
  MoveTraffic traffic;
  forEachTransfer(source, from, target, to, dims,
                  [&](int64_t giver, int64_t receiver, const Transfer &transfer) {
                    if (giver == receiver)
                      return;
                    int64_t count = transfer.count();
                    received[receiver] += count;
                    sent[giver] += count;
                    ++messagesIn[receiver];
                    ++messagesOut[giver];
                    traffic.total += count;
                  });
  traffic.mostReceived = mostOf(received);
  traffic.mostSent = mostOf(sent);
  traffic.mostMessages = std::max(mostOf(messagesIn), mostOf(messagesOut));
  return traffic;
}

/// The elements that the device at a position of the target lacks.
int64_t missingCount(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                     Dims dims, int64_t position) {
  std::optional<int64_t> own = positionOf(source, target.deviceAt(position));
  int64_t neededCount = 1, heldCount = own ? 1 : 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<Range> needed = localRanges(target, to.dims[d], dims[d], position), held;
    if (own)
      held = localRanges(source, from.dims[d], dims[d], *own);
    int64_t size = 0, common = 0;
    for (const Range &range : needed)
      size += range.size();
    for (const Range &a : held)
      for (const Range &b : needed)
        common += std::max<int64_t>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
    neededCount *= size;
    heldCount *= common;
  }
  return neededCount - heldCount;
}

/// For large meshes: the largest shard of the target is received from as many devices as its share of the
/// shards of the source, and the devices of the source send equal amounts.
MoveTraffic estimatedTraffic(const Mesh &source, const Placement &from, const Mesh &target,
                             const Placement &to, Dims dims) {
  MoveTraffic traffic;
  traffic.mostReceived = largestLocalCount(to, dims);
  traffic.total = traffic.mostReceived * target.size();
  traffic.mostSent = (traffic.total + source.size() - 1) / source.size();
  int64_t in = 1, out = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t few = from.dims[d].shardCount(), many = to.dims[d].shardCount();
    in *= std::max<int64_t>(1, few / many);
    out *= std::max<int64_t>(1, many / few);
  }
  traffic.mostMessages = std::max(in, out);
  return traffic;
}

bool isUsed(const Placement &placement, const Mesh &mesh, unsigned axis) {
  auto overlaps = [&](const AxisRef &ref) { return ref.axis == axis && ref.size > 1; };
  return mesh.axes[axis].size == 1 || std::ranges::any_of(placement.dims, [&](const DimPlacement &dim) {
           return std::ranges::any_of(dim.axes, overlaps);
         });
}

void addUnique(std::vector<Placement> &list, Placement placement) {
  if (std::ranges::find(list, placement) == list.end())
    list.push_back(std::move(placement));
}

/// The placement without partial axes, and split further over the axes that it does not use: over all of them
/// along one dimension.
std::vector<Placement> refinements(const Mesh &mesh, Placement placement, const Placement &other, Dims dims) {
  placement.partial.clear();
  std::vector<Placement> result{placement};
  std::vector<AxisRef> unused;
  for (unsigned axis = 0; axis < mesh.axes.size(); ++axis)
    if (!isUsed(placement, mesh, axis))
      unused.push_back(mesh.full(axis));
  for (size_t d = 0; d < dims.size() && !unused.empty(); ++d) {
    Placement split = placement;
    DimPlacement &dim = split.dims[d];
    if (dim.axes.empty())
      dim.blocks = other.dims[d].blocks;
    dim.axes.insert(dim.axes.end(), unused.begin(), unused.end());
    if (dim.shardCount() <= dims[d])
      addUnique(result, std::move(split));
  }
  return result;
}

/// Plans on one of the meshes, from or to each candidate.
struct Candidate {
  Placement placement;
  ReshardPlan plan;
};

class MeshPlanner {
public:
  MeshPlanner(const MeshPlacement &source, const MeshPlacement &target, Dims dims, const Link &between,
              const ReshardOptions &options)
      : source(source), target(target), dims(dims), between(between), options(options) {}

  Result<MeshReshardPlan> plan() {
    if (auto view = MeshView::of(target.mesh, source.mesh))
      if (auto own = view->translated(target.placement))
        return planOnView(*own);
    std::vector<Candidate> sent = candidates(source, target, /*isSource=*/true);
    std::vector<Candidate> received = candidates(target, source, /*isSource=*/false);
    std::optional<MeshReshardPlan> best;
    for (const Candidate &first : sent)
      for (const Candidate &second : received)
        if (auto next = joined(first, second); next && (!best || next->seconds < best->seconds))
          best = std::move(next);
    if (best)
      return *best;
    return errorAt("", fmt::format("no plan from {} to {} of another mesh fits {} bytes per device",
                                   toText(source.mesh, source.placement),
                                   toText(target.mesh, target.placement), options.memoryLimit));
  }

private:
  ReshardOptions optionsOn(const MeshPlacement &side) const {
    ReshardOptions own = options;
    own.links.assign(side.links.begin(), side.links.end());
    return own;
  }

  /// The devices and their order are as in the source: all steps are on the source mesh.
  Result<MeshReshardPlan> planOnView(const Placement &to) const {
    Result<ReshardPlan> plan = planReshard(source.mesh, source.placement, to, dims, optionsOn(source));
    if (!plan)
      return plan.diagnostics();
    return MeshReshardPlan{std::move(plan->steps), std::nullopt, {}, plan->seconds, plan->peakBytes};
  }

  std::vector<Candidate> candidates(const MeshPlacement &own, const MeshPlacement &other,
                                    bool isSource) const {
    std::vector<Placement> placements = refinements(own.mesh, own.placement, other.placement, dims);
    if (auto named = translatedByName(other.mesh, other.placement, own.mesh)) {
      named->partial.clear();
      addUnique(placements, std::move(*named));
    }
    std::vector<Candidate> result;
    for (Placement &placement : placements) {
      Result<ReshardPlan> plan = isSource
                                     ? planReshard(own.mesh, own.placement, placement, dims, optionsOn(own))
                                     : planReshard(own.mesh, placement, own.placement, dims, optionsOn(own));
      if (plan)
        result.push_back({std::move(placement), std::move(*plan)});
    }
    return result;
  }

  std::optional<MeshReshardPlan> joined(const Candidate &first, const Candidate &second) const {
    int64_t peak = std::max(first.plan.peakBytes, second.plan.peakBytes);
    int64_t sent = largestLocalCount(first.placement, dims) * options.elementBytes;
    int64_t received = largestLocalCount(second.placement, dims) * options.elementBytes;
    peak = std::max(peak, sent + received);
    if (options.memoryLimit > 0 && peak > options.memoryLimit)
      return std::nullopt;
    double seconds =
        first.plan.seconds + second.plan.seconds + secondsOfMove(first.placement, second.placement);
    return MeshReshardPlan{first.plan.steps, MeshMove{first.placement, second.placement}, second.plan.steps,
                           seconds, peak};
  }

  double secondsOfMove(const Placement &from, const Placement &to) const {
    MoveTraffic traffic = trafficOfMove(source.mesh, from, target.mesh, to, dims);
    auto bytes = [&](int64_t count) { return static_cast<double>(count * options.elementBytes); };
    return options.stepSeconds + bytes(largestLocalCount(to, dims)) / options.copyBandwidth +
           between.latency * static_cast<double>(traffic.mostMessages) +
           bytes(std::max(traffic.mostReceived, traffic.mostSent)) / between.bandwidth;
  }

  const MeshPlacement &source, &target;
  Dims dims;
  const Link &between;
  const ReshardOptions &options;
};

} // namespace

MoveTraffic trafficOfMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                          Dims dims) {
  return source.size() * target.size() <= mostPairs ? exactTraffic(source, from, target, to, dims)
                                                    : estimatedTraffic(source, from, target, to, dims);
}

Result<MeshReshardPlan> planMeshReshard(const MeshPlacement &source, const MeshPlacement &target, Dims dims,
                                        const Link &between, const ReshardOptions &options) {
  return MeshPlanner(source, target, dims, between, options).plan();
}

int64_t lowerBoundOfMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                         Dims dims) {
  int64_t total = 0;
  for (int64_t position = 0; position < target.size(); ++position)
    total += missingCount(source, from, target, to, dims, position);
  return total;
}

} // namespace proa::spmd
