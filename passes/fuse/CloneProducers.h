/// Kernels that compute elementwise ops of other kernels again instead of reading their results.
#pragma once

#include "passes/analysis/KernelGroups.h"
#include "passes/remarks/Remarks.h"

#include <memory>

namespace proa {

/// Clones elementwise ops of one group into the groups that read their results, where less memory is read and
/// written afterwards: `x - mean` is computed again from `x`, instead of being stored. A value that another
/// op than the ops of groups reads stays. The IR then has the clones before their users.
void cloneProducers(llvm::MutableArrayRef<std::unique_ptr<KernelGroup>> groups, PassRemarks remarks);

} // namespace proa
