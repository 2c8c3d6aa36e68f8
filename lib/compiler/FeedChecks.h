/// Checks of the tensors that a program is fed.
#pragma once

#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa {

/// Problems, all at once: feeds that are missing, of another dtype or of other dims than declared, tensors
/// that are not a feed, LoDs whose offsets do not ascend to the number of rows. `source` is where they are
/// reported.
Result<void> checkFeeds(const std::string &source, const std::vector<TensorInfo> &feeds,
                        const std::map<std::string, Tensor> &given);

} // namespace proa
