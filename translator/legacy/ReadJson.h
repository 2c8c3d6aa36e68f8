/// Reads legacy programs written as JSON: the protobuf JSON mapping of ProgramDesc.
#pragma once

#include "lib/base/support/Files.h"
#include "translator/legacy/Program.h"

#include <string>
#include <string_view>

namespace proa::legacy {

/// Keys may be snake_case or lowerCamelCase, enumerations names or numbers, int64 numbers or strings; the
/// vocabulary of Paddle 2.6 (LOD_TENSOR, lod_tensor, lod_level) is read as well as today's. Absent fields
/// have the format's defaults. Errors, all at once: no JSON, text that is not UTF-8 (with line and column);
/// unknown, repeated and missing keys and values of a wrong type or range (with their place in the file,
/// "blocks[0].ops[3].attrs[1].type"); what `validate` finds. The attributes of variables, and the contents of
/// READER and TUPLE variables, are not kept: nothing that computes reads them.
Result<Program> readJson(const std::string &path);

/// The same for a mapped file, and for text in memory; `name` is the file in errors.
Result<Program> readMappedJson(const MappedFile &file, const std::string &name);
Result<Program> readJsonText(std::string_view text, const std::string &name);

} // namespace proa::legacy
