/// The best plan of one frame: cuts of a pipeline and recomputation of layers.
#pragma once

#include "lib/base/plan/RecomputeChoice.h"

#include <map>
#include <optional>
#include <vector>

namespace proa::plan {

/// Layers of one stage, with the modes of recomputation that fit the memory in the least time.
struct StageChoice {
  double seconds = 0, extra = 0; ///< of a micro-batch; `seconds` has `extra`
  const RecomputeFront *front = nullptr;
  const RecomputeFront::Point *point = nullptr; ///< of `front`
};

class FrameSolver {
public:
  FrameSolver(const CostModel &model, const Frame &frame);

  struct Solution {
    Plan plan;
    Estimate estimate;
    /// Whether no plan with the frame is faster.
    bool isExact = false;
  };
  /// Nothing: no plan that was tried fits the memory.
  std::optional<Solution> solve();
  /// The plan with the least memory: balanced stages that recompute all. For messages.
  Plan leanest() const;

private:
  /// Number of layers by kind.
  using Counts = std::vector<int>;

  Counts countsOf(size_t begin, size_t end) const;
  std::optional<StageChoice> choose(const Counts &counts, size_t stage);
  const std::optional<StageChoice> &segment(size_t stage, size_t begin, size_t end);
  const RecomputeFront &frontOf(const Counts &counts, const std::vector<AllowedModes> &allowed);
  std::vector<double> recomputedBytes(const Counts &counts) const;
  double workingOf(size_t kind, size_t mode) const;
  std::optional<std::vector<int>> cutsWithin(double slowest);
  double leastSlowest();
  std::vector<int> balancedCuts(size_t stages) const;
  std::optional<Solution> planOf(const std::vector<int> &cuts);
  void keepBetter(std::optional<Solution> &best, std::optional<Solution> other) const;
  std::optional<Solution> solveStages();
  std::optional<Solution> solveChunks();
  std::optional<Solution> solveAll(size_t stages);
  void improve(std::optional<Solution> &best);

  const CostModel &model;
  Frame frame;
  std::vector<LayerCost> costs;
  std::vector<Counts> prefix;    ///< layers by kind before each layer
  std::vector<double> seconds;   ///< of the layers before each layer, without recomputation
  std::vector<double> transfers; ///< seconds of messages, there and back, if a stage ends before each layer
  std::map<std::pair<Counts, std::vector<AllowedModes>>, RecomputeFront> fronts;
  /// The first stage that holds as many micro-batches as each stage: its choices are equal.
  std::vector<size_t> equalStage;
  std::map<std::pair<Counts, size_t>, std::optional<StageChoice>> choices; ///< by equalStage
  std::vector<std::optional<std::optional<StageChoice>>> segments;
  bool isThinned = false;
};

} // namespace proa::plan
