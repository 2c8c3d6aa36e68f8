/// Helpers of the tests of checkpoint transforms.
#pragma once

#include "lib/checkpoint/transform/Apply.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

namespace proa::transform {

using Tensors = std::map<std::string, Tensor>;

inline Tensor iota(std::vector<int64_t> dims, float begin = 0) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::iota(tensor.as<float>(), tensor.as<float>() + tensor.size(), begin);
  return tensor;
}

inline std::vector<float> floatsOf(const Tensor &tensor) {
  return {tensor.as<float>(), tensor.as<float>() + tensor.size()};
}

inline TensorInfos infosOf(const Tensors &tensors) {
  TensorInfos infos;
  for (const auto &[name, tensor] : tensors)
    infos[name] = {tensor.dtype(), tensor.dims()};
  return infos;
}

inline Result<Mapping> mapText(std::string_view text, const TensorInfos &inputs,
                               const MappingOptions &options = {}) {
  Result<std::vector<Statement>> statements = parseStatements(text, "t.aoa");
  if (!statements)
    return statements.diagnostics();
  return mapTensors(*statements, inputs, options);
}

inline BoxReader readerOf(const Tensors &tensors) {
  return [&tensors](const std::string &name, const Box &) -> Result<BoxTensor> {
    auto at = tensors.find(name);
    if (at == tensors.end())
      return errorAt(name, "is not a tensor of the input");
    return BoxTensor{at->second};
  };
}

inline Tensors compute(const Mapping &mapping, const Tensors &inputs) {
  Tensors results;
  for (const Target &target : mapping.targets) {
    Result<Tensor> result = computeTarget(mapping, target, readerOf(inputs));
    EXPECT_TRUE(result) << result.diagnostics().text();
    if (result)
      results[target.name] = *result;
  }
  return results;
}

/// The result of statements without errors.
inline Tensors transformed(std::string_view text, const Tensors &inputs, const MappingOptions &options = {}) {
  Result<Mapping> mapping = mapText(text, infosOf(inputs), options);
  EXPECT_TRUE(mapping) << mapping.diagnostics().text();
  return mapping ? compute(*mapping, inputs) : Tensors();
}

/// The errors of statements.
inline std::string errorsOf(std::string_view text, const TensorInfos &inputs,
                            const MappingOptions &options = {}) {
  Result<Mapping> mapping = mapText(text, inputs, options);
  EXPECT_FALSE(mapping);
  return mapping ? "" : mapping.diagnostics().text();
}

inline bool areEqual(const Tensor &a, const Tensor &b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

} // namespace proa::transform
