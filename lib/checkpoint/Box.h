/// Boxes of the indices of a tensor, in which shards are described.
#pragma once

#include "lib/base/spmd/Placement.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// A range of indices for each dim; no range: the only element of a scalar.
using Box = std::vector<spmd::Range>;

/// All indices of a tensor.
Box wholeBox(spmd::Dims dims);
/// The dims of a tensor that holds the elements of the box.
std::vector<int64_t> dimsOf(const Box &box);
/// The number of elements.
int64_t volumeOf(const Box &box);
/// The common elements; none if there are none.
std::optional<Box> intersection(const Box &a, const Box &b);
/// Text for messages and names: "[0:4][8:16]". Without commas, which separate names in safetensors files.
std::string toText(const Box &box);

/// The elements `begin` to `end` - 1 of a tensor in row-major order, as boxes in that order: at most 2r - 1
/// for r dims. The elements of each box are adjacent in the flattened tensor. `begin` and `end` are at most
/// the number of elements.
std::vector<Box> boxesOfFlatRange(spmd::Dims dims, int64_t begin, int64_t end);

/// Dense row-major elements of a box.
template <class Byte> struct BoxData {
  Byte *bytes = nullptr;
  const Box &box;
};

/// Copies the elements of `region`, which both boxes contain.
void copyElements(BoxData<const std::byte> source, BoxData<std::byte> target, const Box &region,
                  size_t elementSize);

} // namespace proa::checkpoints
