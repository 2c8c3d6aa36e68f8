#include "passes/autodiff/MinimumCut.h"

#include <algorithm>

namespace proa::autodiff {

void MinimumCut::addEdge(size_t from, size_t to, int64_t capacity) {
  outgoing[from].push_back(edges.size());
  edges.push_back({to, capacity});
  outgoing[to].push_back(edges.size());
  edges.push_back({from, 0});
}

bool MinimumCut::findLevels(size_t source, size_t sink) {
  level.assign(outgoing.size(), -1);
  level[source] = 0;
  std::vector<size_t> queue{source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (size_t index : outgoing[queue[i]])
      if (const Edge &edge = edges[index]; edge.capacity > 0 && level[edge.to] < 0) {
        level[edge.to] = level[queue[i]] + 1;
        queue.push_back(edge.to);
      }
  return level[sink] >= 0;
}

/// Finds an augmenting path without recursion, because it may be as long as the program.
int64_t MinimumCut::sendAlongOnePath(size_t source, size_t sink) {
  std::vector<size_t> path;
  for (size_t node = source; node != sink;) {
    size_t &index = next[node];
    while (index < outgoing[node].size()) {
      const Edge &edge = edges[outgoing[node][index]];
      if (edge.capacity > 0 && level[edge.to] == level[node] + 1)
        break;
      ++index;
    }
    if (index < outgoing[node].size()) {
      path.push_back(outgoing[node][index]);
      node = edges[path.back()].to;
    } else if (path.empty()) {
      return 0;
    } else {
      node = edges[path.back() ^ 1].to;
      path.pop_back();
      ++next[node];
    }
  }
  int64_t flow = unlimited;
  for (size_t index : path)
    flow = std::min(flow, edges[index].capacity);
  for (size_t index : path) {
    edges[index].capacity -= flow;
    edges[index ^ 1].capacity += flow;
  }
  return flow;
}

void MinimumCut::findSinkSide(size_t sink) {
  onSinkSide.assign(outgoing.size(), false);
  onSinkSide[sink] = true;
  std::vector<size_t> queue{sink};
  for (size_t i = 0; i < queue.size(); ++i)
    for (size_t index : outgoing[queue[i]])
      if (size_t from = edges[index].to; edges[index ^ 1].capacity > 0 && !onSinkSide[from]) {
        onSinkSide[from] = true;
        queue.push_back(from);
      }
}

int64_t MinimumCut::cut(size_t source, size_t sink) {
  int64_t total = 0;
  while (findLevels(source, sink)) {
    next.assign(outgoing.size(), 0);
    while (int64_t flow = sendAlongOnePath(source, sink))
      total += flow;
  }
  findSinkSide(sink);
  return total;
}

} // namespace proa::autodiff
