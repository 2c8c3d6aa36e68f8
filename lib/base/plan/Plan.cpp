#include "lib/base/plan/Plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace proa::plan {

std::span<const ScheduleChoice> scheduleChoices() {
  // FThenB and eager 1F1B are never better in the models.
  static constexpr ScheduleChoice choices[] = {
      {ScheduleKind::OneFOneB, 1},        {ScheduleKind::Interleaved, 2},
      {ScheduleKind::Interleaved, 4},     {ScheduleKind::ZeroBubbleH1, 1},
      {ScheduleKind::ZeroBubbleH2, 1},    {ScheduleKind::ZeroBubbleV, 2},
      {ScheduleKind::VHalf, 2},           {ScheduleKind::VMin, 2},
      {ScheduleKind::Automatic, 1, 1.0},  {ScheduleKind::Automatic, 1, 1.5},
      {ScheduleKind::Automatic, 2, 0.75}, {ScheduleKind::Automatic, 2, 1.0}};
  return choices;
}

std::vector<size_t> Frame::stagesOfChunks() const {
  std::vector<size_t> stages;
  auto shape = pipeline::shapeFor(schedule, pipeline, microBatches, chunks);
  for (int64_t chunk = 0; chunk < pipeline * chunks; ++chunk)
    stages.push_back(static_cast<size_t>(shape ? shape->rankOf(chunk) : 0));
  return stages;
}

bool Workload::allows(const std::string &axis, int64_t size) const {
  auto found = divides.find(axis);
  return size == 1 || (found != divides.end() &&
                       std::ranges::all_of(found->second, [&](int64_t dim) { return dim % size == 0; }));
}

std::pair<int, int> equalLayers(const Workload &workload) {
  std::pair<int, int> most{0, 0};
  for (int kind = 0; kind < static_cast<int>(workload.kinds.size()); ++kind)
    if (auto count = static_cast<int>(std::ranges::count(workload.layers, kind)); count > most.second)
      most = {kind, count};
  return most;
}

void setEqualLayers(Workload &workload, int count) {
  int kind = equalLayers(workload).first;
  auto first = std::ranges::find(workload.layers, kind);
  first = workload.layers.erase(first,
                                std::find_if(first, workload.layers.end(), [&](int k) { return k != kind; }));
  workload.layers.insert(first, static_cast<size_t>(count), kind);
  workload.firstOps.clear();
}

std::string strategyText(const Frame &frame, bool recomputes) {
  std::string text;
  auto add = [&](const std::string &component) { text += (text.empty() ? "" : ",") + component; };
  for (auto [name, size] :
       {std::pair{"dp", frame.data}, {"cp", frame.context}, {"ep", frame.expert}, {"mp", frame.model}})
    if (size > 1)
      add(fmt::format("{}{}", name, size));
  if (frame.sequence)
    add("sp");
  if (frame.zero != spmd::ZeroStage::None)
    add(fmt::format("zero{}", static_cast<int>(frame.zero)));
  if (frame.microBatches > 1)
    add(fmt::format("acc{}", frame.microBatches));
  if (recomputes)
    add("recompute");
  return text;
}

/// "pp4,interleaved2".
static std::string stagesText(const Frame &frame) {
  bool isNumbered = frame.schedule == ScheduleKind::Interleaved || frame.schedule == ScheduleKind::Automatic;
  std::string chunks = isNumbered ? std::to_string(frame.chunks) : "";
  return fmt::format("pp{},{}{}", frame.pipeline, nameOf(frame.schedule), chunks);
}

/// The first op of each stage after the first one.
static std::vector<int64_t> cutsOf(const Plan &plan, const Workload &workload) {
  std::vector<int64_t> ops;
  for (int layer : std::span(plan.cuts).subspan(1))
    ops.push_back(workload.firstOps[static_cast<size_t>(layer)]);
  return ops;
}

std::string executedText(const Plan &plan, const Workload &workload) {
  bool isFull = std::ranges::count(plan.recompute, Recompute::Full) > 0;
  bool isSelective = std::ranges::count(plan.recompute, Recompute::Selective) > 0;
  std::string text = strategyText(plan.frame, isSelective && !isFull);
  if (plan.frame.pipeline == 1)
    return text;
  text = stagesText(plan.frame) + (text.empty() ? "" : ",") + text;
  if (plan.frame.microBatches == 1)
    text += ",acc1"; // else a run chooses their number
  if (!workload.firstOps.empty())
    for (int64_t op : cutsOf(plan, workload))
      text += fmt::format(",cut{}", op);
  return text;
}

std::string planText(const Plan &plan) {
  std::string text = strategyText(plan.frame, false);
  auto add = [&](const std::string &component) { text += (text.empty() ? "" : ",") + component; };
  if (plan.frame.pipeline > 1)
    add(stagesText(plan.frame));
  if (plan.frame.activations > 0)
    add(fmt::format("{:.3g} in flight", plan.frame.activations));
  if (plan.frame.offload)
    add("offload");
  auto selective = std::ranges::count(plan.recompute, Recompute::Selective);
  auto full = std::ranges::count(plan.recompute, Recompute::Full);
  if (selective > 0)
    add(fmt::format("selective {}/{}", selective, plan.recompute.size()));
  if (full > 0)
    add(fmt::format("full {}/{}", full, plan.recompute.size()));
  return text.empty() ? "one device" : text;
}

std::string whyNotExecutable(const Frame &frame) {
  return frame.pipeline > 1 && frame.offload
             ? "the states of an optimizer cannot be on the host if the program has stages"
             : "";
}

std::string whyNotExecutable(const Plan &plan, const Workload &workload) {
  if (plan.frame.pipeline == 1)
    return "";
  if (workload.firstOps.empty())
    return "the program has another number of layers than the plan divides into stages";
  std::vector<int64_t> ops = cutsOf(plan, workload);
  if (ops.front() < 1 || std::ranges::adjacent_find(ops, std::greater_equal()) != ops.end())
    return "ops of the imported program are in several of its stages";
  return whyNotExecutable(plan.frame);
}

} // namespace proa::plan
