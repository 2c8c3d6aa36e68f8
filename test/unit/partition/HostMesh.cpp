#include "test/unit/partition/HostMesh.h"

#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"
#include "lib/base/spmd/Refine.h"
#include "test/unit/spmd/ReductionTerms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <map>

namespace proa::test {
namespace {

using spmd::Reduction;

/// For each dim, the indices in the whole tensor that a position holds.
std::vector<std::vector<int64_t>> heldAt(const spmd::Mesh &mesh, const spmd::Placement &placement,
                                         const std::vector<int64_t> &dims, int64_t position) {
  std::vector<std::vector<int64_t>> held;
  for (size_t d = 0; d < dims.size(); ++d) {
    std::vector<int64_t> &indices = held.emplace_back();
    for (const spmd::Range &range : spmd::localRanges(mesh, placement.dims[d], dims[d], position))
      for (int64_t i = range.begin; i < range.end; ++i)
        indices.push_back(i);
  }
  return held;
}

std::vector<int64_t> dimsOf(const std::vector<std::vector<int64_t>> &held) {
  std::vector<int64_t> dims;
  for (const auto &indices : held)
    dims.push_back(static_cast<int64_t>(indices.size()));
  return dims;
}

/// The position of an element in the local tensor; none if the position does not hold it.
std::optional<int64_t> localIndex(const std::vector<std::vector<int64_t>> &held,
                                  const std::vector<int64_t> &index) {
  int64_t linear = 0;
  for (size_t d = 0; d < held.size(); ++d) {
    auto found = std::ranges::find(held[d], index[d]);
    if (found == held[d].end())
      return std::nullopt;
    linear = linear * static_cast<int64_t>(held[d].size()) + (found - held[d].begin());
  }
  return linear;
}

/// An element; the imaginary component of real numbers is 0.
using Number = std::complex<double>;

pd::HostScalar scalarOf(DType dtype, Number value) {
  if (dtype == DType::Bool)
    return pd::HostScalar::of(value.real() != 0);
  if (dtype == DType::Int32 || dtype == DType::Int64)
    return pd::HostScalar::of(static_cast<int64_t>(value.real()));
  bool isComplex = dtype == DType::Complex64 || dtype == DType::Complex128;
  return isComplex ? pd::HostScalar::of(value) : pd::HostScalar::of(value.real());
}

std::vector<spmd::PartialAxis> without(const std::vector<spmd::PartialAxis> &axes,
                                       const std::vector<spmd::PartialAxis> &others) {
  std::vector<spmd::PartialAxis> rest;
  for (const spmd::PartialAxis &axis : axes)
    if (std::ranges::find(others, axis) == others.end())
      rest.push_back(axis);
  return rest;
}

bool splits(const spmd::Placement &placement, const spmd::AxisRef &axis) {
  return std::ranges::any_of(placement.dims, [&](const spmd::DimPlacement &dim) {
    return std::ranges::find(dim.axes, axis) != dim.axes.end();
  });
}

/// Moves the elements of a tensor to one position.
class Mover {
public:
  Mover(const spmd::Mesh &mesh, const spmd::Placement &from, const spmd::Placement &to,
        const std::vector<int64_t> &dims, const Locals &locals, int64_t target)
      : mesh(mesh), from(from), locals(locals), target(target), combined(without(from.partial, to.partial)),
        created(without(to.partial, from.partial)), kept(without(from.partial, combined)),
        heldByTarget(heldAt(mesh, to, dims, target)) {
    for (int64_t position = 0; position < mesh.size(); ++position)
      held.push_back(heldAt(mesh, from, dims, position));
  }

  Result<Tensor> run() {
    for (int64_t p = 0; p < mesh.size(); ++p)
      if (!isOther(p) && locals[p].dims() != dimsOf(held[p]))
        return errorAt("position " + std::to_string(p),
                       "a local tensor " + locals[p].describe() + " does not have the dims of its shard");
    Tensor result(locals[0].dtype(), dimsOf(heldByTarget));
    std::string reason;
    std::vector<int64_t> dims = result.dims();
    pd::forEachIndex(dims, [&](llvm::ArrayRef<int64_t> local, int64_t linear) {
      std::vector<int64_t> index;
      for (size_t d = 0; d < local.size(); ++d)
        index.push_back(heldByTarget[d][local[d]]);
      Number value = valueOf(index, reason);
      pd::storeScalar(result, linear, scalarOf(result.dtype(), value));
    });
    if (!reason.empty())
      return errorAt("position " + std::to_string(target), reason);
    return result;
  }

private:
  /// Whether a position has other terms of the value.
  bool isOther(int64_t position) const {
    return std::ranges::any_of(kept, [&](const spmd::PartialAxis &axis) {
      return mesh.coordinate(axis.axis, position) != mesh.coordinate(axis.axis, target);
    });
  }

  Number valueOf(const std::vector<int64_t> &index, std::string &reason) {
    std::map<std::vector<int64_t>, Number> terms; // by the coordinates on the axes that are combined
    for (int64_t p = 0; p < mesh.size(); ++p) {
      auto at = localIndex(held[p], index);
      if (!at || isOther(p))
        continue;
      std::vector<int64_t> coordinates;
      for (const spmd::PartialAxis &axis : combined)
        coordinates.push_back(mesh.coordinate(axis.axis, p));
      pd::HostScalar scalar = pd::loadScalar(locals[p], *at);
      Number value(scalar.real(), scalar.kind == pd::HostScalar::Kind::Complex ? scalar.value.imag() : 0);
      auto [term, isNew] = terms.try_emplace(coordinates, value);
      if (!isNew && term->second != value && !(term->second != term->second && value != value))
        reason = fmt::format("copies of an element differ: {} and {}", term->second.real(), value.real());
    }
    std::vector<Number> values;
    for (const auto &[coordinates, value] : terms)
      values.push_back(value);
    Number value = combined.empty() ? values.at(0) : combine(combined.front().reduction, values);
    bool isOwn = localIndex(held[target], index).has_value();
    for (const spmd::PartialAxis &axis : created) {
      bool copies = axis.reduction != Reduction::Sum && axis.reduction != Reduction::Prod;
      bool isFirst = mesh.coordinate(axis.axis, target) == 0;
      if (splits(from, axis.axis) ? !isOwn : !isFirst && !copies)
        value = neutral(axis.reduction);
    }
    return value;
  }

  const spmd::Mesh &mesh;
  const spmd::Placement &from;
  const Locals &locals;
  int64_t target;
  std::vector<spmd::PartialAxis> combined, created, kept;
  std::vector<std::vector<int64_t>> heldByTarget;
  std::vector<std::vector<std::vector<int64_t>>> held;
};

} // namespace

/// The placements on a mesh whose axes are the sub-axes that they use; positions stay. Placements whose
/// sub-axes do not nest have none.
static Result<Tensor> move(const spmd::Mesh &mesh, const spmd::Placement &from, const spmd::Placement &to,
                           const std::vector<int64_t> &dims, const Locals &locals, int64_t position) {
  auto refined = spmd::refine(mesh, std::array{from, to});
  if (!refined)
    return errorAt("position " + std::to_string(position), "the sub-axes of the placements do not nest");
  return Mover(refined->mesh, refined->placements[0], refined->placements[1], dims, locals, position).run();
}

Tensor shardAt(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
               int64_t position) {
  spmd::Placement replicated{std::vector<spmd::DimPlacement>(whole.dims().size())};
  return *move(mesh, replicated, placement, whole.dims(), Locals(mesh.size(), whole), position);
}

Result<Tensor> moved(const spmd::Mesh &mesh, const spmd::Placement &from, const spmd::Placement &to,
                     const std::vector<int64_t> &dims, const Locals &locals, int64_t position) {
  return move(mesh, from, to, dims, locals, position);
}

} // namespace proa::test
