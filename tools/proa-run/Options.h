/// The command line of proa-run.
#pragma once

#include "tools/common/CommandLine.h"
#include "tools/common/Plugins.h"
#include "tools/common/Target.h"
#include "tools/common/Warnings.h"
#include "tools/proa-run/Feeds.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::tools {

struct ToolOptions {
  std::string path;
  ModelOptions model;
  FeedOptions feeds;
  std::vector<std::string> set;
  std::string outputs;
  std::string saved;        ///< file for parameters; empty: none
  std::string checkpoint;   ///< folder; empty: none
  std::optional<int> every; ///< steps between checkpoints; default: one after the last step
  bool resumes = false;
  std::string expect;  ///< file with expected outputs, or `beside`; empty: none
  std::string compare; ///< source of expected values (comparison::CompareRequest); empty: none
  bool bisects = false;
  std::string profile;   ///< trace file, or `table` for stdout; empty: none
  std::string recompute; ///< empty: no recomputation
  AmpChoice amp;
  MeshChoice mesh;
  std::string plan;    ///< file of proa-plan; empty: none
  std::string cluster; ///< of --strategy=auto; empty: none
  PluginChoice plugins;
  OffloadChoice offload;
  std::optional<double> rtol, atol;
  int repeat = 1;
  double duration = 0; ///< seconds; 0: `repeat` counts the runs
  int concurrency = 1;
  std::optional<int> warmup; ///< default: 1 if runs are repeated
  bool json = false;
  WarningChoice warnings;

  static constexpr const char *beside = "beside the model";
  static constexpr const char *table = "table";
};

/// Adds all options of proa-run.
void declare(CommandLine &line, ToolOptions &options);

} // namespace proa::tools
