/// Reads the pieces of a large program.
#pragma once

#include "translator/legacy/JsonReader.h"

#include <span>

namespace proa::legacy::json {

/// Reads all of them, on all cores. False where one is no list of what it should hold: reading the whole
/// tells what is wrong.
bool readPieces(std::span<const PieceTask> tasks, AttributePool &pool);

} // namespace proa::legacy::json
