/// Positions of nodes, by Graphviz.
#pragma once

#include "lib/compiler/picture/Graph.h"
#include "proa/Result.h"

#include <map>

namespace proa::picture {

/// A node of a layout, or a port: a value that enters or leaves the group.
struct Box {
  enum class Kind : uint8_t { Node, Entry, Exit } kind = Kind::Node;
  int32_t id = -1;                            ///< node; of a port, the value
  double x = 0, y = 0, width = 0, height = 0; ///< center, in pixels, from the top left corner
};

struct Edge {
  int32_t from = 0, to = 0;     ///< into Layout::boxes
  int32_t value = 0, count = 1; ///< the first value along the edge, and their number
  std::vector<double> points;   ///< x, y, x, y, ...: a series of cubic Bezier curves
};

/// The inside of a node, or the roots (-1), with all groups in it closed.
struct Layout {
  double width = 0, height = 0;
  std::vector<Box> boxes;
  std::vector<Edge> edges;
};

/// Lays out the roots and the children of each node, each by itself, by one call of `dot`. Error: Graphviz is
/// not installed, or it fails.
Result<std::map<int32_t, Layout>> layoutOf(const Graph &graph);

} // namespace proa::picture
