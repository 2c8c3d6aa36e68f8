/// Differences between two graphs of a program.
#pragma once

#include "lib/compiler/picture/Graph.h"

namespace proa::picture {

enum class Change : uint8_t { None, Changed, OnlyHere };

struct Changes {
  /// For each node of either graph.
  std::vector<Change> before, after;
};

/// Compares ops: first ops of equal names, in order of occurrence, which are changed if op, attributes or
/// types differ; then the others by the longest common subsequence of op, attributes and types. Groups have
/// no change of their own.
Changes changesOf(const Graph &before, const Graph &after);

} // namespace proa::picture
