/// The tensors of a checkpoint as a transform sees them: names, dtypes and dims, without data.
#pragma once

#include "proa/Tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace proa::transform {

struct TensorInfo {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  /// The number of shards that the file holds of it; fused weights of tensor parallelism are in the order of
  /// the shards (`fused_qkv_old`, `fused_ffn`).
  int64_t shards = 1;
};

using TensorInfos = std::map<std::string, TensorInfo, std::less<>>;

/// A kind of optimizer states: the state of parameter `w` has the name `w` + suffix.
struct OptimizerState {
  std::string_view suffix;
  /// The state has the dims of the parameter; others are scalars.
  bool hasParameterDims = true;
  /// The parameter in float32 (master weight); others are moments.
  bool isMasterWeight = false;
};

/// Names of dynamic programs have a dot, names of static programs a `_`.
inline constexpr OptimizerState optimizerStates[] = {
    {".w_0", true, true},
    {".moment1_0"},
    {".moment2_0"},
    {".beta1_pow_acc_0", false},
    {".beta2_pow_acc_0", false},
    {"_fp32_master_0", true, true},
    {"_velocity_0"},
    {"_moment1_0"},
    {"_moment2_0"},
    {"_beta1_pow_acc_0", false},
    {"_beta2_pow_acc_0", false},
};

/// The state of a parameter that the tensor `name` of a checkpoint is, or null. A name with `_moment1_0` is a
/// state if the checkpoint has the parameter. `w.w_0` is one if it has `w` or another state of `w`: static
/// programs have parameters of such names. States of other names with a dot may be in a file of their own.
const OptimizerState *stateOf(std::string_view name, const TensorInfos &tensors);

/// The parameters: tensors that are not optimizer states. A parameter of which there are only optimizer
/// states has the dtype and dims of a state.
TensorInfos parametersOf(const TensorInfos &tensors);

} // namespace proa::transform
