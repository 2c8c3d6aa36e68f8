#include "test/unit/spmd/SimulatedMesh.h"
#include "test/unit/spmd/ReductionTerms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace proa::spmd {

namespace {

using test::combine;
using test::neutral;

bool keepsCopies(Reduction reduction) { return reduction != Reduction::Sum && reduction != Reduction::Prod; }

bool splits(const Placement &placement, const AxisRef &axis) {
  return std::ranges::any_of(placement.dims, [&](const DimPlacement &dim) {
    return std::ranges::find(dim.axes, axis) != dim.axes.end();
  });
}

void addPlacements(const Mesh &mesh, unsigned axis, std::span<const Reduction> reductions,
                   const Placement &placement, std::vector<Placement> &result) {
  if (axis == mesh.axes.size()) {
    result.push_back(placement);
    return;
  }
  addPlacements(mesh, axis + 1, reductions, placement, result);
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (size_t k = 0; k <= placement.dims[d].axes.size(); ++k) {
      Placement next = placement;
      next.dims[d].axes.insert(next.dims[d].axes.begin() + static_cast<ptrdiff_t>(k), mesh.full(axis));
      addPlacements(mesh, axis + 1, reductions, next, result);
    }
  for (Reduction reduction : reductions) {
    Placement next = placement;
    next.partial.push_back({mesh.full(axis), reduction});
    if (commute(next.partial.front().reduction, reduction))
      addPlacements(mesh, axis + 1, reductions, next, result);
  }
}

} // namespace

std::vector<Placement> allPlacements(const Mesh &mesh, size_t rank, std::span<const Reduction> reductions) {
  std::vector<Placement> result;
  addPlacements(mesh, 0, reductions, Placement{std::vector<DimPlacement>(rank)}, result);
  return result;
}

/// The indices of one dimension, in the order of the local tensor.
static std::vector<int64_t> heldOfDim(const Mesh &mesh, const DimPlacement &dim, int64_t size,
                                      int64_t position) {
  int64_t shards = 1, shard = 0;
  for (const AxisRef &axis : dim.axes) {
    shards *= axis.size;
    shard = shard * axis.size + mesh.coordinate(axis, position);
  }
  std::vector<int64_t> held;
  int64_t offset = 0;
  for (int64_t block : dim.blocks.empty() ? std::vector{size} : dim.blocks) {
    for (int64_t e = 0; e < block; ++e)
      if (e * shards / block == shard)
        held.push_back(offset + e);
    offset += block;
  }
  return held;
}

std::vector<int64_t> SimulatedMesh::heldIndices(const Placement &placement, int64_t position) const {
  std::vector<int64_t> indices = {0};
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t outer : indices)
      for (int64_t inner : heldOfDim(mesh, placement.dims[d], dims[d], position))
        next.push_back(outer * dims[d] + inner);
    indices = std::move(next);
  }
  return indices;
}

const double *SimulatedMesh::find(int64_t position, int64_t index) const {
  for (const auto &[held, value] : buffers[position])
    if (held == index)
      return &value;
  return nullptr;
}

void SimulatedMesh::fill(const Placement &placement, uint64_t seed, bool isBool) {
  current = placement;
  received.assign(mesh.size(), 0);
  buffers.assign(mesh.size(), {});
  for (int64_t position = 0; position < mesh.size(); ++position)
    for (int64_t index : heldIndices(placement, position)) {
      std::mt19937_64 random(seed * 1000003 + partialCoordinate(mesh, placement, position) * 10007 + index);
      int64_t value = static_cast<int64_t>(random() % 7) - 2;
      buffers[position].push_back({index, static_cast<double>(isBool ? value > 0 : value)});
    }
}

void SimulatedMesh::set(const Placement &placement, const std::vector<double> &whole) {
  current = placement;
  received.assign(mesh.size(), 0);
  buffers.assign(mesh.size(), {});
  for (int64_t position = 0; position < mesh.size(); ++position)
    for (int64_t index : heldIndices(placement, position))
      buffers[position].push_back({index, whole[static_cast<size_t>(index)]});
}

std::vector<int64_t> SimulatedMesh::groupOf(StepKind kind, int64_t position, const Placement &from,
                                            const Placement &to) const {
  std::vector<bool> group = groupAxes(kind, mesh, from, to);
  std::vector<int64_t> members;
  for (int64_t other = 0; other < mesh.size(); ++other) {
    bool same = true;
    for (unsigned i = 0; i < group.size(); ++i)
      same &= group[i] || mesh.coordinate(mesh.full(i), other) == mesh.coordinate(mesh.full(i), position);
    if (same)
      members.push_back(other);
  }
  return members;
}

std::string SimulatedMesh::apply(StepKind kind, const Placement &to) {
  std::vector<Elements> next(buffers.size());
  std::vector<int64_t> sources, uses(mesh.size());
  if (kind == StepKind::Permute)
    sources = permutationSources(mesh, current, to, dims);
  for (int64_t position = 0; position < mesh.size(); ++position) {
    std::vector<int64_t> group = groupOf(kind, position, current, to);
    std::vector<int64_t> indices = heldIndices(to, position);
    if (kind == StepKind::Permute) {
      if (++uses[sources[position]] > 1 || std::ranges::find(group, sources[position]) == group.end())
        return "the permutation is not one of the group";
      group = {sources[position]};
      if (sources[position] != position)
        received[position] += static_cast<int64_t>(indices.size());
    }
    for (int64_t index : indices) {
      const double *own = find(position, index);
      if (kind == StepKind::ReduceScatter || kind == StepKind::AllReduce) {
        std::vector<double> terms;
        Reduction reduction = Reduction::Sum;
        for (const PartialAxis &p : current.partial)
          if (std::ranges::find(to.partial, p) == to.partial.end())
            reduction = p.reduction;
        for (int64_t member : group)
          if (const double *term = find(member, index))
            terms.push_back(*term);
        if (terms.size() != group.size())
          return fmt::format("element {} lacks terms", index);
        next[position].push_back({index, combine(reduction, terms)});
        if (kind == StepKind::ReduceScatter)
          received[position] += static_cast<int64_t>(terms.size()) - 1;
      } else if (kind == StepKind::ToPartial) {
        double value = own ? *own : 0;
        for (const PartialAxis &p : to.partial) {
          bool isNew = std::ranges::find(current.partial, p) == current.partial.end();
          bool isLater = !splits(current, p.axis) && mesh.coordinate(p.axis, position) > 0;
          if (isNew && (!own || (isLater && !keepsCopies(p.reduction))))
            value = neutral(p.reduction);
        }
        next[position].push_back({index, value});
      } else if (kind == StepKind::Permute) {
        const double *value = find(group[0], index);
        if (!value)
          return fmt::format("element {} is not at the source of the permutation", index);
        next[position].push_back({index, *value});
      } else if (own) {
        next[position].push_back({index, *own});
      } else {
        const double *value = nullptr;
        for (int64_t member : group)
          if (!value)
            value = find(member, index);
        if (!value || kind == StepKind::Slice)
          return fmt::format("element {} is not in the group", index);
        next[position].push_back({index, *value});
        ++received[position];
      }
    }
    if (kind == StepKind::AllReduce) {
      int64_t count = static_cast<int64_t>(indices.size()), n = static_cast<int64_t>(group.size());
      int64_t shard = (count + n - 1) / n;
      received[position] += (n - 1) * shard + count - shard;
    }
  }
  buffers = std::move(next);
  current = to;
  return {};
}

std::vector<double> SimulatedMesh::whole() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  // Terms by partial coordinate. Sums and averages are combined axis after axis, in any order.
  std::vector<double> result;
  for (int64_t index = 0; index < count; ++index) {
    std::map<int64_t, double> terms;
    bool isConsistent = true;
    for (int64_t position = 0; position < mesh.size(); ++position)
      if (const double *value = find(position, index)) {
        auto [term, isNew] = terms.try_emplace(partialCoordinate(mesh, current, position), *value);
        isConsistent &= isNew || term->second == *value;
      }
    int64_t expected = 1, averaged = 1;
    for (const PartialAxis &p : current.partial) {
      expected *= p.axis.size;
      averaged *= p.reduction == Reduction::Avg ? p.axis.size : 1;
    }
    if (!isConsistent || static_cast<int64_t>(terms.size()) != expected) {
      result.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    std::vector<double> values;
    for (const auto &[coordinate, value] : terms)
      values.push_back(value);
    Reduction reduction = current.partial.empty() ? Reduction::Sum : current.partial.front().reduction;
    if (reduction == Reduction::Avg)
      reduction = Reduction::Sum;
    result.push_back(combine(reduction, values) / static_cast<double>(averaged));
  }
  return result;
}

std::vector<double> SimulatedMesh::local(int64_t position) const {
  std::vector<double> values;
  for (const auto &[index, value] : buffers[position])
    values.push_back(value);
  return values;
}

} // namespace proa::spmd
