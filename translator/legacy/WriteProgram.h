/// Legacy programs as files, in both forms that the readers take.
#pragma once

#include "translator/legacy/Program.h"

#include <functional>
#include <string>
#include <string_view>

namespace proa::legacy {

/// ProgramDesc as protobuf (.pdmodel).
std::string writeBinary(const Program &program);

/// Takes a text piece by piece.
using WriteText = std::function<void(std::string_view)>;
/// ProgramDesc as JSON, as protobuf's own printer writes it: enum names, 64-bit integers as strings.
void writeJson(const Program &program, const WriteText &write);
std::string writeJson(const Program &program);

} // namespace proa::legacy
