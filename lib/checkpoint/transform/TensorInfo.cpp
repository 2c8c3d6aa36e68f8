#include "lib/checkpoint/transform/TensorInfo.h"

#include <algorithm>

namespace proa::transform {

const OptimizerState *stateOf(std::string_view name, const TensorInfos &tensors) {
  for (const OptimizerState &state : optimizerStates) {
    if (name.size() <= state.suffix.size() || !name.ends_with(state.suffix))
      continue;
    std::string parameter(name.substr(0, name.size() - state.suffix.size()));
    bool isState = tensors.contains(parameter);
    if (!isState && state.suffix.front() == '.')
      isState =
          !state.isMasterWeight || std::ranges::any_of(optimizerStates, [&](const OptimizerState &other) {
            return other.suffix.front() == '.' && !other.isMasterWeight &&
                   tensors.contains(parameter + std::string(other.suffix));
          });
    if (isState)
      return &state;
  }
  return nullptr;
}

TensorInfos parametersOf(const TensorInfos &tensors) {
  TensorInfos parameters, onlyStates;
  for (const auto &[name, info] : tensors) {
    const OptimizerState *state = stateOf(name, tensors);
    if (!state)
      parameters.emplace_hint(parameters.end(), name, info);
    else if (state->hasParameterDims)
      onlyStates.emplace(name.substr(0, name.size() - state->suffix.size()), info);
  }
  parameters.merge(onlyStates);
  return parameters;
}

} // namespace proa::transform
