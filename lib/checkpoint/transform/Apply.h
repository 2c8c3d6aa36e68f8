/// Computes the target tensors of a mapping from a checkpoint.
#pragma once

#include "lib/checkpoint/transform/Mapping.h"

#include <functional>

namespace proa::transform {

/// A tensor that holds at least the elements of a box, and the position of its first element in the full
/// tensor: a mapped file has the full tensor, a reader of shards may copy the box.
struct BoxTensor {
  Tensor tensor;
  /// Empty: zeros.
  std::vector<int64_t> origin = {};
};

/// Reads elements of a tensor of the input. Its errors are the computation's.
using BoxReader = std::function<Result<BoxTensor>(const std::string &name, const Box &box)>;

/// The elements of a box of a target, for example of a shard. Errors: as the reader; a target that
/// keeps its value, since there is none.
Result<Tensor> computeBox(const Mapping &mapping, const Target &target, const Box &box,
                          const BoxReader &read);
/// All elements of a target.
Result<Tensor> computeTarget(const Mapping &mapping, const Target &target, const BoxReader &read);

} // namespace proa::transform
