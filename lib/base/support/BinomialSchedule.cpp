//! The schedule of binomial checkpointing.
#include "lib/base/support/BinomialSchedule.h"

#include <algorithm>

namespace proa {
namespace {

/// Number of steps to reverse `length` iterations with `snapshots` kept states, including the first:
/// repetitions * length - binomial(snapshots + repetitions, repetitions - 1), where `repetitions` is the
/// smallest number with binomial(snapshots + repetitions, snapshots) >= length.
double stepsFor(int64_t length, int64_t snapshots) {
  double reach = 1, before = 0; // binomial(snapshots + r, snapshots) and binomial(snapshots + r, r - 1)
  int64_t repetitions = 0;
  while (reach < static_cast<double>(length)) {
    ++repetitions;
    reach = reach * static_cast<double>(snapshots + repetitions) / static_cast<double>(repetitions);
  }
  // binomial(n, r - 1) = binomial(n, r) * r / (n - r + 1)
  before = reach * static_cast<double>(repetitions) / static_cast<double>(snapshots + 1);
  return static_cast<double>(repetitions * length) - before;
}

class Schedule {
public:
  std::vector<LoopAction> create(int64_t iterations, int64_t snapshots) {
    if (iterations > 0) {
      actions.push_back({LoopAction::Store, 0});
      reverse(0, iterations, snapshots, 0);
    }
    return std::move(actions);
  }

private:
  /// Reverses iterations [begin, end), whose first state is in `slot`; up to `snapshots` states may be kept,
  /// including that one.
  void reverse(int64_t begin, int64_t end, int64_t snapshots, int64_t slot) {
    while (end - begin > 1 && snapshots > 1) {
      int64_t middle = begin + lengthOfFirst(end - begin, snapshots);
      advance(begin, middle, slot);
      actions.push_back({LoopAction::Store, slot + 1});
      reverse(middle, end, snapshots - 1, slot + 1);
      end = middle;
    }
    for (int64_t i = end; i-- > begin;) {
      advance(begin, i, slot);
      actions.push_back({LoopAction::Reverse, i});
    }
  }

  /// The number of iterations before the next kept state that minimizes the total number of steps.
  static int64_t lengthOfFirst(int64_t length, int64_t snapshots) {
    auto steps = [&](int64_t first) {
      return static_cast<double>(first) + stepsFor(length - first, snapshots - 1) +
             stepsFor(first, snapshots);
    };
    // The number of steps decreases, then increases.
    int64_t low = 1, high = length - 1;
    while (high - low > 2) {
      int64_t third = (high - low) / 3, left = low + third, right = high - third;
      if (steps(left) <= steps(right))
        high = right;
      else
        low = left;
    }
    int64_t best = low;
    for (int64_t first = low; first <= high; ++first)
      if (steps(first) < steps(best))
        best = first;
    return best;
  }

  void advance(int64_t from, int64_t to, int64_t slot) {
    actions.push_back({LoopAction::Restore, slot});
    for (int64_t i = from; i < to; ++i)
      actions.push_back({LoopAction::Step, i});
  }

  std::vector<LoopAction> actions;
};

} // namespace

std::vector<LoopAction> binomialSchedule(int64_t iterations, int64_t snapshots) {
  return Schedule().create(iterations, std::max<int64_t>(snapshots, 1));
}

} // namespace proa
