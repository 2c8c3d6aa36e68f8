/// Resident pages of mapped files.
#pragma once

#include <cstddef>

namespace proa {

/// Gives the pages of `bytes` bytes at `data` back to the system, if they belong to a file that mapFile() has
/// mapped. A later access reads them again, from the page cache of the system as long as it has them. Pages
/// that were written stay, and so does other memory.
void releaseMappedPages(const void *data, size_t bytes);

} // namespace proa
