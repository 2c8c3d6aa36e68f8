/// Feeds whose dims have names (TensorInfo::dimNames).
#pragma once

#include "proa/Model.h"

#include <map>
#include <string>
#include <vector>

namespace proa {

/// "float32[N, 3, -1]": a dynamic dim with a name is shown by its name.
std::string describe(const TensorInfo &info);

/// Errors: dims of one name that have several sizes. Tensors that are missing, or of another rank than
/// declared, are left out. `source` is the location.
Diagnostics checkNamedDims(const std::string &source, const std::vector<TensorInfo> &feeds,
                           const std::map<std::string, Tensor> &tensors);

} // namespace proa
