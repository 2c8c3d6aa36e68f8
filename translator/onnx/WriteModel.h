/// Writes ONNX models.
#pragma once

#include "translator/onnx/Model.h"

#include <optional>
#include <string>

namespace proa::onnx {

struct WriteOptions {
  /// Initializers of this number of bytes or more are written to one file beside the model, `NAME.data`, at
  /// offsets that are multiples of 4096; nothing: all are in the model.
  std::optional<size_t> externalFrom;
};

/// The model as the bytes of a ModelProto, with all weights. readModelBytes gives an equal model again.
/// Error: 2 GiB or more.
Result<std::string> serialize(const Model &model);

/// Writes a model to `path`. readModel gives an equal model again. Each file appears under its name when it
/// is complete; the model's file, which refers to the other one, is the last. Errors: a file that cannot be
/// written; 2 GiB or more in the model's file.
Result<void> writeModel(const Model &model, const std::string &path, const WriteOptions &options = {});

} // namespace proa::onnx
