/// Dims of feeds that a program leaves open.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proa {

/// Gives the feeds of `main` these dims. Problems: an unknown feed, another rank, a dim that the program
/// fixes otherwise.
Result<void> specializeFeeds(mlir::ModuleOp module, const std::map<std::string, std::vector<int64_t>> &dims);

} // namespace proa
