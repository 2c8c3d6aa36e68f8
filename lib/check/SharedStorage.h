/// Variables that share memory once the startup program of a training case has run.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::check {

/// A buffer and the variables that lie in it, one behind the other.
struct SharedStorage {
  std::string buffer;
  std::vector<std::string> parts;
};

/// What the coalesce_tensor ops of `FOLDER/startup.json` make, as the recurrent layers of Paddle do for their
/// weights: a step that changes a part changes the buffer, which the main program does not mention. Nothing
/// where there is no such file. Buffers with gaps between their parts
/// (`use_align`) are left out: what stands in a gap is not defined. Problems: those of reading the program.
Result<std::vector<SharedStorage>> sharedStorageOf(const std::string &folder);

} // namespace proa::check
