/// Looks for NaN and Inf in the values of a run.
#pragma once

#include "lib/runtime/plan/Library.h"

#include <cstdint>
#include <optional>
#include <string>

namespace proa::runtime {

/// How many elements of a tensor are NaN and Inf, and the row-major positions of the first ones. A complex
/// element is NaN if a component is NaN, else Inf if a component is Inf.
struct NonFinite {
  int64_t nans = 0, infinities = 0;
  int64_t firstNan = -1, firstInfinity = -1;

  bool isFinite() const { return nans == 0 && infinities == 0; }
  NonFinite &operator+=(const NonFinite &other); ///< the positions are kept
};

/// Counts them. Elements of integers and bools are finite.
NonFinite countNonFinite(const View &view);
NonFinite countNonFinite(const Tensor &tensor);

/// Describes the NaN and Inf that a step created: NaN if no input has NaN, Inf if no input has NaN or Inf.
/// "gets NaN from finite inputs, the first at [0, 1]; 3 NaN and 0 Inf in all". Nothing if it created none.
std::optional<std::string> describeCreated(const NonFinite &inputs, const NonFinite &output,
                                           std::span<const int64_t> dims);

} // namespace proa::runtime
