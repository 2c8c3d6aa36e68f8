/// Legacy programs as files, in both forms that the readers take.
#pragma once

#include "translator/legacy/Program.h"

namespace proa::legacy {

/// ProgramDesc as protobuf (.pdmodel).
std::string writeBinary(const Program &program);
/// ProgramDesc as JSON, as protobuf's own printer writes it: enum names, 64-bit integers as strings.
std::string writeJson(const Program &program);

} // namespace proa::legacy
