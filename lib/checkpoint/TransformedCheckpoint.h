/// Checkpoints that statements compose of the tensors of other checkpoints (docs/checkpoint-transforms.md).
#pragma once

#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/transform/Mapping.h"

namespace proa::checkpoints {

/// A checkpoint that a transform reads.
struct TransformInput {
  /// Names of its tensors are "prefix.name" in statements; empty: "name".
  std::string prefix;
  Checkpoint checkpoint;
};

struct TransformOptions {
  bool isInverse = false;
  /// The tensors of the result, if they are known.
  const Catalog *result = nullptr;
};

class TransformedCheckpoint : public TensorSource {
public:
  /// A single input gives the training state. Errors: as transform::mapTensors; two inputs of one
  /// prefix.
  static Result<TransformedCheckpoint> create(std::vector<TransformInput> inputs,
                                              const std::vector<transform::Statement> &statements,
                                              const TransformOptions &options = {});

  const Catalog &catalog() const override { return contents; }
  Result<Tensor> read(const std::string &tensor, const Box &box) override;
  /// For example statements without an effect.
  const Diagnostics &warnings() const { return mapping.warnings; }

private:
  TransformedCheckpoint(std::vector<TransformInput> inputs, transform::Mapping mapping)
      : inputs(std::move(inputs)), mapping(std::move(mapping)) {}

  void describeTensors();
  /// The input that has a tensor, and its name there.
  std::pair<TransformInput *, std::string> find(const std::string &name);

  std::vector<TransformInput> inputs;
  transform::Mapping mapping;
  Catalog contents;
};

} // namespace proa::checkpoints
