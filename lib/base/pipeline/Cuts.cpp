//! Balances the stages of a pipeline.
#include "lib/base/pipeline/Cuts.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace proa::pipeline {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr size_t mostCandidates = 768;
constexpr double slack = 1.05;

class Cutter {
public:
  Cutter(const CutCosts &costs, size_t stageCount) : costs(costs), stageCount(stageCount) {
    workBefore.resize(costs.work.size() + 1);
    std::partial_sum(costs.work.begin(), costs.work.end(), workBefore.begin() + 1);
    chooseCandidates();
  }

  std::vector<size_t> run() {
    double least = solve(infinite, [](double worst, double time, double) { return std::max(worst, time); });
    if (least == infinite)
      return {};
    // A stage of no work must not exclude rounding errors of the sums.
    solve(least * slack, [](double sum, double, double transfer) { return sum + transfer; });
    std::vector<size_t> begins(stageCount);
    for (size_t stage = stageCount, end = candidates.size() - 1; stage-- > 0;) {
      end = previous[stage * candidates.size() + end];
      begins[stage] = candidates[end];
    }
    return begins;
  }

private:
  /// Units that may be the first of a stage, and the end of the list.
  void chooseCandidates() {
    size_t count = costs.work.size();
    size_t step = (count + mostCandidates - 1) / mostCandidates;
    for (size_t begin = 0; begin < count; begin += std::max<size_t>(step, 1)) {
      size_t best = begin;
      for (size_t i = begin; i < std::min(begin + step, count) && begin > 0; ++i)
        best = costs.transfer[i] < costs.transfer[best] ? i : best;
      candidates.push_back(best);
    }
    if (step > 1)
      addGivenCandidates();
    candidates.push_back(count);
  }

  /// Units around which the given stage changes.
  void addGivenCandidates() {
    std::optional<size_t> last;
    for (size_t i = 0; i < costs.stages.size(); ++i)
      if (costs.stages[i] >= 0) {
        if (last && costs.stages[i] != costs.stages[*last])
          candidates.insert(candidates.end(), {*last + 1, i});
        last = i;
      }
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }

  /// The end of the longest list of units from each candidate that may all be in a stage.
  std::vector<size_t> endsOf(size_t stage) const {
    std::vector<size_t> ends(candidates.size(), candidates.size() - 1);
    if (costs.stages.empty())
      return ends;
    size_t next = costs.work.size(); // the first unit from here on that is in another stage
    for (size_t c = candidates.size(); c-- > 0;) {
      size_t end = c + 1 < candidates.size() ? candidates[c + 1] : candidates[c];
      for (size_t i = end; i-- > candidates[c];)
        if (costs.stages[i] >= 0 && costs.stages[i] != static_cast<int64_t>(stage))
          next = i;
      ends[c] = std::ranges::upper_bound(candidates, next) - candidates.begin() - 1;
    }
    return ends;
  }

  /// The least cost of all stages, where no stage takes longer than `limit`: `add` gets the cost of the
  /// stages before, the time of a stage and its transfers.
  template <class Add> double solve(double limit, Add add) {
    size_t count = candidates.size();
    previous.assign(stageCount * count, 0);
    std::vector<double> costBefore(count, infinite), cost(count);
    costBefore[0] = 0;
    for (size_t stage = 0; stage < stageCount; ++stage) {
      std::ranges::fill(cost, infinite);
      std::vector<size_t> ends = endsOf(stage);
      for (size_t begin = 0; begin + 1 < count; ++begin) {
        if (costBefore[begin] == infinite)
          continue;
        double transfer = begin == 0 ? 0 : costs.transfer[candidates[begin]];
        for (size_t end = begin + 1; end <= ends[begin]; ++end) {
          double time = workBefore[candidates[end]] - workBefore[candidates[begin]] + transfer;
          if (time > limit)
            break;
          if (double sum = add(costBefore[begin], time, transfer); sum < cost[end]) {
            cost[end] = sum;
            previous[stage * count + end] = begin;
          }
        }
      }
      costBefore.swap(cost);
    }
    return costBefore.back();
  }

  const CutCosts &costs;
  size_t stageCount;
  std::vector<size_t> candidates;
  std::vector<double> workBefore;
  std::vector<size_t> previous; ///< by stage and candidate for its end: the candidate for its begin
};

} // namespace

std::vector<size_t> balancedCuts(const CutCosts &costs, int64_t stageCount) {
  if (stageCount < 1 || costs.work.size() < static_cast<size_t>(stageCount))
    return {};
  return Cutter(costs, static_cast<size_t>(stageCount)).run();
}

} // namespace proa::pipeline
