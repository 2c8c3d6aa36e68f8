/// Memory that a compiled kernel gets besides its operands, from the attributes of the kernel.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace proa {

/// The kernel's last pointers, in this order.
struct KernelNeeds {
  /// Dims of each buffer of scratch memory, in bytes; -1: the shape function computes it.
  std::vector<std::vector<int64_t>> scratch;
  bool hasCounters = false; ///< counters, which are 0 before and after
  /// Of each index check the numbers of `proa.index_checks`. The words of the checks are one buffer.
  std::vector<std::vector<int64_t>> checks;

  /// Reads `proa.scratch`, `proa.counters` and `proa.index_checks` of a kernel.
  static KernelNeeds of(mlir::Operation *kernel);
};

} // namespace proa
