#include "lib/base/plan/StageCuts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::plan {

FrameSolver::FrameSolver(const CostModel &model, const Frame &frame)
    : model(model), frame(frame), costs(model.layerCosts(frame)) {
  const std::vector<int> &layers = model.workload.layers;
  prefix.emplace_back(costs.size(), 0);
  seconds.push_back(0);
  transfers.push_back(0);
  for (int kind : layers) {
    prefix.push_back(prefix.back());
    ++prefix.back()[static_cast<size_t>(kind)];
    seconds.push_back(seconds.back() + costs[static_cast<size_t>(kind)].step());
  }
  for (size_t end = 1; end < layers.size(); ++end)
    transfers.push_back(2 * model.transfer(frame, costs[static_cast<size_t>(layers[end - 1])].output));
  transfers.push_back(0);
  for (int64_t stage = 0; stage < frame.pipeline; ++stage) {
    int64_t equal = 0;
    while (model.inFlight(frame, equal) != model.inFlight(frame, stage))
      ++equal;
    equalStage.push_back(static_cast<size_t>(equal));
  }
}

FrameSolver::Counts FrameSolver::countsOf(size_t begin, size_t end) const {
  Counts counts = prefix[end];
  for (size_t kind = 0; kind < counts.size(); ++kind)
    counts[kind] -= prefix[begin][kind];
  return counts;
}

const RecomputeFront &FrameSolver::frontOf(const Counts &counts, const std::vector<AllowedModes> &allowed) {
  auto [found, isNew] = fronts.try_emplace({counts, allowed});
  if (isNew)
    found->second = RecomputeFront(counts, costs, allowed);
  isThinned |= found->second.isThinned;
  return found->second;
}

/// Bytes that a layer of a kind needs besides kept values, including recomputed values.
double FrameSolver::workingOf(size_t kind, size_t mode) const {
  return costs[kind].working + costs[kind].kept[0] - costs[kind].kept[mode];
}

/// Limits of the bytes that layers may need besides kept ones, ascending.
std::vector<double> FrameSolver::recomputedBytes(const Counts &counts) const {
  std::vector<double> bytes{0};
  for (size_t kind = 0; kind < counts.size(); ++kind)
    for (size_t mode = 1; mode < recomputeModes && counts[kind] > 0; ++mode)
      bytes.push_back(workingOf(kind, mode));
  std::ranges::sort(bytes);
  bytes.erase(std::ranges::unique(bytes).begin(), bytes.end());
  return bytes;
}

/// The least recomputation with which layers fit on a stage. Recomputed values of a layer need memory too, so
/// that a front is computed for each limit of it.
std::optional<StageChoice> FrameSolver::choose(const Counts &counts, size_t stage) {
  StageCost sum;
  for (size_t kind = 0; kind < counts.size(); ++kind)
    for (int i = 0; i < counts[kind]; ++i)
      sum.add(costs[kind], Recompute::None);
  double inFlight = model.inFlight(frame, static_cast<int64_t>(stage));
  double left = model.cluster.memory - model.fixedBytes(frame, sum);
  std::optional<StageChoice> best;
  for (double limit : recomputedBytes(counts)) {
    double bytes = (left - std::max(0.0, limit - sum.working)) / inFlight;
    if (bytes < 0)
      break;
    std::vector<AllowedModes> allowed(counts.size(), 0);
    for (size_t kind = 0; kind < counts.size(); ++kind)
      for (size_t mode = 1; mode < recomputeModes; ++mode)
        if (workingOf(kind, mode) <= limit)
          allowed[kind] |= static_cast<AllowedModes>(1 << mode);
    const RecomputeFront &front = frontOf(counts, allowed);
    const RecomputeFront::Point *point = front.within(bytes);
    if (point && (!best || point->extra < best->extra))
      best = StageChoice{sum.sum.step() + point->extra, point->extra, &front, point};
    if (best && best->extra == 0)
      break;
  }
  return best;
}

const std::optional<StageChoice> &FrameSolver::segment(size_t stage, size_t begin, size_t end) {
  size_t count = model.workload.layers.size() + 1;
  stage = equalStage[stage];
  if (size_t size = (stage + 1) * count * count; segments.size() < size)
    segments.resize(size);
  auto &cached = segments[(stage * count + begin) * count + end];
  if (!cached) {
    auto [found, isNew] = choices.try_emplace({countsOf(begin, end), stage});
    if (isNew)
      found->second = choose(found->first.first, stage);
    cached = found->second;
  }
  return *cached;
}

/// Cuts with the least recomputation of which no stage takes longer than `slowest`.
std::optional<std::vector<int>> FrameSolver::cutsWithin(double slowest) {
  constexpr double none = std::numeric_limits<double>::infinity();
  size_t layers = model.workload.layers.size(), stages = static_cast<size_t>(frame.pipeline);
  std::vector<double> before(layers + 1, none);
  std::vector<std::vector<int>> from(stages, std::vector<int>(layers + 1, -1));
  before[0] = 0;
  for (size_t stage = 0; stage < stages; ++stage) {
    std::vector<double> after(layers + 1, none);
    for (size_t begin = stage; begin < layers; ++begin) {
      if (before[begin] == none)
        continue;
      for (size_t end = begin + 1; end + (stages - stage - 1) <= layers; ++end) {
        if (seconds[end] - seconds[begin] > slowest)
          break;
        if (stage + 1 == stages && end < layers)
          continue;
        const std::optional<StageChoice> &choice = segment(stage, begin, end);
        if (!choice || choice->seconds + transfers[end] > slowest)
          continue;
        if (before[begin] + choice->extra < after[end])
          after[end] = before[begin] + choice->extra, from[stage][end] = static_cast<int>(begin);
      }
    }
    before = std::move(after);
  }
  if (before[layers] == none)
    return std::nullopt;
  std::vector<int> cuts(stages);
  size_t end = layers;
  for (size_t stage = stages; stage-- > 0;)
    end = static_cast<size_t>(cuts[stage] = from[stage][end]);
  return cuts;
}

/// The least time of the slowest stage, to a thousandth; infinite if no cuts fit the memory.
double FrameSolver::leastSlowest() {
  double low = seconds.back() / static_cast<double>(frame.pipeline), high = low;
  double most = 3 * seconds.back() + 2 * transfers[1] + 1e-9; // each mode of recomputation is shorter
  for (; !cutsWithin(high); high = std::min(1.5 * high, most))
    if (high >= most)
      return std::numeric_limits<double>::infinity();
    else
      low = high;
  constexpr double precision = 1e-3;
  while (high > (1 + precision) * low) {
    double middle = (low + high) / 2;
    (cutsWithin(middle) ? high : low) = middle;
  }
  return high;
}

/// Cuts into stages of about equal time, each with a layer.
std::vector<int> FrameSolver::balancedCuts(size_t stages) const {
  size_t layers = model.workload.layers.size();
  std::vector<int> cuts{0};
  for (size_t stage = 1; stage < stages; ++stage) {
    double target = seconds.back() * static_cast<double>(stage) / static_cast<double>(stages);
    auto nearest = std::ranges::lower_bound(seconds, target) - seconds.begin();
    if (nearest > 0 &&
        target - seconds[static_cast<size_t>(nearest) - 1] < seconds[static_cast<size_t>(nearest)] - target)
      --nearest;
    auto most = static_cast<int>(layers - (stages - stage));
    cuts.push_back(std::clamp(static_cast<int>(nearest), cuts.back() + 1, most));
  }
  return cuts;
}

/// The plan with these cuts and the least recomputation on each stage.
std::optional<FrameSolver::Solution> FrameSolver::planOf(const std::vector<int> &cuts) {
  const std::vector<int> &layers = model.workload.layers;
  auto stages = static_cast<size_t>(frame.pipeline);
  std::vector<Counts> counts(stages, Counts(costs.size(), 0));
  std::vector<size_t> stageOf(layers.size());
  std::vector<size_t> stageOfChunk = frame.stagesOfChunks();
  for (size_t chunk = 0; chunk < cuts.size(); ++chunk) {
    size_t end = chunk + 1 < cuts.size() ? static_cast<size_t>(cuts[chunk + 1]) : layers.size();
    size_t stage = stageOfChunk[chunk];
    for (auto layer = static_cast<size_t>(cuts[chunk]); layer < end; ++layer) {
      stageOf[layer] = stage;
      ++counts[stage][static_cast<size_t>(layers[layer])];
    }
  }
  std::vector<RecomputeCounts> left;
  for (size_t stage = 0; stage < stages; ++stage) {
    auto [found, isNew] = choices.try_emplace({counts[stage], equalStage[stage]});
    if (isNew)
      found->second = choose(counts[stage], stage);
    if (!found->second)
      return std::nullopt;
    left.push_back(found->second->front->countsOf(found->second->point));
  }
  Solution solution{{frame, cuts, std::vector<Recompute>(layers.size(), Recompute::None)}, {}, false};
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    auto kind = static_cast<size_t>(layers[layer]);
    RecomputeCounts &rest = left[stageOf[layer]];
    if (rest.full[kind]-- > 0)
      solution.plan.recompute[layer] = Recompute::Full;
    else if (rest.selective[kind]-- > 0)
      solution.plan.recompute[layer] = Recompute::Selective;
  }
  solution.estimate = model.estimate(solution.plan, costs);
  return solution.estimate.fits() ? std::optional(std::move(solution)) : std::nullopt;
}

void FrameSolver::keepBetter(std::optional<Solution> &best, std::optional<Solution> other) const {
  if (other && (!best || other->estimate.seconds < best->estimate.seconds))
    best = std::move(other);
}

/// One chunk on a stage: the fastest of some trades between the slowest stage and recomputation.
std::optional<FrameSolver::Solution> FrameSolver::solveStages() {
  std::optional<Solution> best;
  double slowest = leastSlowest();
  if (!std::isfinite(slowest))
    return best;
  for (double slack : {1.0, 1.01, 1.03, 1.1, 1.3})
    if (auto cuts = cutsWithin(slack * slowest))
      keepBetter(best, planOf(*cuts));
  improve(best);
  return best;
}

/// Several chunks on a stage.
std::optional<FrameSolver::Solution> FrameSolver::solveChunks() {
  std::optional<Solution> best = planOf(balancedCuts(static_cast<size_t>(frame.pipeline * frame.chunks)));
  improve(best);
  return best;
}

/// Moves single cuts while that helps. What the search of cuts leaves out are the times after the last
/// micro-batch, and the memory of stages with several chunks.
void FrameSolver::improve(std::optional<Solution> &best) {
  constexpr int mostRounds = 4;
  bool isChanged = best.has_value();
  for (int round = 0; round < mostRounds && isChanged; ++round) {
    double before = best->estimate.seconds;
    for (size_t cut = 1; cut < best->plan.cuts.size(); ++cut)
      for (int step : {-1, 1}) {
        std::vector<int> cuts = best->plan.cuts;
        cuts[cut] += step;
        int next = cut + 1 < cuts.size() ? cuts[cut + 1] : static_cast<int>(model.workload.layers.size());
        if (cuts[cut] > cuts[cut - 1] && cuts[cut] < next)
          keepBetter(best, planOf(cuts));
      }
    isChanged = best->estimate.seconds < before;
  }
}

/// Tries all cuts into stages, if there are few; nothing if there are many, or none fits.
std::optional<FrameSolver::Solution> FrameSolver::solveAll(size_t stages) {
  constexpr double most = 128;
  size_t layers = model.workload.layers.size();
  double count = 1;
  for (size_t stage = 1; stage < stages; ++stage)
    count *= static_cast<double>(layers - stage) / static_cast<double>(stage);
  std::optional<Solution> best;
  if (count > most)
    return best;
  std::vector<bool> isCut(layers - 1, false); // before layer i + 1
  std::fill(isCut.end() - static_cast<std::ptrdiff_t>(stages - 1), isCut.end(), true);
  do {
    std::vector<int> cuts{0};
    for (size_t i = 0; i < isCut.size(); ++i)
      if (isCut[i])
        cuts.push_back(static_cast<int>(i) + 1);
    keepBetter(best, planOf(cuts));
  } while (std::next_permutation(isCut.begin(), isCut.end()));
  if (best)
    best->isExact = !isThinned;
  return best;
}

std::optional<FrameSolver::Solution> FrameSolver::solve() {
  if (auto best = solveAll(static_cast<size_t>(frame.pipeline * frame.chunks)))
    return best;
  return frame.chunks > 1 ? solveChunks() : solveStages();
}

Plan FrameSolver::leanest() const {
  return {frame, balancedCuts(static_cast<size_t>(frame.pipeline * frame.chunks)),
          std::vector<Recompute>(model.workload.layers.size(), Recompute::Full)};
}

} // namespace proa::plan
