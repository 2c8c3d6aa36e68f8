/// Options for passes of users and plugins of MLIR, of tools that compile programs.
#pragma once

#include "lib/compiler/compile/UserPasses.h"
#include "tools/common/CommandLine.h"

#include <string>
#include <vector>

namespace proa::tools {

struct PluginChoice {
  std::vector<std::string> passes, dialects; ///< files of plugins
};

/// `passes` and `patterns` are fields of ModelOptions.
inline void declarePlugins(CommandLine &line, PluginChoice &choice, std::string &passes,
                           std::vector<std::string> &patterns) {
  line.add_option("--pass-pipeline", passes,
                  "Runs passes on the imported program before it is compiled, as proa-opt does")
      ->check(checkName)
      ->type_name("PIPELINE");
  line.add_option(
          "--pdl-patterns", patterns,
          "Applies patterns in PDLL (*.pdll, or *.mlir of mlir-pdll) after these passes; may be repeated")
      ->allow_extra_args(false)
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--load-pass-plugin", choice.passes, "Loads a plugin of MLIR with passes; may be repeated")
      ->allow_extra_args(false)
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--load-dialect-plugin", choice.dialects,
                  "Loads a plugin of MLIR with dialects; may be repeated")
      ->allow_extra_args(false)
      ->check(checkName)
      ->type_name("FILE");
}

/// Error: all files that cannot be loaded.
inline Result<void> loadPlugins(const PluginChoice &choice) {
  Diagnostics diagnostics;
  for (const std::string &file : choice.dialects)
    diagnostics.append(loadDialectPlugin(file).diagnostics());
  for (const std::string &file : choice.passes)
    diagnostics.append(loadPassPlugin(file).diagnostics());
  return diagnostics;
}

} // namespace proa::tools
