/// Static dims for dynamic feeds.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proa {

/// Specializes the feeds of `main` to these dims. Error: an unknown feed, another rank, a dim that differs
/// from a static one.
Result<void> specializeFeeds(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims);

} // namespace proa
