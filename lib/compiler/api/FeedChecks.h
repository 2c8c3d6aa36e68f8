/// Checks of feeds.
#pragma once

#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa {

/// Errors, all at once: missing feeds, feeds of another dtype or other dims than declared, tensors that are
/// not feeds, invalid LoDs, dims of one name with several sizes. `source` is the location.
Result<void> checkFeeds(const std::string &source, const std::vector<TensorInfo> &feeds,
                        const std::map<std::string, Tensor> &inputs);

/// Errors of tensors that cannot be run (whyInvalid). Only their dims are needed to compile.
Result<void> checkValid(const std::string &source, const std::map<std::string, Tensor> &inputs);

} // namespace proa
