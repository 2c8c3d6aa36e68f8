/// Local tensors on the host, by the definition of placements: each element is looked up by its index in the
/// whole tensor.
#pragma once

#include "lib/base/spmd/Placement.h"

#include "proa/Tensor.h"

namespace proa::test {

/// One local tensor for each position.
using Locals = std::vector<Tensor>;

/// The shard of a tensor at a position.
Tensor shardAt(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
               int64_t position);

/// The local tensor of a position under `to`, if the positions hold `locals` under `from`. Elements are
/// copied and combined as the placements say, whatever the step is. Error: copies of an element differ, or a
/// local tensor does not have the dims of its shard.
Result<Tensor> moved(const spmd::Mesh &mesh, const spmd::Placement &from, const spmd::Placement &to,
                     const std::vector<int64_t> &dims, const Locals &locals, int64_t position);

} // namespace proa::test
