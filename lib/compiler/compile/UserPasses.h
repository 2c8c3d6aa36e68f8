/// Passes of users in the pipeline of the compiler (ModelOptions::passes), and plugins that add passes and
/// dialects.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace proa {

/// Checks ModelOptions::passes. Error: a malformed pipeline, an unknown pass or option.
Result<void> checkUserPasses(const std::string &passes);

/// Appends the passes of a text that checkUserPasses accepts.
void addUserPasses(mlir::OpPassManager &pm, const std::string &passes);

/// Loads a plugin of MLIR (mlir/Tools/Plugins), which stays loaded. Its passes are registered; its dialects
/// are part of registerAllDialects from then on. A plugin uses the dialects that the executable exports.
/// Error: a file that is not a plugin, with the reason.
Result<void> loadPassPlugin(const std::string &path);
Result<void> loadDialectPlugin(const std::string &path);

/// Adds the dialects of loaded plugins.
void registerPluginDialects(mlir::DialectRegistry &registry);

/// Identifies the files of loaded plugins: a program that they compiled is valid for these files only.
std::string describePlugins();

} // namespace proa
