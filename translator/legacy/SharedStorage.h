/// Variables that share memory once a startup program has run.
#pragma once

#include "translator/legacy/Program.h"

#include <string>
#include <vector>

namespace proa::legacy {

/// A buffer and the variables that lie in it, one behind the other.
struct SharedStorage {
  std::string buffer;
  std::vector<std::string> parts;
};

/// What the coalesce_tensor ops of a startup program make, as the recurrent layers of Paddle do for their
/// weights: a step that changes a part changes the buffer, which the main program does not tell. Buffers with
/// gaps between their parts (`use_align`) are left out: what stands in a gap is not defined.
std::vector<SharedStorage> sharedStorageOf(const Program &startup);

} // namespace proa::legacy
