/// Checks of a program after any reader.
#pragma once

#include "lib/base/support/FileReport.h"
#include "translator/legacy/Program.h"

namespace proa::legacy {

/// Reports:
/// - no blocks; a block whose index is not its position; a parent that is not a block, or is among the
/// block's descendants;
///   a block other than the first without a parent; a forward block that is not a block
/// - a variable without a name, or declared twice in its block; a dimension below -1; dimensions whose
/// product exceeds int64
/// - an op without a type; a BLOCK or BLOCKS attribute that names no block
void validate(const Program &program, FileReport &report);

} // namespace proa::legacy
