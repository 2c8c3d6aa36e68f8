#include "lib/base/plan/Search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace proa::plan {
namespace {

std::vector<int64_t> divisorsOf(int64_t value) {
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor * divisor <= value; ++divisor)
    if (value % divisor == 0) {
      divisors.push_back(divisor);
      if (divisor * divisor != value)
        divisors.push_back(value / divisor);
    }
  std::ranges::sort(divisors);
  return divisors;
}

/// Numbers of micro-batches: the divisors of a batch, of many of them some.
std::vector<int64_t> microBatchesOf(int64_t batch) {
  constexpr size_t most = 32;
  std::vector<int64_t> divisors = divisorsOf(batch);
  if (divisors.size() <= most)
    return divisors;
  std::vector<int64_t> some;
  for (size_t i = 0; i < most; ++i)
    some.push_back(divisors[i * (divisors.size() - 1) / (most - 1)]);
  return some;
}

/// Frames with the sizes of the axes; adds ZeRO, micro-batches, schedules and offload.
class FrameList {
public:
  explicit FrameList(const CostModel &model) : model(model), divisors(divisorsOf(model.cluster.size())) {}

  std::vector<Frame> build() {
    for (int64_t pipeline : divisors)
      for (int64_t expert : axis("ep"))
        for (int64_t context : axis("cp"))
          for (int64_t tensor : axis("mp")) {
            int64_t others = pipeline * expert * context * tensor;
            if (others > model.cluster.size() || model.cluster.size() % others != 0)
              continue;
            addFrames({.data = model.cluster.size() / others,
                       .context = context,
                       .expert = expert,
                       .model = tensor,
                       .pipeline = pipeline});
          }
    return std::move(frames);
  }

private:
  std::vector<int64_t> axis(const char *name) const {
    std::vector<int64_t> sizes;
    for (int64_t size : divisors)
      if (model.workload.allows(name, size))
        sizes.push_back(size);
    return sizes;
  }

  void addFrames(Frame frame) {
    if (model.batch % frame.batchWays() != 0 ||
        frame.pipeline > static_cast<int64_t>(model.workload.layers.size()))
      return;
    for (bool sequence : {false, true})
      for (auto zero : {spmd::ZeroStage::None, spmd::ZeroStage::Optimizer, spmd::ZeroStage::Gradients,
                        spmd::ZeroStage::Parameters})
        for (int64_t microBatches : microBatchesOf(model.batch / frame.batchWays()))
          for (bool offload : {false, true}) {
            frame.sequence = sequence, frame.zero = zero, frame.microBatches = microBatches;
            frame.offload = offload;
            addSchedules(frame);
          }
  }

  void addSchedules(Frame frame) {
    if (frame.pipeline == 1)
      return add(frame);
    for (const ScheduleChoice &choice : scheduleChoices()) {
      frame.schedule = choice.kind, frame.chunks = choice.chunks;
      frame.activations = std::floor(choice.activations * static_cast<double>(frame.pipeline));
      add(frame);
    }
  }

  void add(const Frame &frame) {
    if (model.whyInvalid(frame).empty())
      frames.push_back(frame);
  }

  const CostModel &model;
  std::vector<int64_t> divisors;
  std::vector<Frame> frames;
};

struct BoundedFrame {
  Frame frame;
  double bound = 0;
  double missing = 0; ///< bytes that any plan lacks; 0: it may fit
  size_t index = 0;   ///< decides between equal bounds
};

struct Family {
  const char *name;
  bool (*has)(const Frame &);
  std::array<const char *, 2> axes; ///< of Workload::reasons
};

constexpr Family families[] = {
    {"data parallelism (dp)", [](const Frame &f) { return f.data > 1; }, {}},
    {"tensor parallelism (mp)", [](const Frame &f) { return f.model > 1; }, {"mp"}},
    {"sequence parallelism (sp)", [](const Frame &f) { return f.sequence; }, {"mp", "cp"}},
    {"context parallelism (cp)", [](const Frame &f) { return f.context > 1; }, {"cp"}},
    {"expert parallelism (ep)", [](const Frame &f) { return f.expert > 1; }, {"ep"}},
    {"pipeline (pp)", [](const Frame &f) { return f.pipeline > 1; }, {}},
    {"interleaved pipeline", [](const Frame &f) { return f.schedule == ScheduleKind::Interleaved; }, {}},
    {"zero-bubble pipeline (zbh1, zbh2, zbv)",
     [](const Frame &f) {
       return f.schedule == ScheduleKind::ZeroBubbleH1 || f.schedule == ScheduleKind::ZeroBubbleH2 ||
              f.schedule == ScheduleKind::ZeroBubbleV;
     },
     {}},
    {"pipeline of less memory (vhalf, vmin)",
     [](const Frame &f) { return f.schedule == ScheduleKind::VHalf || f.schedule == ScheduleKind::VMin; },
     {}},
    {"searched schedule (auto)", [](const Frame &f) { return f.schedule == ScheduleKind::Automatic; }, {}},
    {"ZeRO 1", [](const Frame &f) { return f.zero == spmd::ZeroStage::Optimizer; }, {}},
    {"ZeRO 2", [](const Frame &f) { return f.zero == spmd::ZeroStage::Gradients; }, {}},
    {"ZeRO 3", [](const Frame &f) { return f.zero == spmd::ZeroStage::Parameters; }, {}},
    {"micro-batches (acc)", [](const Frame &f) { return f.microBatches > 1; }, {"acc"}},
    {"offload of optimizer states", [](const Frame &f) { return f.offload; }, {}},
};

class Searcher {
public:
  Searcher(const CostModel &model, const SearchOptions &options) : model(model), options(options) {
    std::vector<LayerCost> costs;
    std::optional<Frame> before;
    for (const Frame &frame : framesOf(model))
      if (!options.accepts || options.accepts(frame)) {
        Frame unscheduled = withoutSchedule(frame); // costs of layers do not depend on the schedule
        if (before != unscheduled)
          costs = model.layerCosts(frame), before = unscheduled;
        frames.push_back({frame, model.lowerBound(frame, costs),
                          std::max(0.0, model.leastMemory(frame, costs) - model.cluster.memory),
                          frames.size()});
      }
    std::ranges::sort(frames, [](const BoundedFrame &a, const BoundedFrame &b) {
      return a.bound != b.bound ? a.bound < b.bound : a.index < b.index;
    });
  }

  SearchResult run() {
    SearchResult result;
    result.frames = frames.size();
    result.best = bestOf([](const Frame &) { return true; }, options.best, &result);
    if (!result.best.empty())
      result.bestSeconds = result.best.front().estimate.seconds;
    if (options.judge && !result.best.empty())
      options.judge(result.best);
    if (result.best.empty())
      result.nearest = nearest();
    else if (options.explainsFamilies)
      for (const Family &family : families)
        if (!family.has(result.best.front().plan.frame))
          result.rejected.push_back({family.name, whyNot(family, result.best.front())});
    return result;
  }

private:
  template <class Accepts>
  std::vector<Candidate> bestOf(const Accepts &accepts, size_t count, SearchResult *result) {
    std::vector<Candidate> best;
    double bound = std::numeric_limits<double>::infinity();
    for (const BoundedFrame &bounded : frames) {
      if (best.size() == count && bounded.bound >= best.back().estimate.seconds) {
        bound = std::min(bound, bounded.bound);
        break;
      }
      if (bounded.missing > 0 || !accepts(bounded.frame))
        continue;
      std::optional<FrameSolver::Solution> solution = solve(bounded.frame);
      bound = std::min(bound, solution && solution->isExact ? solution->estimate.seconds : bounded.bound);
      if (solution)
        insert(best, {std::move(solution->plan), std::move(solution->estimate)}, count);
    }
    if (result) {
      result->solved = solved;
      result->lowerBound = best.empty() ? 0 : std::min(bound, best.front().estimate.seconds);
    }
    return best;
  }

  std::optional<FrameSolver::Solution> solve(const Frame &frame) {
    ++solved;
    return FrameSolver(model, frame).solve();
  }

  static Frame withoutSchedule(Frame frame) {
    frame.schedule = ScheduleKind::OneFOneB, frame.chunks = 1, frame.activations = 0;
    return frame;
  }

  /// Whether a plan needs no searched schedule, because a published one takes as long.
  static bool isReplacedBy(const Candidate &searched, const Candidate &published) {
    constexpr double precision = 1e-9;
    return searched.plan.frame.schedule == ScheduleKind::Automatic &&
           withoutSchedule(searched.plan.frame) == withoutSchedule(published.plan.frame) &&
           published.estimate.seconds <= searched.estimate.seconds * (1 + precision);
  }

  static void insert(std::vector<Candidate> &best, Candidate candidate, size_t count) {
    if (std::ranges::any_of(best, [&](const Candidate &other) { return isReplacedBy(candidate, other); }))
      return;
    std::erase_if(best, [&](const Candidate &other) { return isReplacedBy(other, candidate); });
    auto position = std::ranges::upper_bound(best, candidate.estimate.seconds, {},
                                             [](const Candidate &other) { return other.estimate.seconds; });
    best.insert(position, std::move(candidate));
    if (best.size() > count)
      best.pop_back();
  }

  /// The plan that lacks the fewest bytes.
  std::optional<Candidate> nearest() const {
    std::optional<Candidate> least;
    for (const BoundedFrame &bounded : frames) {
      if (least && bounded.missing >= least->estimate.missing)
        continue;
      FrameSolver solver(model, bounded.frame);
      Candidate candidate{.plan = solver.leanest(), .estimate = {}};
      candidate.estimate = model.estimate(candidate.plan);
      if (!least || candidate.estimate.missing < least->estimate.missing)
        least = std::move(candidate);
    }
    return least;
  }

  std::string whyNot(const Family &family, const Candidate &best) {
    bool isValid = false;
    double missing = std::numeric_limits<double>::infinity();
    for (const BoundedFrame &bounded : frames)
      if (family.has(bounded.frame)) {
        isValid = true;
        missing = std::min(missing, bounded.missing);
      }
    if (!isValid)
      return whyInvalid(family);
    if (missing > 0)
      return fmt::format("does not fit: {:.2f} GB or more are missing", missing / 1e9);
    std::vector<Candidate> own = bestOf(family.has, 1, nullptr);
    return own.empty() ? "no plan with it fits the memory" : comparison(own.front(), best);
  }

  /// Why no frame of a family is considered.
  std::string whyInvalid(const Family &family) const {
    for (const char *axis : family.axes)
      if (auto reason = axis ? model.workload.reasons.find(axis) : model.workload.reasons.end();
          reason != model.workload.reasons.end())
        return reason->second;
    if (options.accepts && std::ranges::any_of(framesOf(model), family.has))
      return "not considered";
    return "no size of it divides the devices, the batch and the program, or it has nothing to do";
  }

  /// The term of the time that increases most.
  static std::string comparison(const Candidate &own, const Candidate &best) {
    double ratio = own.estimate.seconds / best.estimate.seconds;
    std::string text =
        fmt::format("the best with it, {}, takes {:.3f} times the time", planText(own.plan), ratio);
    const Estimate::Term *most = nullptr;
    auto added = [&](const Estimate::Term &term) {
      return term.seconds - best.estimate.secondsOf(term.name);
    };
    for (const Estimate::Term &term : own.estimate.terms)
      if (!most || added(term) > added(*most))
        most = &term;
    if (most && added(*most) > 0)
      text += fmt::format("; {} +{:.3g} ms", most->name, added(*most) * 1e3);
    return text;
  }

  const CostModel &model;
  const SearchOptions &options;
  std::vector<BoundedFrame> frames;
  size_t solved = 0;
};

} // namespace

std::vector<Frame> framesOf(const CostModel &model) { return FrameList(model).build(); }

SearchResult search(const CostModel &model, const SearchOptions &options) {
  return Searcher(model, options).run();
}

std::vector<Saving> savingsOf(const CostModel &model, const Plan &plan) {
  std::vector<Saving> savings;
  double before = model.estimate(plan).memory.total();
  auto consider = [&](const std::string &change, const auto &apply) {
    Plan changed = plan;
    apply(changed);
    if (changed == plan || !model.whyInvalid(changed.frame).empty())
      return;
    Estimate estimate = model.estimate(changed);
    if (estimate.memory.total() < before)
      savings.push_back({std::move(changed), change, before - estimate.memory.total(), std::move(estimate)});
  };
  for (auto zero : {spmd::ZeroStage::Optimizer, spmd::ZeroStage::Gradients, spmd::ZeroStage::Parameters})
    if (zero > plan.frame.zero)
      consider(fmt::format("zero{}", static_cast<int>(zero)), [&](Plan &p) { p.frame.zero = zero; });
  consider("recompute what needs no contraction", [](Plan &p) {
    for (Recompute &mode : p.recompute)
      mode = std::max(mode, Recompute::Selective);
  });
  consider("recompute all layers", [](Plan &p) { std::ranges::fill(p.recompute, Recompute::Full); });
  consider("sp", [](Plan &p) { p.frame.sequence = true; });
  consider("offload of optimizer states", [](Plan &p) { p.frame.offload = true; });
  for (int64_t factor : {2, 4, 8, 16})
    consider(fmt::format("acc{}", factor * plan.frame.microBatches),
             [&](Plan &p) { p.frame.microBatches *= factor; });
  for (int64_t ways : {2, 4, 8})
    if (plan.frame.data % ways == 0)
      consider(fmt::format("mp{} instead of dp", ways * plan.frame.model), [&](Plan &p) {
        p.frame.model *= ways, p.frame.data /= ways;
        if (p.frame.data == 1)
          p.frame.zero = spmd::ZeroStage::None;
      });
  std::ranges::sort(savings, [](const Saving &a, const Saving &b) {
    if (a.estimate.fits() != b.estimate.fits())
      return a.estimate.fits();
    return std::pair(a.estimate.seconds, a.change) < std::pair(b.estimate.seconds, b.change);
  });
  return savings;
}

std::optional<Saving> cheapestSaving(const CostModel &model, const Plan &plan) {
  constexpr int mostChanges = 8;
  Saving done{plan, "", 0, model.estimate(plan)};
  double before = done.estimate.memory.total();
  for (int i = 0; i < mostChanges && !done.estimate.fits(); ++i) {
    std::vector<Saving> savings = savingsOf(model, done.plan);
    if (savings.empty())
      return std::nullopt;
    // Those that fit come first, by their time.
    auto perSecond = [&](const Saving &saving) {
      return saving.saved / std::max(1e-9, saving.estimate.seconds - done.estimate.seconds);
    };
    Saving &next =
        savings.front().estimate.fits() ? savings.front() : *std::ranges::max_element(savings, {}, perSecond);
    next.change = done.change + (done.change.empty() ? "" : ", ") + next.change;
    done = std::move(next);
  }
  done.saved = before - done.estimate.memory.total();
  return done.change.empty() || !done.estimate.fits() ? std::nullopt : std::optional(std::move(done));
}

} // namespace proa::plan
