/// The command lines of the tools on MLIR's main functions: what MLIR accepts and does nothing with, or
/// refuses without a word of what was meant.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::tools {

/// Unknown options, with the names that are near. Call it when all options are registered and before they are
/// parsed.
Problems checkArguments(int argc, char **argv);

/// Unknown passes in pipelines, and wrong options of passes. Call it when options are parsed: passes of
/// plugins are known then.
Problems checkPasses(int argc, char **argv);

/// Problems of the value of --remarks: a malformed regular expression, or one that matches no pass as a
/// whole. Call it when options are parsed.
Problems checkRemarks(const std::string &passes);

/// The arguments with `--mlir-print-ir-after-all` where `--mlir-print-ir-after-change` is given and nothing
/// says after which passes to print.
std::vector<char *> completeArguments(int argc, char **argv);

/// Makes errors of ops end with their message, where the user does not ask for the op with
/// `--mlir-print-op-on-diagnostic`: the op may be the whole module. Call it when options are parsed.
void printNoOpsWithErrors();

} // namespace proa::tools
