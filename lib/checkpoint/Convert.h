/// Conversion of checkpoints to other layouts, and their comparison.
#pragma once

#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Layout.h"

#include <string>

namespace proa::checkpoints {

/// Writes the tensors of a checkpoint, or tensors that are composed of them, into a folder in another layout.
/// The training state is kept. Errors: as TensorSource::read, writeShards and Layout::place.
Result<void> convert(TensorSource &source, const std::string &folder, const Layout &layout);

/// Writes whole tensors into one `.safetensors` file, or into a `.pdiparams` file in the order of their
/// names.
Result<void> convertToFile(TensorSource &source, const std::string &path);

/// The differences of two checkpoints, a line for each: tensors that only one has, different types,
/// different elements, a different training state. Layouts are not compared. Errors: as Checkpoint::read.
Result<std::vector<std::string>> differences(Checkpoint &a, Checkpoint &b);

} // namespace proa::checkpoints
