#include "lib/base/spmd/Exchange.h"

#include "lib/base/spmd/Refine.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

namespace proa::spmd {
namespace {

using Ranges = std::vector<std::vector<Range>>;

/// The indices that a position holds of each dimension.
Ranges rangesOf(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position) {
  Ranges ranges;
  for (size_t d = 0; d < dims.size(); ++d)
    ranges.push_back(localRanges(mesh, placement.dims[d], dims[d], position));
  return ranges;
}

std::vector<Segment> commonSegments(const std::vector<Range> &source, const std::vector<Range> &target) {
  std::vector<Segment> segments;
  int64_t sourceOffset = 0, targetOffset = 0;
  for (size_t i = 0, j = 0; i < source.size() && j < target.size();) {
    const Range &a = source[i], &b = target[j];
    int64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
    if (begin < end) {
      Segment next = {sourceOffset + begin - a.begin, targetOffset + begin - b.begin, end - begin};
      bool continues = !segments.empty() && segments.back().source + segments.back().size == next.source &&
                       segments.back().target + segments.back().size == next.target;
      if (continues)
        segments.back().size += next.size;
      else
        segments.push_back(next);
    }
    if (a.end <= b.end)
      sourceOffset += source[i++].size();
    if (b.end <= a.end)
      targetOffset += target[j++].size();
  }
  return segments;
}

/// The elements that are in both.
Transfer transferOf(int64_t position, const Ranges &source, const Ranges &target) {
  Transfer transfer{position, {}};
  for (size_t d = 0; d < source.size(); ++d)
    transfer.dims.push_back(commonSegments(source[d], target[d]));
  return transfer;
}

void addUnlessEmpty(std::vector<Transfer> &list, Transfer transfer) {
  if (transfer.count() > 0)
    list.push_back(std::move(transfer));
}

/// The positions that have the coordinates of `position` on all axes that are not of the group, ascending.
std::vector<int64_t> membersOf(const Mesh &mesh, const std::vector<bool> &group, int64_t position) {
  std::vector<int64_t> members;
  for (int64_t other = 0; other < mesh.size(); ++other) {
    bool isMember = true;
    for (unsigned i = 0; i < group.size() && isMember; ++i)
      isMember = group[i] || mesh.coordinate(mesh.full(i), other) == mesh.coordinate(mesh.full(i), position);
    if (isMember)
      members.push_back(other);
  }
  return members;
}

/// One step, with placements in full axes.
class ExchangePlanner {
public:
  ExchangePlanner(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                  int64_t position)
      : kind(kind), mesh(mesh), from(from), to(to), dims(dims), position(position),
        source(rangesOf(mesh, from, dims, position)), target(rangesOf(mesh, to, dims, position)),
        members(membersOf(mesh, groupAxes(kind, mesh, from, to), position)) {
    exchange.sourceDims = localDims(mesh, from, dims, position);
    exchange.targetDims = localDims(mesh, to, dims, position);
  }

  Exchange plan() {
    switch (kind) {
    case StepKind::Slice:
      exchange.receives.push_back(transferOf(position, source, target));
      break;
    case StepKind::ToPartial:
      addTerm();
      break;
    case StepKind::AllGather:
      exchange.isEven = haveEqualShards(from);
      addMembers();
      break;
    case StepKind::AllToAll:
      addMembers();
      break;
    case StepKind::ReduceScatter:
      exchange.reduction = reduction();
      exchange.isEven = haveEqualShards(to);
      addMembers();
      break;
    case StepKind::AllReduce:
      exchange.reduction = reduction();
      exchange.group = members;
      break;
    case StepKind::Permute:
      addPermutation();
      break;
    }
    return std::move(exchange);
  }

private:
  /// Of the axes that are partial before the step and not after it.
  Reduction reduction() const {
    for (const PartialAxis &p : from.partial)
      if (std::ranges::find(to.partial, p) == to.partial.end())
        return p.reduction;
    return Reduction::Sum;
  }

  /// Whether the members have shards of one size, and not empty ones.
  bool haveEqualShards(const Placement &placement) const {
    std::vector<int64_t> own = localDims(mesh, placement, dims, position);
    return std::ranges::find(own, 0) == own.end() && std::ranges::all_of(members, [&](int64_t member) {
             return localDims(mesh, placement, dims, member) == own;
           });
  }

  void addMembers() {
    for (int64_t member : members) {
      addUnlessEmpty(exchange.receives, transferOf(member, rangesOf(mesh, from, dims, member), target));
      if (member != position)
        addUnlessEmpty(exchange.sends, transferOf(member, source, rangesOf(mesh, to, dims, member)));
    }
  }

  void addPermutation() {
    std::vector<int64_t> sources = permutationSources(mesh, from, to, dims);
    for (int64_t other = 0; other < mesh.size(); ++other) {
      if (sources[position] == other)
        addUnlessEmpty(exchange.receives, transferOf(other, rangesOf(mesh, from, dims, other), target));
      if (sources[other] == position && other != position)
        addUnlessEmpty(exchange.sends, transferOf(other, source, rangesOf(mesh, to, dims, other)));
    }
  }

  /// Of axes that become partial: those that split a dimension of the source embed its shard; over the others
  /// the first coordinate keeps the value, or all do if equal terms combine to themselves.
  void addTerm() {
    bool isNeutral = false;
    for (const PartialAxis &p : to.partial) {
      if (std::ranges::find(from.partial, p) != from.partial.end())
        continue;
      exchange.fill = p.reduction;
      bool splits = std::ranges::any_of(from.dims, [&](const DimPlacement &dim) {
        return std::ranges::find(dim.axes, p.axis) != dim.axes.end();
      });
      bool keepsCopies = p.reduction != Reduction::Sum && p.reduction != Reduction::Prod;
      isNeutral |= !splits && !keepsCopies && mesh.coordinate(p.axis, position) > 0;
    }
    if (!isNeutral)
      addUnlessEmpty(exchange.receives, transferOf(position, source, target));
  }

  StepKind kind;
  const Mesh &mesh;
  const Placement &from, &to;
  Dims dims;
  int64_t position;
  Ranges source, target;
  std::vector<int64_t> members;
  Exchange exchange;
};

/// The shards of a value on a mesh, each with the devices that hold it.
class ShardHolders {
public:
  ShardHolders(const Mesh &mesh, const Placement &placement, Dims dims) {
    std::map<std::vector<int64_t>, size_t> indexOfShard;
    for (int64_t position = 0; position < mesh.size(); ++position) {
      std::vector<int64_t> shard;
      for (const DimPlacement &dim : placement.dims)
        shard.push_back(mesh.shardOf(dim.axes, position));
      auto [entry, isNew] = indexOfShard.try_emplace(shard, shards.size());
      if (isNew)
        shards.push_back({rangesOf(mesh, placement, dims, position), {}});
      shards[entry->second].devices.push_back(mesh.deviceAt(position));
    }
  }

  struct Shard {
    Ranges ranges;
    std::vector<int64_t> devices;
  };
  std::vector<Shard> shards;
};

} // namespace

int64_t Transfer::count() const {
  int64_t count = 1;
  for (const std::vector<Segment> &segments : dims) {
    int64_t size = 0;
    for (const Segment &segment : segments)
      size += segment.size;
    count *= size;
  }
  return count;
}

Exchange planExchange(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                      int64_t position) {
  const std::array placements = {from, to};
  std::optional<Refinement> refined = refine(mesh, placements);
  if (!refined)
    return {};
  return ExchangePlanner(kind, refined->mesh, refined->placements[0], refined->placements[1], dims, position)
      .plan();
}

void forEachTransfer(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                     Dims dims, const std::function<void(int64_t, int64_t, Transfer)> &visit) {
  ShardHolders holders(source, from, dims);
  // Receivers of a shard take it from its holders in turn.
  std::vector<size_t> next(holders.shards.size());
  for (int64_t position = 0; position < target.size(); ++position) {
    int64_t receiver = target.deviceAt(position);
    Ranges needed = rangesOf(target, to, dims, position);
    for (size_t i = 0; i < holders.shards.size(); ++i) {
      const auto &[ranges, devices] = holders.shards[i];
      Transfer transfer = transferOf(0, ranges, needed);
      if (transfer.count() == 0)
        continue;
      bool isHeld = std::ranges::find(devices, receiver) != devices.end();
      visit(isHeld ? receiver : devices[next[i]++ % devices.size()], receiver, std::move(transfer));
    }
  }
}

Exchange planMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                  Dims dims, int64_t device) {
  Exchange exchange;
  if (std::optional<int64_t> own = positionOf(source, device))
    exchange.sourceDims = localDims(source, from, dims, *own);
  if (std::optional<int64_t> own = positionOf(target, device))
    exchange.targetDims = localDims(target, to, dims, *own);
  forEachTransfer(source, from, target, to, dims, [&](int64_t giver, int64_t receiver, Transfer transfer) {
    if (receiver == device)
      exchange.receives.push_back({giver, transfer.dims});
    if (giver == device)
      exchange.sends.push_back({receiver, std::move(transfer.dims)});
  });
  std::ranges::stable_sort(exchange.sends, {}, &Transfer::position);
  std::ranges::stable_sort(exchange.receives, {}, &Transfer::position);
  return exchange;
}

std::optional<int64_t> positionOf(const Mesh &mesh, int64_t device) {
  for (int64_t position = 0; position < mesh.size(); ++position)
    if (mesh.deviceAt(position) == device)
      return position;
  return std::nullopt;
}

int64_t rootOf(const Mesh &mesh, std::span<const AxisRef> axes, std::span<const int64_t> root,
               int64_t position) {
  int64_t result = position;
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisRef &axis = axes[i];
    // The distance between positions that are neighbours on the axis.
    int64_t stride = mesh.axes[axis.axis].size / (axis.pre * axis.size);
    for (size_t inner = axis.axis + 1; inner < mesh.axes.size(); ++inner)
      stride *= mesh.axes[inner].size;
    result += (root[i] - mesh.coordinate(axis, position)) * stride;
  }
  return result;
}

} // namespace proa::spmd
