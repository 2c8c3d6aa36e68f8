/// Shards of tensors that devices hold, by placements.
#pragma once

#include "lib/base/spmd/Placement.h"
#include "proa/Tensor.h"

namespace proa::check {

/// The indices that a device holds of each dimension, ascending.
using Held = std::vector<std::vector<int64_t>>;

/// The indices that a position of a mesh holds of a tensor of these dims.
Held heldBy(const spmd::Mesh &mesh, const spmd::Placement &placement, spmd::Dims dims, int64_t position);
std::vector<int64_t> dimsOf(const Held &held);

/// The elements at these indices.
Tensor shardOf(const Tensor &whole, const Held &held);

/// Copies a shard to these indices of a tensor.
void copyInto(Tensor &whole, const Tensor &shard, const Held &held);

/// A tensor that is put together from shards.
class Joined {
public:
  Joined(DType dtype, std::vector<int64_t> dims);
  /// Copies a shard, which has the dims of `held`. Returns whether it equals what earlier shards put there.
  bool add(const Tensor &shard, const Held &held);
  /// Whether each element is there.
  bool isComplete() const;
  const Tensor &tensor() const { return whole; }

private:
  Tensor whole;
  std::vector<bool> filled;
};

/// The elementwise combination; for Avg the sum, which the caller divides by the number of terms.
Tensor combined(const Tensor &a, const Tensor &b, spmd::Reduction reduction);

} // namespace proa::check
