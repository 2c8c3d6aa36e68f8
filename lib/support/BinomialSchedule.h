/// The order in which binomial checkpointing goes through a loop (Griewank and Walther, "Algorithm 799:
/// Revolve", 2000).
#pragma once

#include <cstdint>
#include <vector>

namespace proa {

/// What is done on the way back through a loop.
struct LoopAction {
  enum Kind : int64_t { Step, Store, Restore, Reverse } kind;
  int64_t argument; ///< the iteration of Step and Reverse, the place of Store and Restore
};

/// The actions that reverse all `iterations`, beginning with the first state, with at most `snapshots` (1 or
/// more) states kept.
std::vector<LoopAction> binomialSchedule(int64_t iterations, int64_t snapshots);

} // namespace proa
