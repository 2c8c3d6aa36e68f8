/// Child processes whose output is captured.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa {

/// Runs a program, by its path, and returns its stdout followed by its stderr. Error: it cannot be started,
/// or its exit code is not 0; the message has its output.
Result<std::string> runProgram(const std::string &program, const std::vector<std::string> &arguments);

} // namespace proa
