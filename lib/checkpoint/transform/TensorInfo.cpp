#include "lib/checkpoint/transform/TensorInfo.h"

namespace proa::transform {

std::string_view optimizerSuffixOf(std::string_view name) {
  for (std::string_view suffix : optimizerSuffixes)
    if (name.size() > suffix.size() && name.ends_with(suffix))
      return suffix;
  return "";
}

TensorInfos parametersOf(const TensorInfos &tensors) {
  TensorInfos parameters;
  TensorInfos states;
  for (const auto &[name, info] : tensors) {
    std::string_view suffix = optimizerSuffixOf(name);
    if (suffix.empty())
      parameters.emplace_hint(parameters.end(), name, info);
    else if (hasParameterDims(suffix))
      states.emplace(name.substr(0, name.size() - suffix.size()), info);
  }
  parameters.merge(states);
  return parameters;
}

} // namespace proa::transform
