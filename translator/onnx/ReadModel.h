/// Reads ONNX models.
#pragma once

#include "translator/onnx/Model.h"

#include <cstddef>
#include <span>
#include <string>

namespace proa::onnx {

/// Reads a model with its weights. Files with external data are mapped into memory and not copied, unless
/// their alignment or packed elements require it; such a path may not leave the model's folder.
/// Errors, all at once, with graph and node: bytes that are not a ModelProto, a message of 2 GiB or more,
/// unknown types, attributes whose kind does not match the set field, tensors whose elements do not match
/// their dims, and what `check` finds.
Result<Model> readModel(const std::string &path);

/// The same for bytes in memory. `name` is the file in errors; `folder` has the files with external data,
/// which is an error if it is empty.
Result<Model> readModelBytes(std::span<const std::byte> bytes, const std::string &name,
                             const std::string &folder = "");

} // namespace proa::onnx
