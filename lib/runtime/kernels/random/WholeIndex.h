/// Indices of a shard of a tensor in the whole, for random ops that sample a shard (dialects/pd/ops/random).
#pragma once

#include "lib/runtime/kernels/common/Checks.h"

#include <fmt/ranges.h>

namespace proa::runtime {

/// The shard of a tensor of dims `whole` that begins at an index. Without `whole` the shard is the tensor.
class WholeIndex {
public:
  /// `begin` is absent if `whole` is empty. Error: the shard is not in the whole.
  static Result<WholeIndex> create(std::span<const int64_t> dims, const std::vector<int64_t> &whole,
                                   const View &begin) {
    WholeIndex result;
    result.dims.assign(dims.begin(), dims.end());
    if (whole.empty())
      return result;
    Result<std::vector<int64_t>> first = integersOf(begin);
    if (!first)
      return first.diagnostics();
    bool isInside = first->size() == dims.size() && whole.size() == dims.size();
    for (size_t d = 0; isInside && d < dims.size(); ++d)
      isInside = (*first)[d] >= 0 && (*first)[d] + dims[d] <= whole[d];
    if (!isInside)
      return failure("the shard [{}] at [{}] is not in a tensor of dims [{}]", fmt::join(dims, ", "),
                     fmt::join(*first, ", "), fmt::join(whole, ", "));
    result.begin = std::move(*first);
    result.whole = whole;
    result.findRun();
    return result;
  }

  bool isWhole() const { return whole.empty(); }
  /// The number of elements that follow each other in the whole.
  int64_t runLength() const { return run; }

  /// The index in the whole of element `linear` of the shard.
  int64_t operator()(int64_t linear) const {
    if (whole.empty())
      return linear;
    int64_t index = 0, stride = 1;
    for (size_t d = dims.size(); d-- > 0; linear /= dims[d]) {
      index += (begin[d] + linear % dims[d]) * stride;
      stride *= whole[d];
    }
    return index;
  }

private:
  void findRun() {
    run = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      run *= dims[d];
      if (dims[d] != whole[d])
        break;
    }
    run = std::max<int64_t>(run, 1);
  }

  std::vector<int64_t> dims, whole, begin;
  int64_t run = 1;
};

} // namespace proa::runtime
