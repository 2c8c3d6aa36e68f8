/// The schedule of binomial checkpointing of a loop (Griewank and Walther, "Algorithm 799: Revolve", 2000).
#pragma once

#include <cstdint>
#include <vector>

namespace proa {

/// Actions of the reverse sweep.
struct LoopAction {
  enum Kind : int64_t { Step, Store, Restore, Reverse } kind;
  int64_t argument; ///< iteration of Step and Reverse, slot of Store and Restore
};

/// The actions that reverse all `iterations` from the first state on, with at most `snapshots` (1 or more)
/// kept states.
std::vector<LoopAction> binomialSchedule(int64_t iterations, int64_t snapshots);

} // namespace proa
