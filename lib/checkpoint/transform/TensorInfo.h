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

/// The suffixes of optimizer states of a parameter: ".w_0" (master weight), ".moment1_0", ".moment2_0",
/// ".beta1_pow_acc_0" and ".beta2_pow_acc_0".
inline constexpr std::string_view optimizerSuffixes[] = {".w_0", ".moment1_0", ".moment2_0",
                                                         ".beta1_pow_acc_0", ".beta2_pow_acc_0"};
/// Whether states of this suffix have the dims of their parameter; others are one number for each parameter.
inline bool hasParameterDims(std::string_view suffix) {
  return suffix.find("_pow_acc_") == std::string_view::npos;
}

/// The optimizer suffix at the end of a name, or "".
std::string_view optimizerSuffixOf(std::string_view name);

/// The parameters: names without optimizer suffixes. A parameter of which there are only optimizer states has
/// the dtype and dims of a state.
TensorInfos parametersOf(const TensorInfos &tensors);

} // namespace proa::transform
