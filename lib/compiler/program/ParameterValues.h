/// Values of parameters set by users, and files of parameters.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace proa {

/// Checks a value for a parameter. Error: another dtype, or other dims (-1: any dim). `where` is the
/// location.
Result<void> checkType(const std::string &where, const std::string &name, const Tensor &value, DType dtype,
                       std::span<const int64_t> dims);

/// Writes parameters as Model::saveParameters does: all `values` to a .safetensors file, or the values of
/// `saved`, in order, to a .pdiparams file.
Result<void> writeParameters(const std::string &path, const std::map<std::string, Tensor> &values,
                             const std::vector<std::string> &saved);

} // namespace proa
