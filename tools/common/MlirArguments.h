/// Checks of the command lines of tools on MLIR's main functions: MLIR ignores some errors, and refuses
/// others without a hint.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::tools {

/// Loads the plugins of --load-pass-plugin, and returns the other arguments. Call it before the options of
/// MLIR are registered: then passes of plugins have options as all others. Error: a file that is not a
/// plugin, with the reason.
Result<std::vector<char *>> loadPassPlugins(int argc, char **argv);

/// Reports unknown options, with near names. Call it after all options are registered and before they are
/// parsed.
Diagnostics checkArguments(int argc, char **argv);

/// Reports unknown passes in pipelines and wrong options of passes. Call it after parsing.
Diagnostics checkPasses(int argc, char **argv);

/// Checks the value of --remarks: a regular expression that matches the name of some pass as a whole. Call it
/// after parsing.
Diagnostics checkRemarks(const std::string &passes);

/// The arguments, with `--mlir-print-ir-after-all` added if `--mlir-print-ir-after-change` is given without a
/// selection of passes.
std::vector<char *> completeArguments(int argc, char **argv);

/// Turns off the op text in errors, unless `--mlir-print-op-on-diagnostic` is given: the op may be the whole
/// module. Call it after parsing.
void printNoOpsWithErrors();

} // namespace proa::tools
