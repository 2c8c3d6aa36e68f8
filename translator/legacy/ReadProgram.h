/// Reads a legacy program from JSON or the binary form.
#pragma once

#include "translator/legacy/Program.h"

#include "lib/base/support/Files.h"

#include <string>
#include <string_view>

namespace proa::legacy {

/// Reads a program file: text that begins with `{` is JSON, anything else is the binary form. Errors: from
/// readJson and readBinary. translator::readProgram also reads models of the new IR.
Result<Program> readProgram(const std::string &path);

/// The same for a mapped file, and for the content of a file; `name` is the file in errors.
Result<Program> readMappedProgram(const MappedFile &file, const std::string &name);
Result<Program> readProgramText(std::string_view text, const std::string &name);

} // namespace proa::legacy
