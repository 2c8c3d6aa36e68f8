/// A minimum cut of a flow network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace proa::autodiff {

/// Computes a maximum flow by Dinic's algorithm ("Algorithm for solution of a problem of maximum flow in a
/// network with power estimation", 1970), and the minimum cut that follows from it.
class MinimumCut {
public:
  /// An edge that no cut contains.
  static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

  explicit MinimumCut(std::size_t nodes) : outgoing(nodes) {}

  void addEdge(std::size_t from, std::size_t to, int64_t capacity);

  /// The capacity of the minimum cut; of several, the one nearest to the sink. Call it once.
  int64_t cut(std::size_t source, std::size_t sink);

  /// After cut(): whether a node is on the sink's side.
  bool isOnSinkSide(std::size_t node) const { return onSinkSide[node]; }

private:
  struct Edge {
    std::size_t to;
    int64_t capacity; ///< the residual; edge i ^ 1 is the other direction
  };

  bool findLevels(std::size_t source, std::size_t sink);
  int64_t sendAlongOnePath(std::size_t source, std::size_t sink);
  void findSinkSide(std::size_t sink);

  std::vector<Edge> edges;
  std::vector<std::vector<std::size_t>> outgoing; ///< indices of edges, by node
  std::vector<int64_t> level;
  std::vector<std::size_t> next; ///< the first outgoing edge that is not a dead end
  std::vector<bool> onSinkSide;
};

} // namespace proa::autodiff
