/// Names of dims of feeds, and the import of a program for other dims of its feeds than it declares, such as
/// another batch.
#pragma once

#include "proa/Result.h"
#include "translator/program/SourceProgram.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proa {

/// A feed whose declared dims are replaced.
struct ChangedFeed {
  std::string name;
  std::vector<int64_t> declared, requested;
};

/// Replaces the declared dims of feeds by requested ones that contradict them. The import infers all other
/// types from the feeds. Error: another rank.
Result<std::vector<ChangedFeed>> changeFeedDims(translator::SourceProgram &program,
                                                const std::map<std::string, std::vector<int64_t>> &requested);

/// The names of the dims of the feeds of `main` that have any, "" for other dims.
std::map<std::string, std::vector<std::string>> dimNamesOf(mlir::ModuleOp module);

/// Errors of ops in an imported program that have the old size of a first dimension as a constant: a reshape
/// of changed values to [2, -1] would move elements of the batch to other dimensions.
Result<void> checkOldDims(mlir::ModuleOp module, const std::vector<ChangedFeed> &changed);

} // namespace proa
