/// Variables that share memory once a startup program has run.
#pragma once

#include "translator/legacy/Program.h"

#include <string>
#include <vector>

namespace proa::legacy {

/// A buffer and the variables in it, in order.
struct SharedStorage {
  std::string buffer;
  std::vector<std::string> members;
};

/// The buffers of the coalesce_tensor ops of a startup program, as the recurrent layers of Paddle do for
/// their weights: a step that changes a member changes the buffer, which the main program does not tell.
/// Buffers with gaps between their members (`use_align`) are left out: the elements of a gap are undefined.
std::vector<SharedStorage> sharedStorageOf(const Program &startup);

} // namespace proa::legacy
