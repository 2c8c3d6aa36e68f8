/// The layout of the checkpoints that a training program saves under a strategy.
#pragma once

#include "lib/checkpoint/Layout.h"
#include "tools/common/CommandLine.h"

#include <memory>
#include <string>
#include <vector>

namespace proa::tools {

/// The program and its strategy, as proa-run takes them.
struct ModelLayoutOptions {
  std::string model, strategy, mesh;
  std::vector<std::string> dims; ///< of feeds: "NAME=2x3"
};

/// Declares --strategy, --model, --mesh and --dims. Returns the first of them.
CLI::Option *declareModelLayout(CommandLine &line, ModelLayoutOptions &options);

/// The layout that proa-run with --strategy and --save-checkpoint writes. Errors: as Model::open and
/// checkpointLayout().
Result<std::unique_ptr<checkpoints::Layout>> layoutOfModel(const ModelLayoutOptions &options);

} // namespace proa::tools
