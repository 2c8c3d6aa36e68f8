/// Helpers of the tests of checkpoints.
#pragma once

#include "lib/checkpoint/Checkpoint.h"
#include "lib/checkpoint/Convert.h"
#include "lib/checkpoint/Index.h"
#include "lib/checkpoint/Writer.h"
#include "test/unit/params/ParamsTesting.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

namespace proa::checkpoints {

/// A tensor whose elements are all different bytes patterns.
inline Tensor numbered(std::vector<int64_t> dims, float first = 0) {
  Tensor tensor(DType::Float32, std::move(dims));
  std::iota(tensor.as<float>(), tensor.as<float>() + tensor.size(), first);
  return tensor;
}

inline TensorEntry entryOf(const Tensor &tensor, StateKind kind = StateKind::Parameter) {
  return {tensor.dtype(), tensor.dims(), kind};
}

/// The elements of a box.
inline Tensor sliceOf(const Tensor &whole, const Box &box) {
  Tensor slice(whole.dtype(), dimsOf(box));
  copyElements({whole.as<std::byte>(), wholeBox(whole.dims())}, {slice.as<std::byte>(), box}, box,
               sizeOf(whole.dtype()));
  return slice;
}

/// Dims of 0 to 4 dimensions with few elements.
inline std::vector<int64_t> randomDims(std::mt19937 &random) {
  std::vector<int64_t> dims(random() % 5);
  for (int64_t &dim : dims)
    dim = 1 + static_cast<int64_t>(random() % 9);
  return dims;
}

template <class T> std::string errorOf(const Result<T> &result) {
  return result ? "no error" : result.diagnostics().text();
}

} // namespace proa::checkpoints
