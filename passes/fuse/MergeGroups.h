/// Joining kernels that do not depend on each other.
#pragma once

#include "passes/analysis/KernelGroups.h"
#include "passes/remarks/Remarks.h"

namespace proa {

/// Merges elementwise groups of one small domain, which a GPU computes in less time than it takes to launch
/// them: the factors and biases of an optimizer step. A group joins an earlier one of the block if all of its
/// operands are computed before that; its ops move there. Groups that became empty are removed.
void mergeSmallGroups(llvm::SmallVectorImpl<std::unique_ptr<KernelGroup>> &groups, PassRemarks remarks);

} // namespace proa
