/// Values that a user gives to parameters, and files that keep them.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace proa {

/// Problem: the value has another dtype or other dims; -1 is any dim. `where` begins the message.
Result<void> checkType(const std::string &where, const std::string &name, const Tensor &value, DType dtype,
                       std::span<const int64_t> dims);

/// Writes parameters as Model::saveParameters does: all `values` to a .safetensors file, those of `saved` in
/// this order to a .pdiparams file.
Result<void> writeParameters(const std::string &path, const std::map<std::string, Tensor> &values,
                             const std::vector<std::string> &saved);

} // namespace proa
