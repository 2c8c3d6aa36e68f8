/// Repeated ranges of a list of ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace proa {

/// A list of ops, cut into layers.
struct RepeatedLayers {
  std::vector<size_t> begins; ///< of each layer, ascending
  std::vector<int> kinds;     ///< of each layer; equal layers have equal kinds
};

/// Finds the sequence of equal layers that has the most ops. `hashes` are equal for equal ops. `crossing` has
/// for each position the bytes that flow over a cut before it: layers begin where they are few. What precedes
/// and follows the sequence are layers of their own. Without two equal layers, up to `pieces` layers begin
/// where the fewest bytes flow, and each has a kind of its own.
RepeatedLayers findRepeatedLayers(const std::vector<uint64_t> &hashes, const std::vector<double> &crossing,
                                  size_t pieces = 8);

} // namespace proa
