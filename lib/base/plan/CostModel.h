/// Time and memory of a plan.
#pragma once

#include "lib/base/plan/Plan.h"
#include "lib/base/plan/ScheduleFigures.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::plan {

/// One layer in a frame, on the device that has it, for one micro-batch. Seconds and bytes.
struct LayerCost {
  double forward = 0, backward = 0;                 ///< computation
  double modelLinks = 0, expertLinks = 0;           ///< collectives over mp and ep, both directions
  double contextLinks = 0;                          ///< over cp, as far as computation does not hide it
  double dataLinks = 0;                             ///< over dp, of statistics of the batch
  double extra[recomputeModes] = {};                ///< time of recomputation
  double kept[recomputeModes] = {};                 ///< bytes kept for the backward pass
  double working = 0, output = 0;                   ///< bytes
  double elements = 0, expertElements = 0;          ///< of parameters; experts are not replicated over ep
  double messages = 0, expertMessages = 0;          ///< of their gradients over dp, in buckets
  double weights = 0, gradients = 0, optimizer = 0; ///< bytes of states
  double gathered = 0;                              ///< bytes of parameters that ZeRO 3 gathers

  double step() const { return forward + backward + modelLinks + expertLinks + contextLinks + dataLinks; }
};

/// The layers of a stage together.
struct StageCost {
  LayerCost sum;
  double extra = 0, kept = 0; ///< of the chosen modes of recomputation
  double working = 0;         ///< the most that a layer needs, with the values that it recomputes
  double gathered = 0;        ///< the most of a layer
  double transfers = 0;       ///< seconds of messages to the next stage and back
  int layers = 0;

  void add(const LayerCost &layer, Recompute mode);
  double seconds() const { return sum.step() + extra + transfers; }
};

/// Bytes of the fullest device by kind.
struct MemoryUse {
  double weights = 0, gradients = 0, optimizer = 0, activations = 0, working = 0, buffers = 0;
  /// Of a lowered program, instead of the others: parameters and states of the optimizer, and all else.
  double states = 0, arena = 0;
  double total() const {
    return weights + gradients + optimizer + activations + working + buffers + states + arena;
  }
};

/// A step of training by a plan.
struct Estimate {
  struct Term {
    std::string name; ///< "forward", "backward", "recompute", "mp all_reduce", "idle", "optimizer", ...
    double seconds = 0;
  };
  double seconds = 0;
  std::vector<Term> terms; ///< their sum is `seconds`
  MemoryUse memory;
  int stage = 0;      ///< of the fullest device
  double missing = 0; ///< bytes that the fullest device lacks; 0: the plan fits

  bool fits() const { return missing <= 0; }
  double secondsOf(std::string_view term) const;
  /// The name of the term that takes most time.
  std::string limit() const;
};

/// The models of docs/planning.md for one workload, cluster and batch.
class CostModel {
public:
  /// `batch`: examples of a step on all devices. `overlaps`: collectives run while kernels do.
  CostModel(const Workload &workload, const Cluster &cluster, int64_t batch, bool overlaps = true)
      : workload(workload), cluster(cluster), batch(batch), overlaps(overlaps) {}

  /// Why a frame cannot be used whatever the memory; empty: it can.
  std::string whyInvalid(const Frame &frame) const;
  /// By kind of layer.
  std::vector<LayerCost> layerCosts(const Frame &frame) const;
  Estimate estimate(const Plan &plan) const;
  /// The same with known costs of layers.
  Estimate estimate(const Plan &plan, const std::vector<LayerCost> &costs) const;
  /// A time that no plan with the frame is below. Its stages are balanced and nothing is recomputed.
  double lowerBound(const Frame &frame, const std::vector<LayerCost> &costs) const;
  /// A number of bytes that the fullest device of no plan with the frame is below.
  double leastMemory(const Frame &frame, const std::vector<LayerCost> &costs) const;

  /// The layers of each stage, and of each chunk of layers, with the transfers after them.
  std::vector<StageCost> stageCosts(const Plan &plan) const;
  std::vector<StageCost> chunkCosts(const Plan &plan) const;
  /// Micro-batches whose activations a stage keeps at once, by simulation of the schedule. Of a searched one:
  /// its limit.
  double inFlight(const Frame &frame, int64_t stage) const;
  /// Bytes that a stage needs besides kept activations.
  double fixedBytes(const Frame &frame, const StageCost &stage) const;
  /// Factor of the idle time of a pipeline, by simulation of equal stages: idle = factor (sum - slowest), of
  /// the times of stages.
  double idleFactor(const Frame &frame, double forward, double backward, double extra) const;
  /// Seconds of a micro-batch's message to the next stage.
  double transfer(const Frame &frame, double bytes) const;

  const Workload &workload;
  const Cluster &cluster;
  const int64_t batch;
  const bool overlaps;

private:
  mutable ScheduleTable schedules;
  const ScheduleFigures &figuresOf(const Frame &frame, double forwardShare = ScheduleTable::equalTimes) const;
  /// The costs of groups of the plan's layers: chunk i belongs to group `groupOfChunk[i]`.
  std::vector<StageCost> groupCosts(const Plan &plan, const std::vector<LayerCost> &costs,
                                    const std::vector<size_t> &groupOfChunk, size_t groups) const;
  double leastIdleFactor(const Frame &frame, const LayerCost &sum) const;
  double samples(const Frame &frame) const;
  double local(const Frame &frame, uint8_t splits, double amount) const;
  double local(const Frame &frame, const std::vector<Amount> &amounts) const;
  double seconds(const Frame &frame, const std::vector<Work> &work) const;
  double links(const Frame &frame, const std::vector<Communication> &list, std::string_view axis) const;
  /// Over mp, with or without sp.
  double modelLinks(const Frame &frame, const std::vector<Communication> &list) const;
  /// Bytes of buckets of gradients.
  struct Buckets {
    double shared, ofExperts;
  };
  LayerCost layerCost(const Frame &frame, const Layer &layer, const Buckets &buckets) const;
  void addStates(const Frame &frame, const Layer &layer, const Buckets &buckets, LayerCost &cost) const;
  /// Exposed time of the collectives of gradients and parameters over data parallelism.
  double dataSeconds(const Frame &frame, const StageCost &stage) const;
  double optimizerSeconds(const Frame &frame, const StageCost &stage) const;
  MemoryUse memoryOf(const Frame &frame, const StageCost &stage, int64_t index) const;
  void addTime(const Frame &frame, const std::vector<StageCost> &stages, Estimate &estimate) const;
};

} // namespace proa::plan
