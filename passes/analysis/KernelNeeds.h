/// Memory that a compiled kernel gets besides its operands, and conditions on their dims, from its
/// attributes.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace proa {

/// The kernel's last pointers, in this order, and the conditions of a call.
struct KernelNeeds {
  /// Dims of each buffer of scratch memory, in bytes; -1: the shape function computes it.
  std::vector<std::vector<int64_t>> scratch;
  bool hasCounters = false; ///< counters, which are 0 before and after
  /// Of each index check the numbers of `proa.index_checks`. The words of the checks are one buffer.
  std::vector<std::vector<int64_t>> checks;
  /// Of each pair of dims that must be equal the numbers of `proa.dim_checks`. They take no memory.
  std::vector<std::vector<int64_t>> dimChecks;

  /// Reads `proa.scratch`, `proa.counters`, `proa.index_checks` and `proa.dim_checks` of a kernel.
  static KernelNeeds of(mlir::Operation *kernel);
};

} // namespace proa
