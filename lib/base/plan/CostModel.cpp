#include "lib/base/plan/CostModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace proa::plan {
namespace {

double asDouble(int64_t value) { return static_cast<double>(value); }

/// The devices that have the same parameter: experts are not replicated over ep.
DeviceGroup replicasOf(const Frame &frame, bool isExpert) {
  return isExpert ? DeviceGroup{frame.model * frame.expert, frame.context * frame.data}
                  : DeviceGroup{frame.model, frame.expert * frame.context * frame.data};
}

/// The devices of an axis. Axes from minor to major: mp, ep, cp, dp, and the stages of the pipeline.
DeviceGroup groupOf(const Frame &frame, std::string_view axis) {
  if (axis == "mp" || axis == "sp")
    return {1, frame.model};
  if (axis == "ep")
    return {frame.model, frame.expert};
  if (axis == "cp")
    return {frame.model * frame.expert, frame.context};
  if (axis == "dp")
    return {frame.model * frame.expert * frame.context, frame.data};
  return {frame.devices() / frame.pipeline, frame.pipeline};
}

} // namespace

double Estimate::secondsOf(std::string_view term) const {
  auto found = std::ranges::find(terms, term, &Term::name);
  return found == terms.end() ? 0 : found->seconds;
}

std::string Estimate::limit() const {
  auto longest = std::ranges::max_element(terms, {}, &Term::seconds);
  return longest == terms.end() ? "" : longest->name;
}

void StageCost::add(const LayerCost &layer, Recompute mode) {
  auto index = static_cast<size_t>(mode);
  sum.forward += layer.forward;
  sum.backward += layer.backward;
  sum.modelLinks += layer.modelLinks;
  sum.expertLinks += layer.expertLinks;
  sum.contextLinks += layer.contextLinks;
  sum.dataLinks += layer.dataLinks;
  sum.elements += layer.elements;
  sum.expertElements += layer.expertElements;
  sum.messages += layer.messages;
  sum.expertMessages += layer.expertMessages;
  sum.weights += layer.weights;
  sum.gradients += layer.gradients;
  sum.optimizer += layer.optimizer;
  for (size_t i = 0; i < recomputeModes; ++i)
    sum.extra[i] += layer.extra[i];
  extra += layer.extra[index];
  kept += layer.kept[index];
  working = std::max(working, layer.working + layer.kept[0] - layer.kept[index]);
  gathered = std::max(gathered, layer.gathered);
  ++layers;
}

std::string CostModel::whyInvalid(const Frame &frame) const {
  for (auto [name, size] : {std::pair{"cp", frame.context}, {"ep", frame.expert}, {"mp", frame.model}})
    if (!workload.allows(name, size))
      return workload.divides.contains(name)
                 ? fmt::format("a size that {} splits is not divisible by {}", name, size)
                 : workload.reasons.at(name);
  if (frame.sequence && frame.model == 1)
    return "sp needs mp";
  if (frame.sequence && !workload.allows("cp", frame.model * frame.context))
    return workload.divides.contains("cp") ? "the sequence is not divisible by mp"
                                           : workload.reasons.at("cp");
  if (frame.zero != spmd::ZeroStage::None && frame.data == 1)
    return "ZeRO needs dp";
  if (auto reason = workload.reasons.find("acc"); frame.microBatches > 1 && reason != workload.reasons.end())
    return reason->second;
  if (frame.offload && workload.states.optimizer == 0)
    return "the optimizer keeps no states";
  if (batch % (frame.batchWays() * frame.microBatches) != 0)
    return fmt::format("the batch {} is not divisible by {} shards", batch,
                       frame.batchWays() * frame.microBatches);
  if (frame.pipeline * frame.chunks > static_cast<int64_t>(workload.layers.size()))
    return fmt::format("{} layers are fewer than the stages of the pipeline", workload.layers.size());
  bool isInterleaved = frame.schedule == ScheduleKind::Interleaved;
  if ((isInterleaved && frame.chunks < 2) || (isInterleaved && frame.microBatches % frame.pipeline != 0))
    return "interleaved stages need several chunks, and micro-batches that the stages divide";
  if (frame.pipeline == 1 && frame.schedule != ScheduleKind::OneFOneB)
    return "a schedule needs stages";
  constexpr int64_t mostStages = 16, mostJobs = 2048; // a search takes longer than the rest of planning
  if (frame.schedule == ScheduleKind::Automatic &&
      (frame.pipeline > mostStages || frame.pipeline * frame.microBatches > mostJobs))
    return fmt::format("schedules are searched for up to {} stages, and {} stages times micro-batches",
                       mostStages, mostJobs);
  if (auto shape = pipeline::shapeFor(frame.schedule, frame.pipeline, frame.microBatches, frame.chunks);
      !shape)
    return (*shape.diagnostics().begin()).message;
  return "";
}

double CostModel::samples(const Frame &frame) const {
  return asDouble(batch) / asDouble(frame.batchWays() * frame.microBatches);
}

/// The share of an amount on a device, in one micro-batch.
double CostModel::local(const Frame &frame, uint8_t splits, double amount) const {
  if (splits & batchSplit)
    amount *= samples(frame);
  else if (splits & expertSplit) // else ep splits the batch or the experts
    amount /= asDouble(frame.expert);
  if (splits & sequenceSplit)
    amount /= asDouble(frame.context);
  bool isSequence = frame.sequence && (splits & sequenceSplit);
  return (splits & modelSplit) || isSequence ? amount / asDouble(frame.model) : amount;
}

double CostModel::local(const Frame &frame, const std::vector<Amount> &amounts) const {
  double sum = 0;
  for (const Amount &amount : amounts)
    sum += local(frame, amount.splits, amount.amount);
  return sum;
}

/// Roofline: the longer of arithmetic and memory for each group of ops, and the start of each kernel.
double CostModel::seconds(const Frame &frame, const std::vector<Work> &work) const {
  double sum = 0, rate = workload.is16Bit ? cluster.flops16 : cluster.flops32;
  for (const Work &own : work)
    sum += std::max(local(frame, own.splits, own.flops) / rate,
                    local(frame, own.splits, own.bytes) / cluster.memoryBandwidth) +
           own.ops * cluster.stepSeconds;
  return sum;
}

double CostModel::links(const Frame &frame, const std::vector<Communication> &list,
                        std::string_view axis) const {
  double sum = 0;
  Frame whole = frame; // collectives of sp move whole sequences too
  whole.sequence = false;
  for (const Communication &own : list)
    if (own.axis == axis)
      sum += own.count *
             cluster.seconds(own.kind, groupOf(frame, axis), local(whole, own.splits, own.bytes / own.count));
  return sum;
}

double CostModel::modelLinks(const Frame &frame, const std::vector<Communication> &list) const {
  bool hasOwn = frame.sequence && std::ranges::any_of(list, [](const auto &own) { return own.axis == "sp"; });
  return links(frame, list, hasOwn ? "sp" : "mp");
}

LayerCost CostModel::layerCost(const Frame &frame, const Layer &layer, const Buckets &buckets) const {
  LayerCost cost;
  cost.forward = seconds(frame, layer.forward);
  cost.backward = seconds(frame, layer.backward);
  double modelForward = modelLinks(frame, layer.forwardCollectives);
  double expertForward = links(frame, layer.forwardCollectives, "ep");
  cost.modelLinks = modelForward + modelLinks(frame, layer.backwardCollectives);
  cost.dataLinks =
      links(frame, layer.forwardCollectives, "dp") + links(frame, layer.backwardCollectives, "dp");
  cost.expertLinks = expertForward + links(frame, layer.backwardCollectives, "ep");
  for (auto [list, hidden] :
       {std::pair{&layer.forwardCollectives, cost.forward}, {&layer.backwardCollectives, cost.backward}})
    cost.contextLinks += std::max(0.0, links(frame, *list, "cp") - (overlaps ? hidden : 0));
  cost.extra[static_cast<size_t>(Recompute::Selective)] = seconds(frame, layer.cheap);
  cost.extra[static_cast<size_t>(Recompute::Full)] = cost.forward + modelForward + expertForward;
  for (size_t mode = 0; mode < recomputeModes; ++mode)
    cost.kept[mode] = local(frame, layer.kept[mode]);
  cost.working = local(frame, layer.working);
  cost.output = local(frame, layer.output);
  addStates(frame, layer, buckets, cost);
  return cost;
}

void CostModel::addStates(const Frame &frame, const Layer &layer, const Buckets &buckets,
                          LayerCost &cost) const {
  for (const Parameters &parameters : layer.parameters) {
    bool isExpert = parameters.splits & expertSplit;
    double own = local(frame, parameters.splits, parameters.elements);
    (isExpert ? cost.expertElements : cost.elements) += own;
    // Small tensors share a bucket.
    double bytes = own * workload.states.gradient, bucket = isExpert ? buckets.ofExperts : buckets.shared;
    (isExpert ? cost.expertMessages : cost.messages) += std::min(parameters.count, bytes / bucket);
  }
  double elements = cost.elements + cost.expertElements;
  auto shardsOf = [&](spmd::ZeroStage stage) { return frame.zero >= stage ? asDouble(frame.data) : 1; };
  cost.weights = elements * workload.states.weight / shardsOf(spmd::ZeroStage::Parameters);
  cost.gradients = elements * workload.states.gradient / shardsOf(spmd::ZeroStage::Gradients);
  cost.optimizer = elements * workload.states.optimizer / shardsOf(spmd::ZeroStage::Optimizer);
  if (frame.zero == spmd::ZeroStage::Parameters)
    cost.gathered = elements * workload.states.weight;
}

std::vector<LayerCost> CostModel::layerCosts(const Frame &frame) const {
  std::vector<LayerCost> costs;
  auto bytesOf = [&](bool isExpert) {
    return std::max(cluster.bucketBytes(replicasOf(frame, isExpert), overlaps), 1.0);
  };
  Buckets buckets{bytesOf(false), bytesOf(true)};
  for (const Layer &layer : workload.kinds)
    costs.push_back(layerCost(frame, layer, buckets));
  return costs;
}

const ScheduleFigures &CostModel::figuresOf(const Frame &frame, double forwardShare) const {
  return schedules.of(frame.schedule, frame.pipeline, frame.microBatches, frame.chunks, forwardShare,
                      frame.activations);
}

double CostModel::inFlight(const Frame &frame, int64_t stage) const {
  if (frame.pipeline == 1)
    return 1;
  if (frame.schedule == ScheduleKind::Automatic)
    return std::clamp(frame.activations, 1.0, asDouble(frame.microBatches));
  return figuresOf(frame).inFlight[static_cast<size_t>(stage)];
}

double CostModel::fixedBytes(const Frame &frame, const StageCost &stage) const {
  constexpr double gatheredLayers = 2; // the one that is used and the next
  return stage.sum.weights + stage.sum.gradients + (frame.offload ? 0 : stage.sum.optimizer) + stage.working +
         gatheredLayers * stage.gathered;
}

MemoryUse CostModel::memoryOf(const Frame &frame, const StageCost &stage, int64_t index) const {
  MemoryUse use{stage.sum.weights, stage.sum.gradients, frame.offload ? 0 : stage.sum.optimizer,
                inFlight(frame, index) * stage.kept, stage.working};
  use.buffers = fixedBytes(frame, stage) - use.weights - use.gradients - use.optimizer - use.working;
  return use;
}

double CostModel::idleFactor(const Frame &frame, double forward, double backward, double extra) const {
  if (frame.pipeline == 1)
    return 0;
  double forwardShare = (forward + extra) / std::max(forward + backward + extra, 1e-30);
  return figuresOf(frame, forwardShare).idle;
}

/// The least factor of any recomputation.
double CostModel::leastIdleFactor(const Frame &frame, const LayerCost &sum) const {
  if (frame.schedule == ScheduleKind::Automatic)
    return 0; // no search for frames that are not solved
  auto shareOf = [&](double extra) {
    return (sum.forward + extra) / std::max(sum.forward + sum.backward + extra, 1e-30);
  };
  double most = shareOf(sum.extra[static_cast<size_t>(Recompute::Full)]);
  double least = idleFactor(frame, most, 1 - most, 0);
  for (double share = shareOf(0); share < most; share += ScheduleTable::resolution)
    least = std::min(least, idleFactor(frame, share, 1 - share, 0));
  return least;
}

double CostModel::transfer(const Frame &frame, double bytes) const {
  return frame.pipeline == 1 ? 0 : cluster.seconds(Collective::Permute, groupOf(frame, "pp"), bytes);
}

double CostModel::dataSeconds(const Frame &frame, const StageCost &stage) const {
  double repeated = asDouble(frame.microBatches), total = 0, window = stage.sum.backward;
  auto add = [&](bool isExpert, double elements, double messages) {
    messages = std::max(messages, 1.0);
    auto seconds = [&](Collective kind, double bytes) {
      return messages * cluster.seconds(kind, replicasOf(frame, isExpert), elements * bytes / messages);
    };
    double gather = seconds(Collective::AllGather, workload.states.weight);
    double scatter = seconds(Collective::ReduceScatter, workload.states.gradient);
    if (frame.zero == spmd::ZeroStage::None)
      total += seconds(Collective::AllReduce, workload.states.gradient);
    else if (frame.zero == spmd::ZeroStage::Optimizer)
      total += scatter + gather;
    else if (frame.zero == spmd::ZeroStage::Gradients)
      total += repeated * scatter + gather;
    else
      total += repeated * (scatter + 2 * gather);
  };
  add(false, stage.sum.elements, stage.sum.messages);
  if (stage.sum.expertElements > 0)
    add(true, stage.sum.expertElements, stage.sum.expertMessages);
  if (!overlaps)
    return total;
  if (frame.zero >= spmd::ZeroStage::Gradients)
    window =
        repeated * (stage.sum.backward + (frame.zero == spmd::ZeroStage::Parameters ? stage.sum.forward : 0));
  // Collectives of the last layer have nothing to hide behind. The others slow kernels down by a tenth of
  // their time (Galvatron measures 1.1 to 1.3).
  constexpr double slowdown = 0.1;
  double exposed = std::max(total - window, total / std::max(1, stage.layers));
  return exposed + slowdown * (total - exposed);
}

/// Weights and states are read and written, gradients are read.
double CostModel::optimizerSeconds(const Frame &frame, const StageCost &stage) const {
  double elements = stage.sum.elements + stage.sum.expertElements;
  if (frame.zero != spmd::ZeroStage::None)
    elements /= asDouble(frame.data);
  const StateBytes &bytes = workload.states;
  double time =
      elements * (2 * bytes.weight + bytes.gradient + 2 * bytes.optimizer) / cluster.memoryBandwidth;
  return frame.offload ? time + elements * 2 * bytes.optimizer / cluster.hostBandwidth : time;
}

/// The slowest stage for each micro-batch, the idle time of the pipeline, and the end of the step.
void CostModel::addTime(const Frame &frame, const std::vector<StageCost> &stages, Estimate &estimate) const {
  double sum = 0, forward = 0, backward = 0, extra = 0, data = 0, optimizer = 0;
  const StageCost *slowest = &stages.front();
  for (const StageCost &stage : stages) {
    sum += stage.seconds();
    forward += stage.sum.forward;
    backward += stage.sum.backward;
    extra += stage.extra;
    slowest = stage.seconds() > slowest->seconds() ? &stage : slowest;
    data = std::max(data, dataSeconds(frame, stage));
    optimizer = std::max(optimizer, optimizerSeconds(frame, stage));
  }
  double idle = idleFactor(frame, forward, backward, extra) * (sum - slowest->seconds());
  double repeated = asDouble(frame.microBatches);
  auto add = [&](const char *name, double seconds) {
    estimate.seconds += seconds;
    if (seconds > 0)
      estimate.terms.push_back({name, seconds});
  };
  add("forward", repeated * slowest->sum.forward);
  add("backward", repeated * slowest->sum.backward);
  add("recompute", repeated * slowest->extra);
  add("mp collectives", repeated * slowest->sum.modelLinks);
  add("ep collectives", repeated * slowest->sum.expertLinks);
  add("cp collectives", repeated * slowest->sum.contextLinks);
  add("dp statistics", repeated * slowest->sum.dataLinks);
  add("pp messages", repeated * slowest->transfers);
  add("idle", idle);
  add("dp collectives", data);
  add("optimizer", optimizer);
}

std::vector<StageCost> CostModel::groupCosts(const Plan &plan, const std::vector<LayerCost> &costs,
                                             const std::vector<size_t> &groupOfChunk, size_t groups) const {
  std::vector<StageCost> result(groups);
  std::vector<size_t> stageOf = plan.frame.stagesOfChunks();
  for (size_t chunk = 0; chunk < plan.cuts.size(); ++chunk) {
    StageCost &group = result[groupOfChunk[chunk]];
    bool isLast = chunk + 1 == plan.cuts.size();
    int end = isLast ? static_cast<int>(workload.layers.size()) : plan.cuts[chunk + 1];
    for (int layer = plan.cuts[chunk]; layer < end; ++layer)
      group.add(costs[static_cast<size_t>(workload.layers[static_cast<size_t>(layer)])],
                plan.recompute[static_cast<size_t>(layer)]);
    if (!isLast && stageOf[chunk] != stageOf[chunk + 1]) // the activation and its gradient
      group.transfers +=
          2 * transfer(plan.frame,
                       costs[static_cast<size_t>(workload.layers[static_cast<size_t>(end) - 1])].output);
  }
  return result;
}

std::vector<StageCost> CostModel::stageCosts(const Plan &plan) const {
  return groupCosts(plan, layerCosts(plan.frame), plan.frame.stagesOfChunks(),
                    static_cast<size_t>(plan.frame.pipeline));
}

std::vector<StageCost> CostModel::chunkCosts(const Plan &plan) const {
  std::vector<size_t> chunks(plan.cuts.size());
  std::iota(chunks.begin(), chunks.end(), size_t{0});
  return groupCosts(plan, layerCosts(plan.frame), chunks, chunks.size());
}

Estimate CostModel::estimate(const Plan &plan, const std::vector<LayerCost> &costs) const {
  const Frame &frame = plan.frame;
  std::vector<StageCost> stages =
      groupCosts(plan, costs, frame.stagesOfChunks(), static_cast<size_t>(frame.pipeline));
  Estimate estimate;
  addTime(frame, stages, estimate);
  for (size_t i = 0; i < stages.size(); ++i) {
    MemoryUse use = memoryOf(frame, stages[i], static_cast<int64_t>(i));
    if (use.total() > estimate.memory.total())
      estimate.memory = use, estimate.stage = static_cast<int>(i);
  }
  estimate.missing = std::max(0.0, estimate.memory.total() - cluster.memory);
  return estimate;
}

Estimate CostModel::estimate(const Plan &plan) const { return estimate(plan, layerCosts(plan.frame)); }

double CostModel::lowerBound(const Frame &frame, const std::vector<LayerCost> &costs) const {
  StageCost all;
  double longest = 0;
  for (int kind : workload.layers) {
    const LayerCost &layer = costs[static_cast<size_t>(kind)];
    all.add(layer, Recompute::None);
    longest = std::max(longest, layer.step());
  }
  double stages = asDouble(frame.pipeline), sum = all.sum.step();
  double slowest = std::max(sum / stages, longest);
  // A slower stage costs `microBatches`, and saves at most the factor.
  double factor = frame.pipeline == 1 ? 0 : leastIdleFactor(frame, all.sum);
  double bound = asDouble(frame.microBatches) * slowest + factor * std::max(0.0, sum - slowest) +
                 optimizerSeconds(frame, all) / stages;
  return frame.pipeline == 1 ? bound + dataSeconds(frame, all) : bound;
}

double CostModel::leastMemory(const Frame &frame, const std::vector<LayerCost> &costs) const {
  double states = 0, kept = 0, working = 0;
  for (int kind : workload.layers) {
    const LayerCost &layer = costs[static_cast<size_t>(kind)];
    states += layer.weights + layer.gradients + (frame.offload ? 0 : layer.optimizer);
    kept += *std::ranges::min_element(layer.kept);
    working = std::max(working, layer.working + 2 * layer.gathered);
  }
  double stages = asDouble(frame.pipeline), least = 1;
  if (frame.pipeline > 1 && frame.schedule != ScheduleKind::Automatic)
    least = *std::ranges::min_element(figuresOf(frame).inFlight);
  return std::max(working, (states + kept * least) / stages);
}

} // namespace proa::plan
