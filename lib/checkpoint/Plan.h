/// Plans that move elements from the shards of one layout to the shards of another.
#pragma once

#include "lib/checkpoint/Box.h"

#include "proa/Result.h"

#include <span>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// The elements that a source shard gives a target shard, by indices of the shards.
struct Piece {
  size_t source = 0;
  size_t target = 0;
  Box box;
};

/// The pieces of the targets, in their order. `name` is the tensor's, for messages. The sources have no
/// common elements (checkCover), so that each element of a target comes from one source. Error: elements of a
/// target that no source has. Takes O((L + C) log L + overlaps) for L sources and C targets.
Result<std::vector<Piece>> planPieces(const std::string &name, std::span<const Box> sources,
                                      std::span<const Box> targets);

/// Checks that the shards of a tensor have each element once. Errors: a box outside of the tensor, two boxes
/// with common elements, elements in no box. `where` begins messages.
Result<void> checkCover(const std::string &where, const std::string &name, spmd::Dims dims,
                        std::span<const Box> boxes);

} // namespace proa::checkpoints
