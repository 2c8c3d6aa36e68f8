/// Weights as Paddle writes them: one file for all variables (.pdiparams, __params__), or a file for each.
#pragma once

#include "lib/base/support/Files.h"
#include "proa/Tensor.h"

#include <map>
#include <memory>
#include <span>
#include <string>

namespace proa::params {

using Tensors = std::map<std::string, Tensor>;

/// Reads a combined file (save_combine). The file has no names: `names` are the names of its tensors in their
/// order, which for a model is the sorted order of the persistable variables. Tensors share the memory of the
/// mapped file where its alignment allows. LoD is skipped. Errors: the file is missing; it ends too early,
/// has a wrong version or a damaged description (with the tensor and the byte); an element type that proa has
/// not; fewer or more tensors than names.
Result<Tensors> readCombinedParams(const std::string &path, std::span<const std::string> names);
/// The same for a content; `path` begins the messages.
Result<Tensors> readCombinedParams(const std::string &path, const std::shared_ptr<const MappedFile> &content,
                                   std::span<const std::string> names);

/// Writes a combined file of these tensors, which a reader must name in the same order. The file appears
/// under its name when it is complete. Error: a file that cannot be written.
Result<void> writeCombinedParams(const std::string &path, std::span<const Tensor> tensors);

/// Reads a folder with one file for each variable, named as the variable (save_vars). All missing files are
/// reported.
Result<Tensors> readSeparateParams(const std::string &folder, std::span<const std::string> names);

} // namespace proa::params
