/// `generated_params` of a meta.json: weights that are generated from a seed
/// (test/corpus/README.md).
#pragma once

#include "proa/Tensor.h"

#include <map>
#include <string>

namespace proa::params {

/// Whether the meta.json at this path has `generated_params`. False for unreadable files.
bool hasGeneratedParams(const std::string &metaPath);

/// Makes all parameters that `generated_params` lists. Errors: the file is missing or no JSON; for each
/// parameter fields that are missing or of a wrong type, an element type that is not float32, sizes that are
/// negative or too large.
Result<std::map<std::string, Tensor>> readGeneratedParams(const std::string &metaPath);

} // namespace proa::params
