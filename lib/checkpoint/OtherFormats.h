/// Checkpoints of Paddle and PyTorch, for reading.
#pragma once

#include "lib/checkpoint/Catalog.h"
#include "translator/params/Safetensors.h"

#include "proa/Result.h"

#include <map>
#include <optional>
#include <string>

namespace proa::checkpoints {

/// A checkpoint of another tool: its catalog, and the shards of each file by key. Shards share the memory of
/// mapped files.
struct OtherCheckpoint {
  Catalog catalog;
  std::map<std::string, params::Tensors> files;
};

/// Reads `path` if it is one of these, else nothing:
///   *.pdparams, *.pdopt, *.distcp   paddle.save
///   *.bin, *.pt, *.pth              torch.save (zip format)
///   a folder with `.metadata`       torch.distributed.checkpoint
///   a folder with `*.metadata`      paddle.distributed.save_state_dict
///   a folder with a program, *.pdiparams beside a program   weights of a model
/// Errors: as the readers of state dicts and models; shards in another form than the formats have.
std::optional<Result<OtherCheckpoint>> readOtherFormat(const std::string &path);

} // namespace proa::checkpoints
