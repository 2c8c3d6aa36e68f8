/// Reads legacy programs in the binary form of ProgramDesc: the .pdmodel and __model__ files of Paddle.
#pragma once

#include "translator/legacy/Program.h"

#include <span>
#include <string>

namespace proa::legacy {

/// Gives the same Program as readJson for the same ProgramDesc. Errors, all at once: bytes that are no
/// protobuf message (with the place where it breaks off), missing required fields, enumeration numbers that
/// mean nothing, what `validate` finds. Fields that framework.proto does not name are skipped, as protobuf
/// does.
Result<Program> readBinary(const std::string &path);

/// The same for bytes in memory; `name` is the file in errors.
Result<Program> readBinaryBytes(std::span<const std::byte> bytes, const std::string &name);

} // namespace proa::legacy
