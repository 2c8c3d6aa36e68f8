/// Collectives on plain arrays, one per mesh position. Shares no code with lib/base/spmd but the definition
/// of placements: element e of a dimension (or block) of size S in n shards is in shard floor(e * n / S).
#pragma once

#include "lib/base/spmd/Step.h"

namespace proa::spmd {

/// Meshes whose placements are checked exhaustively.
inline const Mesh smallMeshes[] = {
    {{{"x", 2}, {"y", 2}}}, {{{"x", 2}, {"y", 3}}}, {{{"x", 2}, {"y", 2}, {"z", 2}}}};

/// All placements of a tensor of `rank` dims over full axes of the mesh. Each axis splits a dimension, in any
/// order with others, is partial over one of `reductions`, or replicates.
std::vector<Placement> allPlacements(const Mesh &mesh, size_t rank, std::span<const Reduction> reductions);

/// A tensor as one array of local elements per position.
class SimulatedMesh {
public:
  SimulatedMesh(const Mesh &mesh, std::vector<int64_t> dims) : mesh(mesh), dims(std::move(dims)) {}

  /// Gives each position random small integers, or 0 and 1 only; copies of one shard are equal.
  void fill(const Placement &placement, uint64_t seed, bool isBool = false);
  /// Gives each position its shard of a tensor. The placement is not partial.
  void set(const Placement &placement, const std::vector<double> &whole);
  /// Does a step. Adds the number of elements that each position receives from others to `received`. Returns
  /// the reason if the step is not possible, for example if no position of the group has a needed element.
  std::string apply(StepKind kind, const Placement &to);
  /// The tensor: elements of all positions, with partial values combined. Copies must be equal; otherwise
  /// NaN.
  std::vector<double> whole() const;
  /// The local tensor of a position.
  std::vector<double> local(int64_t position) const;

  std::vector<int64_t> received;

private:
  using Elements = std::vector<std::pair<int64_t, double>>; // by linear index in the whole tensor

  std::vector<int64_t> heldIndices(const Placement &placement, int64_t position) const;
  const double *find(int64_t position, int64_t index) const;
  std::vector<int64_t> groupOf(StepKind kind, int64_t position, const Placement &from,
                               const Placement &to) const;

  const Mesh &mesh;
  std::vector<int64_t> dims;
  Placement current;
  std::vector<Elements> buffers;
};

} // namespace proa::spmd
