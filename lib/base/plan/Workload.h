/// Workloads: training steps as lists of layers with their arithmetic, bytes, parameters and collectives.
#pragma once

#include "lib/base/plan/Cluster.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace proa::plan {

/// The dimensions of an op or a value that a strategy may split: bits of a mask.
enum Splits : uint8_t {
  batchSplit = 1,    ///< over dp and ep; quantities are per example
  sequenceSplit = 2, ///< over cp, and over mp under sp if tensor parallelism does not split the value
  modelSplit = 4,    ///< over mp
  expertSplit = 8,   ///< over ep
};

/// Ops of a layer with equal splits.
struct Work {
  uint8_t splits = 0;
  double flops = 0; ///< of contractions
  double bytes = 0; ///< read and written
  double ops = 0;   ///< kernels
};

/// Values of a layer with equal splits.
struct Amount {
  uint8_t splits = 0;
  double amount = 0;
};

/// Parameters of a layer with equal splits and sizes.
struct Parameters {
  uint8_t splits = 0;
  double elements = 0; ///< of all `count` tensors together
  double count = 1;    ///< may be below 1: a mean over layers
};

/// Collectives of a layer over an axis: "mp", "sp" (over mp, instead of "mp"), "ep", "cp", and "dp",
/// which combine statistics of the batch, not gradients.
struct Communication {
  Collective kind = Collective::AllReduce;
  std::string axis;
  uint8_t splits = 0; ///< of the tensor
  double bytes = 0;   ///< of all `count` collectives together
  double count = 1;   ///< may be below 1: a mean over layers
};

/// The values of a layer that its backward pass recomputes.
enum class Recompute : uint8_t {
  None,
  Selective, ///< values that need no contraction
  Full,      ///< all but the input of the layer
};
inline constexpr size_t recomputeModes = 3;

struct Layer {
  std::string name;
  std::vector<Parameters> parameters;
  std::vector<Work> forward, backward;
  /// The fraction of `forward` that selective recomputation repeats.
  std::vector<Work> cheap;
  /// Bytes kept for the backward pass, by Recompute; with Full, the input of the layer.
  std::vector<Amount> kept[recomputeModes];
  /// Bytes that one op of the layer needs besides kept ones, at most.
  std::vector<Amount> working;
  /// Bytes of the values that the next layer reads.
  std::vector<Amount> output;
  std::vector<Communication> forwardCollectives, backwardCollectives;
};

/// Bytes of a parameter and its states (docs/planning.md has the table of schemes).
struct StateBytes {
  double weight = 4, gradient = 4, optimizer = 8;
};

struct Workload {
  std::string name;
  std::vector<Layer> kinds;
  std::vector<int> layers; ///< the index of the kind of each layer, in order
  /// The index of the first op of each layer in the imported program; empty: it has other layers.
  std::vector<int64_t> firstOps;
  StateBytes states;
  bool is16Bit = false; ///< contractions have 16-bit operands
  /// Sizes that the size of an axis must divide; an axis that is not here cannot be used, because of
  /// `reasons`.
  std::map<std::string, std::vector<int64_t>> divides;
  std::map<std::string, std::string> reasons;

  /// Whether an axis may have a size.
  bool allows(const std::string &axis, int64_t size) const;
};

/// The kind of most layers, and how many layers have it.
std::pair<int, int> equalLayers(const Workload &workload);
/// Changes the number of layers of that kind, which follow each other. The layers have no ops then.
void setEqualLayers(Workload &workload, int count);

} // namespace proa::plan
