/// Distributed checkpoints of Paddle and PyTorch: pickled metadata, and a file of shards for each rank.
#pragma once

#include "lib/checkpoint/OtherFormats.h"

#include <span>
#include <string>

namespace proa::checkpoints {

/// A folder of torch.distributed.checkpoint: `.metadata` says which bytes of a file hold a shard, in the form
/// of torch.save.
Result<OtherCheckpoint> readTorchDistributed(const std::string &folder);

/// A folder of paddle.distributed.save_state_dict: the metadata files say which pickled file has a shard.
/// Flattened shards become boxes.
Result<OtherCheckpoint> readPaddleDistributed(const std::string &folder,
                                              std::span<const std::string> metadataFiles);

} // namespace proa::checkpoints
