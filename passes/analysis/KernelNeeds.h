/// Memory that a compiled kernel gets besides its operands, and conditions on their dims, from its
/// attributes.
#pragma once

#include "lib/base/support/CheckedNumber.h"

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace proa {

/// The fields of an IndexCheckAttr; -1 for arguments that are not set.
struct IndexCheck {
  int64_t indices = -1, bound = -1, axis = 0, size = 0;
  CheckedNumber kind = CheckedNumber::Index;
};

/// The fields of a DimCheckAttr; -1 for `other` or `size` that is not set.
struct DimCheck {
  int64_t argument = 0, axis = 0, other = -1, otherAxis = 0, size = -1;
  bool mayBeOne = false;
};

/// The kernel's last pointers, in this order, and the conditions of a call.
struct KernelNeeds {
  /// Dims of each buffer of scratch memory, in bytes; -1: the shape function computes it.
  std::vector<std::vector<int64_t>> scratch;
  bool hasCounters = false;        ///< counters, which are 0 before and after
  std::vector<IndexCheck> checks;  ///< their words are one buffer
  std::vector<DimCheck> dimChecks; ///< they take no memory

  /// Reads `proa.scratch`, `proa.index_checks` and `proa.dim_checks` of a kernel.
  static KernelNeeds of(mlir::Operation *kernel);
};

} // namespace proa
