/// Library kernels that choose between implementations.
#pragma once

#include "lib/runtime/plan/Library.h"

namespace proa::runtime {

/// A base of kernels that can say what they choose.
class DescribedKernel {
public:
  virtual ~DescribedKernel() = default;
  /// Which implementation computes the step, and the estimates that decide. Empty: only a run knows the dims.
  virtual std::string describeChoice() const = 0;
};

/// The name of the remarks about these choices; passes have other names.
inline constexpr const char *kernelChoiceRemarks = "library-kernels";
/// The choices of library kernels on the host, at the places of their steps. Bodies of control flow are left
/// out.
Diagnostics describeChoices(const Plan &plan);

} // namespace proa::runtime
