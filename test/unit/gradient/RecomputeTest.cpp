// Decisions of recomputation: minimum cuts and the schedule of binomial checkpointing.
#include "lib/base/support/BinomialSchedule.h"
#include "passes/autodiff/MinimumCut.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace proa;

namespace {

// By definition: the minimum capacity of edges from a set with the source to the others, over all sets.
TEST(MinimumCutTest, IsMinimumOverAllCuts) {
  std::mt19937 random(4);
  for (int graph = 0; graph < 200; ++graph) {
    constexpr size_t nodes = 7;
    struct Edge {
      size_t from, to;
      int64_t capacity;
    };
    std::vector<Edge> edges;
    autodiff::MinimumCut network(nodes);
    for (int i = 0; i < 14; ++i) {
      Edge edge{random() % nodes, random() % nodes, static_cast<int64_t>(random() % 9)};
      edges.push_back(edge);
      network.addEdge(edge.from, edge.to, edge.capacity);
    }
    auto capacityOf = [&](auto isOnSinkSide) {
      int64_t sum = 0;
      for (const Edge &edge : edges)
        sum += !isOnSinkSide(edge.from) && isOnSinkSide(edge.to) ? edge.capacity : 0;
      return sum;
    };
    int64_t least = std::numeric_limits<int64_t>::max();
    for (unsigned set = 0; set < 1U << nodes; ++set)
      if ((set & 1) == 0 && (set >> (nodes - 1) & 1) == 1)
        least = std::min(least, capacityOf([&](size_t node) { return (set >> node & 1) == 1; }));
    EXPECT_EQ(network.cut(0, nodes - 1), least);
    EXPECT_EQ(capacityOf([&](size_t node) { return network.isOnSinkSide(node); }), least);
  }
}

/// Runs a schedule on iteration indices; returns the number of steps.
int64_t stepsOf(int64_t iterations, int64_t snapshots) {
  int64_t state = 0, next = iterations, steps = 0;
  std::map<int64_t, int64_t> kept;
  for (const LoopAction &action : binomialSchedule(iterations, snapshots))
    switch (action.kind) {
    case LoopAction::Step:
      EXPECT_EQ(action.argument, state++);
      ++steps;
      break;
    case LoopAction::Store:
      EXPECT_LT(action.argument, snapshots);
      kept[action.argument] = state;
      break;
    case LoopAction::Restore:
      EXPECT_TRUE(kept.contains(action.argument));
      state = kept[action.argument];
      break;
    case LoopAction::Reverse:
      EXPECT_EQ(action.argument, state);
      EXPECT_EQ(action.argument, --next);
      break;
    }
  EXPECT_EQ(next, 0);
  return steps;
}

// Compared with the recurrence for the minimum number of steps: keep a state after the first m iterations,
// for the best m.
TEST(BinomialScheduleTest, HasMinimumSteps) {
  constexpr int64_t most = 40;
  std::vector<std::vector<int64_t>> least(8, std::vector<int64_t>(most + 1, 0));
  for (int64_t snapshots = 1; snapshots < 8; ++snapshots)
    for (int64_t length = 1; length <= most; ++length) {
      int64_t best = length * (length - 1) / 2;
      for (int64_t m = 1; snapshots > 1 && m < length; ++m)
        best = std::min(best, m + least[snapshots - 1][length - m] + least[snapshots][m]);
      least[snapshots][length] = best;
      EXPECT_EQ(stepsOf(length, snapshots), best) << length << " iterations, " << snapshots << " states";
    }
  EXPECT_EQ(stepsOf(0, 3), 0);
}

} // namespace
