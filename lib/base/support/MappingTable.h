/// The table of the memory that mapFile() has mapped.
#pragma once

#include <cstddef>

namespace proa {

void addMapping(const void *data, size_t bytes);
/// Returns false if there is no such entry.
bool removeMapping(const void *data);

} // namespace proa
