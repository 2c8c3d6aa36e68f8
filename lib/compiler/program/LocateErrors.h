/// Locations of errors of compiled programs in the program that they were imported from.
#pragma once

#include "proa/Diagnostic.h"
#include "translator/legacy/Program.h"

#include <string>

namespace proa {

/// Sets the location of an error whose output is known to the op that computes this output: its index, type
/// and Python line. Without such an op the error stays as it is. `file` is the program.
void locateInProgram(Diagnostic &error, const legacy::Program &program, const std::string &file);

} // namespace proa
