/// State dicts of Paddle and PyTorch in single files.
#pragma once

#include "lib/base/support/Files.h"
#include "translator/params/Safetensors.h"

#include "proa/Result.h"

#include <memory>
#include <span>
#include <string>

namespace proa::checkpoints {

/// The tensors of a pickle that paddle.save has written: `.pdparams`, `.pdopt` and `.distcp` files. Numbers
/// and nested dicts are tensors with joined names: "LR_Scheduler.last_epoch". The map from structured names
/// to names of parameters is left out. Errors: as Pickle::read; a value of another kind.
Result<params::Tensors> readPaddleStateDict(const std::string &path);

/// The tensors of a file that torch.save has written: a dict in the zip format, from version 1.6 on. Errors:
/// another format; the errors of readZip and Pickle::read; tensors with other strides than dense ones.
Result<params::Tensors> readTorchStateDict(const std::string &path);

/// Content of torch.save in some bytes of a file: a tensor or scalar with this name, or a dict below it.
/// `owner` keeps the content alive.
Result<params::Tensors> readTorchBytes(const std::shared_ptr<const MappedFile> &owner,
                                       std::span<const std::byte> content, const std::string &name,
                                       const std::string &where);

} // namespace proa::checkpoints
