/// Rows of the tables of dtypes in file formats.
#pragma once

#include "proa/Tensor.h"

#include <string_view>

namespace proa::params {

struct NamedDType {
  std::string_view name;
  DType dtype;
};

} // namespace proa::params
