/// Tensors that can be read by boxes: a checkpoint's, or tensors that are composed of them.
#pragma once

#include "lib/checkpoint/Catalog.h"

#include "proa/Result.h"

namespace proa::checkpoints {

class TensorSource {
public:
  virtual ~TensorSource() = default;

  /// The tensors and the state of the training. Only a checkpoint has shards and files.
  virtual const Catalog &catalog() const = 0;
  /// The elements of a box of a tensor. Error: they cannot be read.
  virtual Result<Tensor> read(const std::string &tensor, const Box &box) = 0;
};

} // namespace proa::checkpoints
