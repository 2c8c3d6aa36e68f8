/// The shared libraries that a compiled library needs at run time.
#pragma once

#include "proa/Result.h"

#include <string>
#include <vector>

namespace proa::aot {

struct Dependency {
  std::string name; ///< "libdnnl.so.2"
  std::string path; ///< where the loader finds it here; empty: nowhere
};

/// All libraries that the loader of this system would load for the library at `path`, also those that its
/// libraries need, by name. Libraries of CUDA, which are opened during a run, are not among them. Error: the
/// loader cannot be asked.
Result<std::vector<Dependency>> dependenciesOf(const std::string &path);

} // namespace proa::aot
