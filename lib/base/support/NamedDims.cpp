#include "lib/base/support/NamedDims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace proa {

std::string describe(const TensorInfo &info) {
  if (info.dimNames.empty())
    return describe(info.dtype, info.dims);
  std::vector<std::string> dims;
  for (size_t d = 0; d < info.dims.size(); ++d)
    dims.push_back(info.dims[d] < 0 && !info.dimNames[d].empty() ? info.dimNames[d]
                                                                 : std::to_string(info.dims[d]));
  return fmt::format("{}[{}]", nameOf(info.dtype), fmt::join(dims, ", "));
}

Diagnostics checkNamedDims(const std::string &source, const std::vector<TensorInfo> &feeds,
                           const std::map<std::string, Tensor> &tensors) {
  struct Size {
    int64_t size;
    std::string location;
  };
  std::map<std::string, Size> sizes;
  Diagnostics diagnostics;
  for (const TensorInfo &info : feeds) {
    auto found = tensors.find(info.name);
    if (found == tensors.end() || found->second.dims().size() != info.dimNames.size())
      continue;
    for (size_t d = 0; d < info.dimNames.size(); ++d) {
      if (info.dimNames[d].empty())
        continue;
      Size own{found->second.dims()[d], fmt::format("dimension {} of feed '{}'", d, info.name)};
      const Size &first = sizes.emplace(info.dimNames[d], own).first->second;
      if (first.size != own.size)
        diagnostics.add(source, fmt::format("dim '{}' is {} in {}, but {} in {}", info.dimNames[d],
                                            first.size, first.location, own.size, own.location));
    }
  }
  return diagnostics;
}

} // namespace proa
