/// The objects that the C interface hands out, and their options.
#pragma once

#include "proa-c/proa.h"

#include "lib/compiler/capi/Boundary.h"
#include "proa/Model.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <string>

struct proa_model {
  proa::Model model;
};

namespace proa::capi {

/// A copy of `source` with the fields that the caller's version of the struct has, and the defaults of the
/// others. Error: a size that is not one of a version.
template <class Options>
Result<Options> readStruct(const char *function, const Options &source, const Options &defaults,
                           size_t firstVersion, const std::string &what, const std::string &initializer) {
  if (source.size < firstVersion || source.size > sizeof source)
    return errorAt(function, fmt::format("size of the {} is {}, expected {} (begin with {})", what,
                                         source.size, sizeof source, initializer));
  Options options = defaults;
  std::memcpy(&options, &source, source.size);
  return options;
}

inline Diagnostics isNull(const char *function, const char *what) {
  return errorAt(function, std::string(what) + " is NULL");
}

inline std::span<const TensorInfo> feedsOf(const proa_model *model) {
  return model ? std::span<const TensorInfo>(model->model.feeds()) : std::span<const TensorInfo>();
}

} // namespace proa::capi
