/// The contents of a checkpoint: tensors, their shards and where these are stored, and the state of the
/// training.
#pragma once

#include "lib/checkpoint/Box.h"

#include "proa/Tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace proa::checkpoints {

/// The use of a tensor in the program.
enum class StateKind : uint8_t {
  Parameter, ///< trained, or a weight
  State,     ///< optimizer state, learning rate, statistics, counters
};

/// The keyword: "parameter".
std::string_view keywordOf(StateKind kind);
/// The inverse; none for another text.
std::optional<StateKind> stateKindOf(std::string_view keyword);

/// A whole tensor.
struct TensorEntry {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  StateKind kind = StateKind::Parameter;
  bool operator==(const TensorEntry &) const = default;
};

/// A shard of a tensor, and where it is stored.
struct ShardEntry {
  Box box;
  std::string file; ///< name in the checkpoint's folder
  std::string key;  ///< name in the file
  /// XXH3 (64 bits) of the bytes; none in files of other tools.
  std::optional<uint64_t> checksum;
};

/// The state of random ops without a seed of their own: docs/dist.md.
struct RandomState {
  uint64_t seed = 0;
  uint64_t calls = 0; ///< executions of such ops
  bool operator==(const RandomState &) const = default;
};

/// The state of a training apart from tensors.
struct TrainingState {
  /// The number of completed steps, which is also the position in the data: the next run uses the batch of
  /// this step.
  int64_t step = 0;
  std::optional<RandomState> random;
  bool operator==(const TrainingState &) const = default;
};

struct Catalog {
  std::map<std::string, TensorEntry> tensors;
  /// By name of the tensor; each element of a tensor is in one shard.
  std::map<std::string, std::vector<ShardEntry>> shards;
  /// Size of each file in bytes, as far as it is known.
  std::map<std::string, std::optional<uint64_t>> files;
  /// None: no training saved the checkpoint.
  std::optional<TrainingState> training;
  /// Number of the save, which names its files: one more than in the checkpoint that it replaced.
  int64_t save = 0;
};

/// The name of a shard in its file: the tensor's for a whole tensor, else with the box: "w[0:4][8:16]".
std::string keyOf(const std::string &tensor, const TensorEntry &entry, const Box &box);

} // namespace proa::checkpoints
