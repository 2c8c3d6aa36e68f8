#include "lib/plan/Plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::plan {

const char *nameOf(Schedule schedule) {
  constexpr const char *names[] = {"1f1b", "interleaved", "zbh1"};
  return names[static_cast<size_t>(schedule)];
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
}

std::string strategyText(const Frame &frame, bool recomputes) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ",") + part; };
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

std::string planText(const Plan &plan) {
  std::string text = strategyText(plan.frame, false);
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ",") + part; };
  if (plan.frame.pipeline > 1)
    add(fmt::format("pp{},{}{}", plan.frame.pipeline, nameOf(plan.frame.schedule),
                    plan.frame.chunks > 1 ? std::to_string(plan.frame.chunks) : ""));
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

std::string whyNotExecutable(const Plan &plan) {
  return plan.frame.pipeline > 1 ? "--strategy has no stages of a pipeline" : "";
}

} // namespace proa::plan
