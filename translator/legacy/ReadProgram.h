/// Reads a legacy program, whichever form its file has.
#pragma once

#include "translator/legacy/Program.h"

#include <string>
#include <string_view>

namespace proa::legacy {

/// By content: text that begins with `{` is JSON, anything else is the binary form. Errors: those of readJson
/// and readBinary; a model of the new IR of Paddle 3, which is not a legacy program.
Result<Program> readProgram(const std::string &path);

/// The same for the content of a file; `name` is the file in errors.
Result<Program> readProgramText(std::string_view text, const std::string &name);

} // namespace proa::legacy
