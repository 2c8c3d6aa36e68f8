/// The search for the fastest plan that fits the memory.
#pragma once

#include "lib/base/plan/StageCuts.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proa::plan {

struct Candidate {
  Plan plan;
  Estimate estimate;
  /// Of the program that the plan becomes, where it was lowered.
  std::optional<Estimate> lowered = std::nullopt;

  const Estimate &judged() const { return lowered ? *lowered : estimate; }
};

struct SearchOptions {
  size_t best = 10; ///< number of plans
  /// Which frames are considered; null: all.
  std::function<bool(const Frame &)> accepts;
  /// Whether the reasons against families of strategies are found.
  bool explainsFamilies = true;
  /// Judges the best plans more closely, and orders them; null: the models decide.
  std::function<void(std::vector<Candidate> &)> judge = nullptr;
};

/// Strategies that the best plan does not use.
struct RejectedFamily {
  std::string name;   ///< "tensor parallelism (mp)"
  std::string reason; ///< "the best one, dp4,mp2, takes 1.21 times the time; mp collectives +13.2 ms"
};

struct SearchResult {
  std::vector<Candidate> best; ///< the fastest first; empty: none fits
  /// Certificate: seconds that no plan of the space is below, by the models, and the seconds of the best
  /// plan. Plans: all factorizations of the devices.
  double lowerBound = 0, bestSeconds = 0;
  size_t frames = 0, solved = 0; ///< considered, and solved: the others are slower by their bounds
  std::vector<RejectedFamily> rejected;
  /// If none fits: the plan that lacks the fewest bytes.
  std::optional<Candidate> nearest;
};

/// All frames of the cluster that are valid.
std::vector<Frame> framesOf(const CostModel &model);

/// Best first: frames are solved in the order of their bounds until the bound of the next one is above the
/// last of the best plans.
SearchResult search(const CostModel &model, const SearchOptions &options = {});

/// Changes of a plan that save memory.
struct Saving {
  Plan plan;
  std::string change; ///< "zero1"
  double saved = 0;   ///< bytes of the fullest device
  Estimate estimate;
};

/// Single changes that save memory: first the changes that suffice, then by added time.
std::vector<Saving> savingsOf(const CostModel &model, const Plan &plan);

/// Changes one after the other until the plan fits: in each step the fastest change that suffices, or the one
/// that saves the most bytes per added time. Nothing: the plan fits, or no changes suffice.
std::optional<Saving> cheapestSaving(const CostModel &model, const Plan &plan);

} // namespace proa::plan
